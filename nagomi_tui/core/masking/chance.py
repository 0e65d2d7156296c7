"""Whether a word looks drawn by chance, as keys are, or written by people, as names are."""

from __future__ import annotations

import re
from typing import Final

_SEPARATORS: Final = re.compile(r"[_+/.\-=]+")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX: Final = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)")


def _kind(code: int) -> int:
    """Return a letter for the kind of a character: a, A, 0, or a blank for what is none."""
    char = chr(code)
    if not char.isascii() or not char.isalnum():
        return ord(" ")
    return ord("0" if char.isdigit() else "a" if char.islower() else "A")


_KINDS: Final = bytes(_kind(code) for code in range(256))
_CHANGES: Final = (b"aA", b"a0", b"A0", b"0a", b"0A")
"""Neighbours of two kinds; a capital followed by a small letter is how any name begins."""


def is_uuid(word: str) -> bool:
    """Tell whether the word is a UUID, which names a thing and opens nothing."""
    return len(word) == 36 and _UUID.fullmatch(word) is not None


def is_hex(word: str) -> bool:
    """Tell whether the word is hexadecimal, as the sums and hashes of plain logs are."""
    return _HEX.fullmatch(word) is not None


def looks_random(word: str) -> bool:
    """Tell whether letters, capitals and digits change as often as they do by chance.

    In random text of 62 characters two neighbours in three differ in kind; in names such as
    `useOAuth2Client` about one in six does.
    """
    sample = word[:256]
    kinds = sample.encode("ascii", "replace").translate(_KINDS).replace(b" ", b"")
    if len(kinds) < 8 or kinds.isdigit() or is_uuid(sample) or _is_wordy(sample):
        return False
    changes = sum(kinds.count(change) for change in _CHANGES)
    if b"0" in kinds:
        return changes * 4 >= len(kinds) - 1
    return len(kinds) >= 16 and changes * 5 >= len(kinds)


def _is_wordy(word: str) -> bool:
    """Tell whether two parts or more are plain words, as in paths and kebab-case names."""
    plain = 0
    for part in _SEPARATORS.split(word):
        plain += len(part) > 2 and part.isalpha() and _has_one_case(part)
    return plain >= 2


def _has_one_case(part: str) -> bool:
    return part.islower() or part.isupper() or part.istitle()
