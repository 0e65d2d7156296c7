"""The judge's verdict on a session as a value, its states, and its fixed sentences.

Which one a session gets is decided in `resolver.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final

import msgspec

from nagomi_tui.sessions.session import Condition, Session, has_ended, translatable
from nagomi_tui.sessions.standing import HAS_ENDED, ending

SUMMARY_LIMIT: Final = 120
EVIDENCE_LIMIT: Final = 3


class State(StrEnum):
    """The six states of N-85."""

    SUCCESS = "success"
    FAILURE = "failure"
    ATTENTION = "attention"
    RUNNING = "running"
    THINKING = "thinking"
    UNKNOWN = "unknown"
    """At rest: nothing is going on, and nothing is known to have ended well or badly."""

    @property
    def condition(self) -> Condition:
        """The phase that it shows as (X-18)."""
        return _PHASES[self]

    @classmethod
    def of(cls, phase: Condition) -> State:
        """Return the state that shows as a phase; typing is no state of the session."""
        return next((state for state in cls if state.condition is phase), cls.UNKNOWN)


class Risk(StrEnum):
    """How much a command may change or destroy."""

    LOW = "low"
    MID = "mid"
    HIGH = "high"


CTRL_C: Final = 130
"""The one exit code other than 0 that is no failure: an end by Ctrl-C (N-74, NB-18)."""

ASK_JUDGE: Final = "判定して"
"""A text that the user sends to ask the LLM judge; it is not typed into a session (N-81)."""

BUSY: Final = frozenset({State.RUNNING, State.THINKING})
OVER: Final = frozenset({State.SUCCESS, State.FAILURE})

_PHASES: Final = {
    State.SUCCESS: Condition.SUCCESS,
    State.FAILURE: Condition.ERROR,
    State.ATTENTION: Condition.ATTENTION,
    State.RUNNING: Condition.RUNNING,
    State.THINKING: Condition.THINKING,
    State.UNKNOWN: Condition.IDLE,
}


class NextAction(msgspec.Struct, frozen=True):
    """A step that the user may take by hand; `risk` is computed from the command (NB-20)."""

    title: str
    command: str
    risk: Risk


class Verdict(msgspec.Struct, frozen=True):
    """The judge's common output, exactly the JSON of N-85."""

    state: State
    confidence: float
    summary: str
    evidence: tuple[str, ...] = ()
    next_actions: tuple[NextAction, ...] = ()


class Advice(msgspec.Struct, frozen=True):
    """What the LLM judge has said of a turn (N-80); it counts until that is over."""

    turn: int
    verdict: Verdict


def shorten(text: str, limit: int = SUMMARY_LIMIT) -> str:
    """Return at most `limit` characters; an ellipsis says that the end is missing (N-51)."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


SENTENCES: Final = {
    State.SUCCESS: translatable("It is done."),
    State.FAILURE: translatable("It has failed."),
    State.ATTENTION: translatable("It waits for you."),
    State.RUNNING: translatable("It is working."),
    State.THINKING: translatable("It is thinking."),
    State.UNKNOWN: translatable("Nothing is going on."),
}
"""Used if the output holds no better words (N-79); they tell a state by the word of its badge."""

PARKED: Final = translatable("parked until {time}")
"""Of an agent that has hit a limit, and goes on by itself."""

FAILED_QUIETLY: Final = "!"
"""Begins a summary beside a state of work: a program printed a failure, and is quiet since."""
RETRIES: Final = "↻"
"""Begins one: an agent tries again and again."""

FIXED: Final = frozenset({*SENTENCES.values(), HAS_ENDED})


def beside_state(summary: str) -> str:
    """Return what a session's summary tells beside its state: nothing if it is a fixed one."""
    return "" if summary in FIXED else summary


def translated_summary(summary: str, say: Callable[[str], str]) -> str:
    """Return a session's summary; `say` translates a fixed one, the words of programs stay."""
    return say(summary) if summary in FIXED else summary


def fixed(state: State, session: Session | None, say: Callable[..., str]) -> str:
    """Return the sentence on this state; of a session that has ended, the end is told as such."""
    if session is None or not has_ended(session):
        return say(SENTENCES[state])
    judged = msgspec.structs.replace(session, phase=state.condition)
    return ending(judged, say) or say(SENTENCES[state])
