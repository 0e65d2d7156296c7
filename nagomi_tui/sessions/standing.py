"""How a session stands, and the words and face for it, said once for all who tell of sessions."""

from __future__ import annotations

from enum import StrEnum
from signal import Signals
from typing import TYPE_CHECKING, Final

from nagomi_tui.sessions.session import Phase, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.sessions.session import Session


def translatable(word: str) -> str:
    """Return the word unchanged; it marks a key of the catalog, as in `nagomi_tui.text.words`."""
    return word


_KILLS: Final = frozenset(
    {"SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGSEGV", "SIGSYS", "SIGTERM", "SIGTRAP"}
)
"""Signals that end a command which did not ask for it; other codes above 128 are a program's own."""


class Condition(StrEnum):
    """How a session stands: its phase while it runs, else how its command ended.

    It is away while it runs on a hand that cannot be reached.
    """

    ATTENTION = "attention"
    ERROR = "error"
    SUCCESS = "success"
    RUNNING = "running"
    THINKING = "thinking"
    LISTENING = "listening"
    IDLE = "idle"
    STARTING = "starting"
    AWAY = "away"
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
    Condition.AWAY: translatable("away"),
    Condition.ENDED_WELL: translatable("ended"),
    Condition.ENDED_EARLY: translatable("ended early"),
    Condition.STOPPED: translatable("stopped"),
    Condition.LOST: translatable("lost"),
    Condition.SAVED: translatable("from before"),
}

HAS_ENDED: Final = translatable("It has ended.")

_BY_STATE: Final = {State.STARTING: Condition.STARTING, State.SAVED: Condition.SAVED}
_BY_ENDED_PHASE: Final = {
    Phase.ATTENTION: Condition.ATTENTION,
    Phase.ERROR: Condition.ENDED_EARLY,
    Phase.SUCCESS: Condition.ENDED_WELL,
}
_FACES: Final = {
    Condition.STARTING: Phase.IDLE,
    Condition.AWAY: Phase.IDLE,
    Condition.ENDED_WELL: Phase.SUCCESS,
    Condition.ENDED_EARLY: Phase.ERROR,
    Condition.STOPPED: Phase.IDLE,
    Condition.LOST: Phase.ERROR,
    Condition.SAVED: Phase.IDLE,
}
NEEDS: Final = (Condition.ATTENTION, Condition.ERROR, Condition.ENDED_EARLY, Condition.LOST)
"""Those in which a session that was not seen yet needs its user, who has more to do than to look."""


def of_phase(phase: Phase) -> Condition:
    """Return how a session that runs stands in a phase."""
    return Condition(phase.value)


def face_of(one: Condition) -> Phase:
    """Return the phase whose face and words a character has for a condition."""
    return _FACES.get(one) or Phase(one.value)


def condition(session: Session) -> Condition:
    """Return how a session stands.

    The phase of an ended one tells whether that was a failure: it heeds who has ended it, and what
    its user has corrected.
    """
    if session.state is State.EXITED:
        quietly = Condition.ENDED_WELL if session.exit_code == 0 else Condition.STOPPED
        return _BY_ENDED_PHASE.get(session.phase, quietly)
    if session.state is State.LOST:
        if session.phase is Phase.ERROR:
            return Condition.LOST
        return _BY_ENDED_PHASE.get(session.phase, Condition.STOPPED)
    if session.away_since is not None and session.state is State.RUNNING:
        return Condition.AWAY
    return _BY_STATE.get(session.state) or of_phase(session.phase)


def signal_name(number: int) -> str:
    """Return a signal's name, such as SIGSEGV; its number where this system has none for it."""
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"


def exit_words(code: int | None, signal: int | None) -> str:
    """Return what ended a command: the signal's name, or its exit code, as "SIGSEGV", "2".

    A shell tells of a signal by 128 and its number: 139 is "139, SIGSEGV".
    """
    if signal is not None:
        return signal_name(signal)
    name = signal_name(code - 128) if code is not None and code > 128 else ""
    return f"{code}, {name}" if name in _KILLS else str(code)


def _early_ending(session: Session, say: Callable[..., str]) -> str:
    """Return a sentence on what ended a session early; `say` translates it and puts values in."""
    told = exit_words(session.exit_code, session.signal)
    if session.signal is not None:
        return say(translatable("It ended early ({signal})."), signal=told)
    return say(translatable("It ended early (code {code})."), code=told)


def ending(session: Session, say: Callable[..., str]) -> str:
    """Return a plain sentence on how a session ended (N-139), or "" if there is none."""
    match condition(session):
        case Condition.LOST:
            return say(translatable("The worker stopped, and this session with it."))
        case Condition.AWAY:
            away = translatable("{worker} cannot be reached; it runs on there.")
            return say(away, worker=session.worker_id)
        case Condition.SAVED:
            return say(translatable("From before; it does not run now."))
        case Condition.ENDED_WELL:
            return say(HAS_ENDED)
        case Condition.STOPPED:
            return say(translatable("It was stopped."))
        case Condition.ENDED_EARLY:
            return _early_ending(session, say)
        case _:
            return ""


def needs_user(session: Session) -> bool:
    """Return whether a session waits for more than to be seen: it asks, or has failed."""
    return session.waits and condition(session) in NEEDS


def is_unseen(session: Session) -> bool:
    """Return whether its user has not looked at a session since it was done, or has failed."""
    return session.waits and condition(session) is not Condition.ATTENTION
