"""How a session stands and why; what it asks; what the user makes of it."""

from __future__ import annotations

from typing import Any, Literal

from nagomi_tui.api.messages.base import Message, Request
from nagomi_tui.core.judge.verdict import State as VerdictState
from nagomi_tui.core.judge.verdict import Verdict

# --- from a client


class Why(Request, frozen=True, kw_only=True, tag="why"):
    """Ask how a session stands and why.

    `done.result` is `{"verdict": Verdict, "phase": …, "since": epoch seconds, "age_s": …,
    "rule": …, "meaning": [sentence, …], "evidence_detail": [{"source", "says", "age_s", "rule",
    "text"}, …], "turn": …, "session": id, "name": …}`, all of it masked, in the client's words.
    """

    session: str


class Asks(Request, frozen=True, kw_only=True, tag="asks"):
    """Ask how a session stands, and what stands open on its screen.

    `done.result` is that of `Why` with `"question": Question | null` and `"draft": str`.
    """

    session: str


class Answer(Request, frozen=True, kw_only=True, tag="answer"):
    """Send exactly one choice, if this question still stands on the screen.

    That is its key, and Enter behind it where the program reads a line. While an answer is on its
    way, another one is refused. Without `question` the one that stands there now is meant. `done.result` is `{"choice": …,
    "by_line": bool, "taken": bool}`: `taken` is false where the question still stands as before.
    """

    session: str
    choice: str
    question: str = ""


class Act(Request, frozen=True, kw_only=True, tag="act"):
    """Run a next action: typed at the shell's prompt, or as a new session in the same folder.

    The risk is computed from the command; without `sure` all but a low one fail with the code
    `risky`.
    With a program in front it fails with the code `busy`, unless `anew` asks for a new session.
    `done.result` is `{"session_id": …, "risk": …, "new": bool}`.
    """

    session: str
    command: str
    sure: bool = False
    anew: bool = False


class NextWaiting(Request, frozen=True, kw_only=True, tag="next_waiting"):
    """Ask which session has waited longest for the user; `done.result["session"]` may be null."""


class Correct(Request, frozen=True, kw_only=True, tag="correct"):
    """The user says how the session stands; this is shown for the rest of the turn, and kept."""

    session: str
    state: VerdictState


class AskJudge(Request, frozen=True, kw_only=True, tag="ask_judge"):
    """Ask the LLM judge about a session (判定して, N-81), if the user has switched it on.

    `done.result` is `{"verdict": …, "source": "llm"|"rules", "reason": …}`: with `rules` it gave
    none, `reason` says why, and the verdict is nagomi's own.
    """

    session: str


class Trace(Request, frozen=True, kw_only=True, tag="trace"):
    """Switch the record of what a session's judge sees; `done.result` tells how it stands.

    It is `{"on": bool, "path": str, "seconds": float}`.
    """

    session: str
    action: Literal["on", "off", "status"] = "status"


class Hook(Message, frozen=True, kw_only=True, tag="hook"):
    """An event of the agent in a session, from the program that its hooks run.

    It comes on a connection of its own, without a hello, and is not answered.
    """

    session: str
    agent: str
    payload: dict[str, Any]
    """What the agent told its hook, as far as `nagomi_tui/event.py` hands it on."""
    at: float
    """Seconds since the epoch."""
    pid: int = 0
    """The agent's process, or 0."""


# --- to a client


class TurnCompleted(Message, frozen=True, kw_only=True, tag="turn_completed"):
    """A turn has come to its end, or stands still because it needs the user (N-68…N-71, N-85)."""

    session: str
    turn: int
    at: float
    verdict: Verdict
    quiet: bool = False
    """The user ended it, by Ctrl-C or by stopping the session: nothing calls (NB-18)."""


class Advice(Message, frozen=True, kw_only=True, tag="advice"):
    """What the LLM judge says of a turn. It changes no state; its words are to be marked as such."""

    session: str
    turn: int
    at: float
    verdict: Verdict
