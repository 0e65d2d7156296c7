"""Finds random words by the words around them (N-91): "your new token is 8fJ2k…"."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking.chance import is_hex, is_uuid, looks_random

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.masking.spans import Span

_CANDIDATE: Final = re.compile(
    r"(?<![A-Za-z0-9_+/.\-@*])(?=[A-Za-z0-9_+/.\-]{16})[A-Za-z0-9_+/][A-Za-z0-9_+/\-]*+"
    r"(?:\.[A-Za-z0-9][A-Za-z0-9_+/\-]*+)*"
)
_PADDING: Final = re.compile(r"={0,2}")
_SHORTEST: Final = 16
_NEAR: Final = re.compile(
    r"(?<![a-z])(?:(?:api|access|secret|private|auth|account|signing|encryption)[ _\-]?keys?|tokens?"
    r"|secrets?|passwords?|passwd|passphrase|credentials?|bearer|apikey|authorization"
    r"|パスワード|トークン|シークレット|秘密鍵|キー)(?![a-z])"
)
_CLOSE: Final = re.compile(
    r"(?<![a-z])(?<!public )(?<!public-)(?:key|auth|login|pwd|pass)(?![a-z])"
)
_SUM: Final = re.compile(
    r"(?:sha[0-9]{0,3}|md5|digest|checksum|fingerprint|commit|revision|integrity|etag|hash|blob|tree"
    r"|ssh-[a-z0-9]+|nistp[0-9]+|base64|image|layer|request|trace|span|idempotency)\W[^=]{0,16}$"
)
_PUBLIC: Final = re.compile(r"AAAA[BCE][0-9A-Za-z]")
_BEFORE: Final = 48
_AFTER: Final = 24
_CLOSELY: Final = 12
_LISTED: Final = re.compile(r"(?:passwords?|secrets|tokens|keys|credentials)\W*\Z")
_SUMS: Final = (40, 64)
"""Lengths of the hashes of commits and files, which stand beside any word."""


def find_near(text: str, low: str) -> Iterator[Span]:
    """Yield where random words stand near a word that speaks of secrets."""
    context = _Context(low)
    if not context.is_empty():
        for found in _CANDIDATE.finditer(text):
            start, end = found.span()
            if end - start >= _SHORTEST:
                padding = _PADDING.match(text, end)
                span = (start, padding.end() if padding else end)
                if _is_secret(text[slice(*span)], span, context):
                    yield span


class _Context:
    """Where in a line the words stand that speak of secrets."""

    def __init__(self, low: str) -> None:
        self.low = low
        words = [*_NEAR.finditer(low)]
        self._starts = [word.start() for word in words]
        self._ends = [word.end() for word in words]
        self._close = [word.end() for word in _CLOSE.finditer(low)]

    def is_empty(self) -> bool:
        """Tell whether the line has no such word."""
        return not (self._ends or self._close)

    def ends_before(self, at: int, reach: int) -> bool:
        """Tell whether a word that names secrets ends in so many characters before `at`."""
        return _any_within(self._ends, at - reach, at)

    def is_around(self, span: Span) -> bool:
        """Tell whether a random word at that place is near enough to count as a secret."""
        start, end = span
        return (
            self.ends_before(start, _BEFORE)
            or _any_within(self._starts, end, end + _AFTER)
            or _any_within(self._close, start - _CLOSELY, start)
        )


def _any_within(places: list[int], first: int, last: int) -> bool:
    index = bisect_left(places, first)
    return index < len(places) and places[index] <= last


def _is_secret(word: str, span: Span, context: _Context) -> bool:
    start = span[0]
    if not context.is_around(span) or is_uuid(word) or _PUBLIC.match(word):
        return False
    if is_hex(word):
        if len(word) in _SUMS and _LISTED.search(context.low, max(0, start - 24), start):
            return False
        reach = _CLOSELY // 3 if len(word) in _SUMS else _AFTER
        named = len(word) >= 24 and not word.isdigit() and context.ends_before(start, reach)
    else:
        named = looks_random(word)
    return named and _SUM.search(context.low[max(0, start - 28) : start]) is None
