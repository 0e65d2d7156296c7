"""Messages on how a session stands and why, what it asks, and what the user makes of it."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from nagomi_tui.api.messages.base import Message, Request, Result
from nagomi_tui.api.messages.sessions import SessionNamed, WholeSession
from nagomi_tui.judge.questions import Choice, Question
from nagomi_tui.judge.verdict import Risk, Verdict
from nagomi_tui.judge.verdict import State as VerdictState
from nagomi_tui.sessions.session import Condition

# --- what is answered


class EvidenceDetail(Result, frozen=True, kw_only=True):
    """One piece of evidence."""

    source: str
    says: str
    age_s: float
    rule: str
    text: str


class Standing(Result, frozen=True, kw_only=True):
    """How a session stands and why, masked, in the client's words."""

    verdict: Verdict
    phase: Condition
    since: float
    """When it began to stand so, in seconds since the epoch."""
    age_s: float
    """For how long it has, in seconds."""
    rule: str
    meaning: tuple[str, ...]
    """What the rule means, in sentences."""
    evidence_detail: tuple[EvidenceDetail, ...]
    turn: int
    session: str
    name: str
    condition: Condition = Condition.IDLE
    """How the session stands, in one word, as in the list."""


class OpenStanding(SessionNamed, frozen=True, kw_only=True):
    """How a session stands and why, as in `Standing`, and what stands open on its screen."""

    verdict: Verdict
    phase: Condition
    since: float
    age_s: float
    rule: str
    meaning: tuple[str, ...]
    evidence_detail: tuple[EvidenceDetail, ...]
    turn: int
    session: str
    question: Question | None
    draft: str
    """What stands in the agent's own input."""
    condition: Condition = Condition.IDLE
    advice: Verdict | None = None
    """What the LLM judge has said of this turn; None if it was not asked, or gave no answer."""


class AnswerSent(Result, frozen=True, kw_only=True):
    """The choice that was sent."""

    choice: Choice
    by_line: bool
    """The program reads a line: the choice takes effect by Enter."""
    taken: bool
    """The question does not stand there any more as it did."""


class Acted(Result, frozen=True, kw_only=True):
    """The command that was run."""

    session_id: str
    risk: Risk
    new: bool
    """It runs in a new session."""


class Waiting(Result, frozen=True, kw_only=True):
    """The session that has waited longest for the user, if one does."""

    session: WholeSession | None


class Printed(Result, frozen=True, kw_only=True):
    """What a command prints, and its exit code."""

    text: str
    code: int


class Advised(SessionNamed, frozen=True, kw_only=True):
    """The LLM judge's verdict, or nagomi's own with the reason why there is none."""

    verdict: Verdict
    source: Literal["llm", "rules"]
    reason: str


class TraceStanding(SessionNamed, frozen=True, kw_only=True):
    """How the record of what a session's judge sees stands."""

    on: bool
    path: str
    seconds: float


# --- from a client


class Why(Request[Standing], frozen=True, kw_only=True, tag="why"):
    """Ask how a session stands and why."""

    session: str


class Asks(Request[OpenStanding], frozen=True, kw_only=True, tag="asks"):
    """Ask how a session stands, and what stands open on its screen."""

    session: str


class Answer(Request[AnswerSent], frozen=True, kw_only=True, tag="answer"):
    """Send exactly one choice, if this question still stands on the screen.

    That is its key, and Enter behind it where the program reads a line. While an answer is on its
    way, another one is refused. Without `question` the one that stands there now is meant.
    """

    session: str
    choice: str
    question: str = ""


class Act(Request[Acted], frozen=True, kw_only=True, tag="act"):
    """Run a next action: typed at the shell's prompt, or as a new session in the same folder.

    The risk is computed from the command; without `sure` all but a low one fail with the code
    `risky`.
    With a program in front it fails with the code `busy`, unless `anew` asks for a new session.
    """

    session: str
    command: str
    sure: bool = False
    anew: bool = False


class NextWaiting(Request[Waiting], frozen=True, kw_only=True, tag="next_waiting"):
    """Ask which session has waited longest for the user."""


class Print(Request[Printed], frozen=True, kw_only=True, tag="print"):
    """Ask for what a command prints, so that it need not load what puts that together."""

    command: Literal["ls", "next", "why"]
    session: str = ""
    json: bool = False
    width: int = 0
    """Columns of the terminal; 0 where it is none."""


class Correct(Request[SessionNamed], frozen=True, kw_only=True, tag="correct"):
    """The user says how the session stands; this is shown for the rest of the turn, and kept."""

    session: str
    state: VerdictState


class AskJudge(Request[Advised], frozen=True, kw_only=True, tag="ask_judge"):
    """Ask the LLM judge about a session (判定して, N-81), if the user has switched it on."""

    session: str


class Trace(Request[TraceStanding], frozen=True, kw_only=True, tag="trace"):
    """Switch the record of what a session's judge sees."""

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


JudgeFromClient: TypeAlias = (
    Why | Asks | Answer | Act | NextWaiting | Print | Correct | AskJudge | Trace | Hook
)
JudgeToClient: TypeAlias = TurnCompleted | Advice
