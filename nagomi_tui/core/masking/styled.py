"""Masks lines that hold escape sequences, as if their rendered text was masked (NB-4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking.line import Masker

if TYPE_CHECKING:
    from collections.abc import Sequence

_ESCAPE: Final = re.compile(
    r"(\x1b\[[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor moves
    r"|\x1b\][^\x07\x1b]*+(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|\x1b[PX^_][^\x1b]*+(?:\x1b\\)?"
    r"|\x1b[ -/]*+[0-~])"
)
_CARRIES_TEXT: Final = ("\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_")


def mask_styled(masker: Masker, text: str) -> str:
    """Return a line masked with its escape sequences kept where they were.

    A secret that colours split is one; a step of the cursor to the right stands for a blank.
    """
    if "\x1b" not in text:
        return masker.line(text)
    parts = _ESCAPE.split(text)
    shown = [_shown(part) if index % 2 else part for index, part in enumerate(parts)]
    masked = masker.rows(shown)
    return "".join(_joined(parts, shown, masked))


def _shown(escape: str) -> str:
    return " " if escape.endswith("C") and escape.startswith("\x1b[") else ""


def _escape(escape: str) -> str:
    """Return an escape sequence with the text it carries masked."""
    text = escape[2:].removesuffix("\x07").removesuffix("\x1b\\")
    return escape[:2] + Masker().line(text) + escape[2 + len(text) :]


def _joined(parts: Sequence[str], shown: Sequence[str], masked: Sequence[str]) -> list[str]:
    """Return text masked and escape sequences as they were, those with text in them masked too."""
    out: list[str] = []
    for index, part in enumerate(parts):
        if index % 2 == 0:
            out.append(masked[index])
        else:
            out.append(_escape(part) if part.startswith(_CARRIES_TEXT) else part)
            out.append(masked[index].removeprefix(shown[index]))
    return out
