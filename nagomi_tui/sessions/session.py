"""A session (つくり) as everyone sees it, and the phase that its badge shows."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

LOCAL: Final = "local"
"""The worker of sessions that run on this machine."""
RESIDENT_AGENT: Final = ""
"""In place of a session: the resident agent calls."""
GUARD: Final = "NAGOMI_GUARD"
"""The variable by which whoever makes a session asks for its guard: `hook`, or `strict`."""


def translatable(word: str) -> str:
    """Return the word unchanged; it marks a key of the catalog, as in `nagomi_tui.text.words`."""
    return word


class State(StrEnum):
    """Whether the session's command runs."""

    STARTING = "starting"
    RUNNING = "running"
    EXITED = "exited"
    """The command ended; screen and history stay until the session is removed."""
    LOST = "lost"
    """Its worker has died, and the command with it."""
    SAVED = "saved"
    """Known from its record only (after a reboot); it can be restarted."""


class Condition(StrEnum):
    """How a session stands, with the word, shape and colour of its badge.

    While it runs this is its phase, one of the first seven: the first of these that holds is shown
    (N-45). Else it is how its command ended, and whose face a character shows for that. It is away
    while it runs on a hand that cannot be reached.
    """

    word: str
    """In English; front ends translate it."""
    shape: str
    """One cell."""
    color: str
    """The name of a variable of the theme."""
    _face: str

    ATTENTION = "attention", translatable("waits for you"), "◆", "accent"
    ERROR = "error", translatable("failed"), "▲", "error"
    SUCCESS = "success", translatable("done"), "✓", "success"
    RUNNING = "running", translatable("working"), "●", "primary"
    THINKING = "thinking", translatable("thinking"), "◐", "primary"
    LISTENING = "listening", translatable("typing"), "○", "secondary"
    IDLE = "idle", translatable("idle"), "·", "muted"
    STARTING = "starting", translatable("starting"), "◌", "muted", "IDLE"
    AWAY = "away", translatable("away"), "…", "muted", "IDLE"
    ENDED_WELL = "ended_well", translatable("ended"), "✓", "success", "SUCCESS"
    ENDED_EARLY = "ended_early", translatable("failed"), "▲", "error", "ERROR"
    STOPPED = "stopped", translatable("stopped"), "□", "muted", "IDLE"
    LOST = "lost", translatable("lost"), "△", "warning", "ERROR"
    SAVED = "saved", translatable("not running"), "□", "muted", "IDLE"

    def __new__(cls, value: str, word: str, shape: str, color: str, face: str = "") -> Condition:
        """Make a member from its line."""
        made = str.__new__(cls, value)
        made._value_ = value
        made.word, made.shape, made.color, made._face = word, shape, color, face
        return made

    @property
    def face(self) -> Condition:
        """The phase whose face and words a character has for it."""
        return Condition[self._face] if self._face else self

    @property
    def needs_user(self) -> bool:
        """Whether a session that was not seen yet needs its user for more than to look."""
        return self in NEEDS


PHASES: Final = tuple(one for one in Condition if one.face is one)
"""What a session that runs can be doing, by priority."""
AT_WORK: Final = frozenset({Condition.RUNNING, Condition.THINKING})
"""Phases in which a session does something by itself."""
NEEDS: Final = (Condition.ATTENTION, Condition.ERROR, Condition.ENDED_EARLY, Condition.LOST)


class GuardStanding(msgspec.Struct, frozen=True, kw_only=True):
    """How the guard of a session's project stands; sessions of one project share it."""

    mode: str = "discussion"
    """`discussion` or `implementation`."""
    done: int = 0
    """How many of the approved todos are done."""
    total: int = 0
    """How many todos are approved."""
    proposed: int = 0
    """How many todos the agent has proposed, while it waits for its user's approval."""
    protocol: str = ""
    """The piece of work with todos of its own that is under way, such as `task-creation`."""
    bypassed: bool = False
    """The user has switched the guard off for now: it lets everything pass."""


class LastTurn(msgspec.Struct, frozen=True, kw_only=True):
    """How the last turn of a session that was told ended (N-65 to N-67)."""

    turn: int
    state: str
    """Its verdict: `success`, `failure`, `attention` or `unknown`."""
    summary: str
    duration_ms: int | None = None
    """How long it took; None if its beginning is not known."""


class RequestStanding(msgspec.Struct, frozen=True, kw_only=True):
    """How a pull request, or a merge request, stands."""

    number: int
    state: str
    """`open`, `draft`, `merged` or `closed`."""
    checks: str = ""
    """`passed`, `failed` or `running`; empty if there are none, or nothing tells."""
    conflicts: bool = False
    """Whether it is known to conflict with its target."""


class WorktreeStanding(msgspec.Struct, frozen=True, kw_only=True):
    """How the git worktree stands that a session is in; the main one of a repository has none."""

    base: str = ""
    """What its branch has left, such as `main`."""
    ahead: int = 0
    """Commits that the base lacks."""
    behind: int = 0
    """Commits of the base that it lacks."""
    files: int = 0
    """Files that differ from the base, with those that are not committed or tracked."""
    added: int = 0
    removed: int = 0
    """Lines of these."""
    uncommitted: int = 0
    """Files of these that are not committed or tracked."""
    ports: dict[str, int] = {}
    """The ports that are its own, by the names of their variables."""
    meets: tuple[str, ...] = ()
    """Branches of other worktrees that change the same lines."""
    request: RequestStanding | None = None
    """Of its branch, where the user has set that it is asked for."""


class Session(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One session as front ends and commands see it. Times are seconds since the epoch."""

    session_id: str
    """UUID version 4 (N-58)."""
    number: int
    """The number that users type; it stays with the session until all are numbered anew."""
    name: str
    cmd: str
    cwd: str
    place: int = 0
    """Position on the screen: 1, 2, 3 …"""
    worker_id: str = LOCAL
    """`local`, or the name of the hand that it runs on."""
    away_since: float | None = None
    """Since when its hand cannot be reached, where it runs on; None while it can."""
    character_id: str = ""
    judge_profile: str = "generic"
    """The rules that the judge reads it by: those of the agent that was seen in it."""
    agent: str = ""
    """The agent that was named when it was made; see `agent_name`."""
    state: State = State.STARTING
    phase: Condition = Condition.IDLE
    """What it is doing, or how it ended: one of `PHASES`."""
    waits: bool = False
    """It needs the user, or has ended and the user has not seen it since."""
    secret: bool = False
    """It reads a password or the like without echo: what is typed must not be stored."""
    cmd_masked: bool = False
    """`cmd` comes from a record and lacks a secret that it had: it is never run like this."""
    cols: int = 120
    rows: int = 30
    size_kept: bool = False
    """The user has bound its size: it takes that of no view."""
    pid: int | None = None
    """Its first process on this machine; None where it does not run here."""
    exit_code: int | None = None
    signal: int | None = None
    summary: str = ""
    """One plain sentence on how it stands, for the tile and the digest."""
    turn: int = 0
    """Number of the turn under way, or of the one that ended last."""
    phase_since: float | None = None
    """Since when it is in this phase; None if unknown."""
    title: str = ""
    branch: str = ""
    """The git branch of `cwd`, or nothing."""
    worktree: WorktreeStanding | None = None
    """How its git worktree stands; None where it is in none, or in a main one."""
    last_turn: LastTurn | None = None
    """How its last turn ended; None before any has."""
    guard: GuardStanding | None = None
    """How the guard stands; None where nothing guards the session."""
    strict: bool = False
    """The kernel holds its project as the guard stands."""
    strict_fault: str = ""
    """Why it can write in strict mode all the same, in English; empty if all is as it should be."""
    guard_unheard: bool = False
    """No hook of its guard has told anything since its agent began: perhaps nothing guards it."""
    by_program: bool = False
    """Nothing proves that the user started its command, so that no phrase in its prompts counts."""
    engine: str = ""
    created_at: float = 0.0
    started_at: float | None = None
    ended_at: float | None = None
    last_output_at: float | None = None
    last_input_at: float | None = None
    folder: str = ""
    """Where its first process is now, if that has left `cwd`, as a shell does by `cd`."""

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine, so that its processes and files can be looked at."""
        return self.worker_id == LOCAL

    @property
    def here(self) -> str:
        """The folder that it is in now."""
        return self.folder or self.cwd

    @property
    def condition(self) -> Condition:
        """How it stands.

        The phase of an ended one tells whether that was a failure: it heeds who has ended it, and
        what its user has corrected.
        """
        if self.state is State.EXITED:
            quietly = Condition.ENDED_WELL if self.exit_code == 0 else Condition.STOPPED
            return _BY_ENDED_PHASE.get(self.phase, quietly)
        if self.state is State.LOST:
            if self.phase is Condition.ERROR:
                return Condition.LOST
            return _BY_ENDED_PHASE.get(self.phase, Condition.STOPPED)
        if self.away_since is not None and self.state is State.RUNNING:
            return Condition.AWAY
        return _BY_STATE.get(self.state, self.phase)

    @property
    def echo_is_predictable(self) -> bool:
        """Whether what is typed may be shown before it is echoed: it is far, and reads no secret."""
        reached = not self.is_local and self.away_since is None
        return reached and self.state is State.RUNNING and not self.secret

    @property
    def agent_name(self) -> str:
        """The agent that was named when it was made, or that the judge sees in it; else empty."""
        return self.agent or ("" if self.judge_profile in _NO_AGENTS else self.judge_profile)

    @property
    def is_unasked(self) -> bool:
        """Whether it rests and nothing was asked of it yet: an agent shows its banner and its box.

        Of an agent that a script or a shell has started the turn before was that command, which
        told nothing.
        """
        last = self.last_turn
        begun = self.turn == 1 and last is not None and last.state == "unknown" and not self.agent
        return self.phase is Condition.IDLE and (self.turn == 0 or begun)


_BY_STATE: Final = {State.STARTING: Condition.STARTING, State.SAVED: Condition.SAVED}
_BY_ENDED_PHASE: Final = {
    Condition.ATTENTION: Condition.ATTENTION,
    Condition.ERROR: Condition.ENDED_EARLY,
    Condition.SUCCESS: Condition.ENDED_WELL,
}
_NO_AGENTS: Final = frozenset({"generic", "shell", "template"})
"""Names of the rules for what is no agent; all others have a box to type in, which says nothing."""
_ENDED: Final = frozenset({State.EXITED, State.LOST, State.SAVED})


def has_ended(session: Session) -> bool:
    """Return whether the session's command runs no more."""
    return session.state in _ENDED
