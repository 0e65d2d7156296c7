"""Finds secrets within base64: JSON that holds one, a private key, `user:password`."""

from __future__ import annotations

import binascii
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nagomi_tui.core.masking.spans import Span

# JSON begins with `{"`, `{ ` or `{` and a line end, a key with `-----BEGIN`.
_CANDIDATE: Final = re.compile(
    r"(?<![A-Za-z0-9+/])(?:ey|ew|LS0tLS1CRUdJTi)[A-Za-z0-9+/]{22,}+={0,2}"
)
_LOGIN: Final = re.compile(rb"[ -~]{1,64}:[ -~]{3,200}")
_LONGEST: Final = 65536


def find_encoded(text: str, find: Callable[[str], list[Span]]) -> Iterator[Span]:
    """Yield the words of base64 in which `find` sees a secret."""
    if "ey" not in text and "ew" not in text and "LS0tLS1CRUdJTi" not in text:
        return
    for found in _CANDIDATE.finditer(text):
        said = decoded(found[0][:_LONGEST])
        if "PRIVATE KEY" in said or any(find(line) for line in said.splitlines()):
            yield found.span()


def decoded(word: str) -> str:
    """Return what a word of base64 says, as far as it goes; nothing where it is none."""
    bare = word.rstrip("=")
    bare = bare[: len(bare) - (len(bare) % 4 == 1)]
    try:
        return binascii.a2b_base64(bare + "=" * (-len(bare) % 4)).decode("utf-8", "replace")
    except binascii.Error:
        return ""


def is_login(word: str) -> bool:
    """Tell whether a word is `user:password` in base64, as registries and Basic take it."""
    return len(word) >= 8 and _LOGIN.fullmatch(decoded(word).encode()) is not None
