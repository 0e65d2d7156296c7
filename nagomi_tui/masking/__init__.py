"""Masking: secret values become `***REDACTED***` before text is stored or leaves (N-86…N-93).

It works on rendered text. `Masker` goes along a stream line by line; `mask` and `mask_lines` take
a text that stands for itself. Names, separators, quotes and the number of lines are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from nagomi_tui.masking.blocks import (
    CLEAR,
    IN_BLOCK,
    MaskState,
    body_above,
    covered,
    ends,
    looks_like_key,
    orphaned,
)
from nagomi_tui.masking.line import Masker, mask_growing, mask_screen, mask_styled, may_grow
from nagomi_tui.masking.values import REDACTED

__all__ = [
    "CLEAR", "IN_BLOCK", "REDACTED", "MaskState", "Masker", "covered", "looks_like_key", "mask",
    "mask_growing", "mask_line", "mask_lines", "mask_screen", "mask_styled", "may_grow", "orphaned",
]  # fmt: skip


def mask_line(text: str) -> str:
    """Return one line masked, knowing nothing of the lines around it."""
    return Masker().line(text)


def mask_lines(texts: Sequence[str]) -> list[str]:
    """Return the lines of a whole text masked, as many as there were.

    The end of a private key without its beginning, as in a tail cut too early, masks what stands
    above it; a stream cannot do that, so a tail is cut from lines that are masked already.
    """
    masker = Masker()
    out: list[str] = []
    for index, text in enumerate(texts):
        within = masker.state.block > 0
        out.append(masker.line(text))
        masker.cover(out)
        if not within and ends(text):
            count = body_above(texts, index)
            out[index - count : index] = map(covered, texts[index - count : index])
    return out


def mask(text: str) -> str:
    """Return a text of any number of lines masked, with every line end at its place."""
    return "\n".join(mask_lines(text.split("\n")))
