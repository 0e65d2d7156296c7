"""Literal text as bash reads it: in double quotes, outside quotes, and in `$'…'`."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.guard.shell.verdict import Writes
from nagomi_tui.guard.shell.words import GLOB, UNKNOWN, Word

BRACES: Final = re.compile(r"\{[^}]*(?:,|\.\.)")
"""A brace expansion, which makes several words."""
_ESCAPE: Final = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|u[0-9A-Fa-f]{1,4}|.)", re.DOTALL)
_NAMED: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b",
                 "f": "\f", "v": "\v"}  # fmt: skip
_HIDDEN_INNER: Final = re.compile(rb"(?:^|[^\\])(?:\\\\)*(?:`|\$[({\w@*#?!$-])")
_HIDDEN: Final = re.compile(r"(?:^|[^\\])(?:\\\\)*(?:[;&|<>()'\"`]|\$[({\w@*#?!$'\"-])")


def inner(text: bytes, at: int) -> Word:
    """Return the word for text in double quotes.

    Raises:
        Writes: the text has an expansion that the grammar did not find.
    """
    if b"\\" not in text and b"`" not in text and b"$" not in text:
        return Word(text.decode("utf-8", "replace"), at)
    if _HIDDEN_INNER.search(text):
        raise Writes("a string that is not understood", at)
    text = re.sub(rb"\\([$`\"\\])|\\\n", lambda match: match[1] or b"", text)
    return Word(text.decode("utf-8", "replace"), at)


def plain(text: str, at: int) -> Word:
    """Return the word for text outside quotes.

    Raises:
        Writes: bash would treat a part of the text as more than literal.
    """
    if _HIDDEN.search(text):
        raise Writes("a word that is not understood", at)
    if "{" in text and BRACES.search(text):
        return Word(UNKNOWN, at, splits=True, tame=not re.search(r"(?:^|[{,])-", text))
    splits = bool(GLOB.search(text))
    return Word(
        re.sub(r"\\(?:\n|(.))", lambda match: match[1] or "", text, flags=re.DOTALL), at, splits
    )


def decoded(text: str, at: int) -> Word:
    """Return the word for text in `$'…'`, with its backslash escapes decoded."""
    if "\\c" in text or "\\U" in text:
        return Word(UNKNOWN, at, tame=False)
    return Word(_ESCAPE.sub(_escape, text), at)


def _escape(match: re.Match[str]) -> str:
    body = match[1]
    if body[0] in "xu" and len(body) > 1:
        return chr(int(body[1:], 16))
    if body[0] in "01234567":
        return chr(int(body, 8) & 0xFF)
    return _NAMED.get(body, body if body in "\\'\"?" else "\\" + body)
