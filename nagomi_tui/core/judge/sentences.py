"""The judge's fixed summaries: kept in English, and translated for whoever reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.core.judge.verdict import State
from nagomi_tui.core.session.condition import translatable

if TYPE_CHECKING:
    from collections.abc import Callable


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


def beside_state(summary: str) -> str:
    """Return what a session's summary tells beside its state: nothing if it is a fixed one."""
    return "" if summary in _FIXED else summary


def worded(summary: str, say: Callable[[str], str]) -> str:
    """Return a session's summary; `say` translates a fixed one, the words of programs stay."""
    return say(summary) if summary in _FIXED else summary
