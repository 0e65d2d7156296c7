"""Pasted text → what is typed into the child, so that no pasted byte can act by itself."""

from __future__ import annotations

import re
from typing import Final

_START: Final = "\x1b[200~"
_END: Final = "\x1b[201~"
_MARKS: Final = re.compile("(?:\x1b\\[|\x9b)20[01]~")
_ACTING: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_NEWLINE: Final = re.compile("\r\n?|\n")


def encode_paste(text: str, bracketed: bool) -> str:
    """Return the text to type; bracketed where the child asked for mode 2004.

    Marks inside the text are taken out, whole, before other control characters become
    spaces: what is left of a mark can then not be put together again. Without brackets a
    newline is Enter, as terminals have it.
    """
    while _MARKS.search(text):
        text = _MARKS.sub("", text)
    text = _ACTING.sub(" ", text)
    if bracketed:
        return f"{_START}{text}{_END}"
    return _NEWLINE.sub("\r", text)
