"""The judge's fixed summaries: kept in English, and translated for whoever reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.core.judge.verdict import State

if TYPE_CHECKING:
    from collections.abc import Callable


def translatable(sentence: str) -> str:
    """Return the sentence unchanged; it marks a key of the catalog, as in `nagomi_tui.words`."""
    return sentence


SENTENCES: Final = {
    State.SUCCESS: translatable("It has finished."),
    State.FAILURE: translatable("It did not work out."),
    State.ATTENTION: translatable("It is waiting for you."),
    State.RUNNING: translatable("It is working."),
    State.THINKING: translatable("It is thinking."),
    State.UNKNOWN: translatable("Nothing is going on."),
}
"""Used if the output holds no better words (N-79)."""

_FIXED: Final = frozenset(SENTENCES.values())


def is_fixed(summary: str) -> bool:
    """Return whether a summary is one of these, which tell no more than the state."""
    return summary in _FIXED


def worded(summary: str, say: Callable[[str], str]) -> str:
    """Return a session's summary; `say` translates a fixed one, the words of programs stay."""
    return say(summary) if is_fixed(summary) else summary
