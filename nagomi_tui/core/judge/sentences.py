"""The judge's fixed summaries: kept in English, and translated for whoever reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.judge.verdict import State, phase_of
from nagomi_tui.core.session.condition import HAS_ENDED, ending, translatable
from nagomi_tui.core.session.session import has_ended

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.core.session.session import Session

SENTENCES: Final = {
    State.SUCCESS: translatable("It is done."),
    State.FAILURE: translatable("It stumbled."),
    State.ATTENTION: translatable("It waits for you."),
    State.RUNNING: translatable("It is working."),
    State.THINKING: translatable("It is thinking."),
    State.UNKNOWN: translatable("Nothing is going on."),
}
"""Used if the output holds no better words (N-79); they tell a state by the word of its badge."""

PARKED: Final = translatable("parked until {time}")
"""Of an agent that has hit a limit, and goes on by itself."""

FIXED: Final = frozenset({*SENTENCES.values(), HAS_ENDED})


def beside_state(summary: str) -> str:
    """Return what a session's summary tells beside its state: nothing if it is a fixed one."""
    return "" if summary in FIXED else summary


def worded(summary: str, say: Callable[[str], str]) -> str:
    """Return a session's summary; `say` translates a fixed one, the words of programs stay."""
    return say(summary) if summary in FIXED else summary


def fixed(state: State, session: Session | None, say: Callable[..., str]) -> str:
    """Return the sentence on this state; of a session that has ended, the end is told as such."""
    if session is None or not has_ended(session):
        return say(SENTENCES[state])
    judged = msgspec.structs.replace(session, phase=phase_of(state))
    return ending(judged, say) or say(SENTENCES[state])
