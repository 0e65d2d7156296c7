"""The words for how a session stands, said once: badges, lists and explanations take them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.session.session import Phase, State

if TYPE_CHECKING:
    from nagomi_tui.core.session.session import Session


def translatable(word: str) -> str:
    """Return the word unchanged; it marks a key of the catalog, as in `nagomi_tui.words`."""
    return word


class Condition(StrEnum):
    """How a session stands: its phase while it runs, else how its command ended."""

    ATTENTION = "attention"
    ERROR = "error"
    SUCCESS = "success"
    RUNNING = "running"
    THINKING = "thinking"
    LISTENING = "listening"
    IDLE = "idle"
    STARTING = "starting"
    ENDED_WELL = "ended_well"
    ENDED_EARLY = "ended_early"
    STOPPED = "stopped"
    LOST = "lost"
    SAVED = "saved"


WORDS: Final = {
    Condition.ATTENTION: translatable("waits for you"),
    Condition.ERROR: translatable("stumbled"),
    Condition.SUCCESS: translatable("done"),
    Condition.RUNNING: translatable("working"),
    Condition.THINKING: translatable("thinking"),
    Condition.LISTENING: translatable("listening"),
    Condition.IDLE: translatable("resting"),
    Condition.STARTING: translatable("starting"),
    Condition.ENDED_WELL: translatable("ended"),
    Condition.ENDED_EARLY: translatable("ended early"),
    Condition.STOPPED: translatable("stopped"),
    Condition.LOST: translatable("lost"),
    Condition.SAVED: translatable("from before"),
}

_BY_STATE: Final = {
    State.STARTING: Condition.STARTING,
    State.LOST: Condition.LOST,
    State.SAVED: Condition.SAVED,
}


def of_phase(phase: Phase) -> Condition:
    """Return how a session that runs stands in a phase."""
    return Condition(phase.value)


def condition(session: Session) -> Condition:
    """Return how a session stands."""
    if session.state is State.EXITED:
        return _ended(session)
    return _BY_STATE.get(session.state) or of_phase(session.phase)


def _ended(session: Session) -> Condition:
    if session.exit_code == 0:
        return Condition.ENDED_WELL
    if session.signal is not None or session.exit_code is None:
        return Condition.STOPPED
    return Condition.ENDED_EARLY
