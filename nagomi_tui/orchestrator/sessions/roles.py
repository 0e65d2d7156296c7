"""A session as parts of the orchestrator see it that need a few of its fields.

Each role adds to the one before: what may be published of a session, read, judged, typed, shown,
and done with its command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sized

    import anyio

    from nagomi_tui.core.judge.verdict import Advice
    from nagomi_tui.core.judge.verdict import State as Judged
    from nagomi_tui.core.session.conversation import Conversation
    from nagomi_tui.core.session.session import Session
    from nagomi_tui.orchestrator.sessions.inputs import Inputs
    from nagomi_tui.orchestrator.sessions.records import Record
    from nagomi_tui.orchestrator.terminals.readable import ReadableScreen
    from nagomi_tui.orchestrator.terminals.screens import Screen
    from nagomi_tui.orchestrator.workers.link import WorkerLink
    from nagomi_tui.words import Said


class Named(Protocol):
    """A session that is only identified."""

    @property
    def session_id(self) -> str:
        """UUID of the session."""

    @property
    def info(self) -> Session:
        """What others see of it."""


class Listed(Named, Protocol):
    """A session that is kept and published."""

    advice: Advice | None
    """What the LLM judge has said of it last."""

    @property
    def listed(self) -> bool:
        """Whether it is on the list; one that is not is not published."""

    @property
    def running(self) -> bool:
        """Whether its command runs, or is being started."""

    def change(self, **values: Any) -> bool:
        """Replace fields of `info`; return whether any has changed."""

    def record(self) -> Record:
        """Return what is stored on disk."""

    def tell_worker(self) -> None:
        """Have the worker keep a note of name, folder and command, and read as often as needed."""


class ReadableRun(Protocol):
    """The output of a run, as far as it was applied to its terminal."""

    @property
    def screen(self) -> ReadableScreen | None:
        """Its terminal."""

    @property
    def rebuilt(self) -> anyio.Event:
        """Set when its screen is restored, or cannot be."""

    @property
    def replay(self) -> object | None:
        """The part of its terminal that was rebuilt so far; None if none is to be."""

    @property
    def ended(self) -> anyio.Event:
        """Set when nothing of its process tree is left."""

    @property
    def backlog(self) -> Sized:
        """What its worker said and nobody has taken in yet."""

    @property
    def offset(self) -> int:
        """Bytes of its output that were fed to the terminal since it began."""

    @property
    def output_at(self) -> float:
        """When it last printed, in seconds since the epoch."""


class Readable(Listed, Protocol):
    """A session whose lines are read."""

    @property
    def run(self) -> ReadableRun:
        """The run under way, or the last one."""


class JudgeableRun(ReadableRun, Protocol):
    """The user's input in a run, and what the user has seen; times are seconds since the epoch."""

    composed_at: float | None
    """When something was last typed behind which no Enter was pressed yet."""
    called_at: float | None
    """When it last rang, unless Enter was pressed since."""
    noticed_at: float | None
    """When it last sent a notice, unless Enter was pressed since."""
    notice: str
    """What that notice says, plain and masked."""
    typed_at: float | None
    """When something was last typed."""
    typed_text: str
    """What was typed last, so that its echo is not taken for output."""
    seen_at: float
    """When a user last looked at it."""

    stopped: bool
    """The user has ended it."""
    corrected: Judged | None
    """The state that the user has given after its end."""

    @property
    def rest_seconds(self) -> float | None:
        """How long its worker was told to rest between reads; None if it was told nothing."""


class Judgeable(Readable, Protocol):
    """A session that a judge follows."""

    @property
    def run(self) -> JudgeableRun:
        """The run under way, or the last one."""

    def wake_watchers(self) -> None:
        """Wake everybody who waits for output, another phase, or the end."""


class TypableRun(JudgeableRun, Protocol):
    """A run that can be typed into."""

    turn_line: int
    """Number of the line that the cursor stood on when it was typed."""

    @property
    def inputs(self) -> Inputs:
        """What was typed on a line that may break."""

    @property
    def link(self) -> WorkerLink | None:
        """Its worker, while that is connected."""

    @property
    def hot(self) -> bool:
        """Whether it was typed into a moment ago."""

    def warm(self) -> None:
        """Note that it was typed into just now: its output is handled first for a moment."""


class Typable(Judgeable, Protocol):
    """A session that can be typed into."""

    typed_by: int
    """Identity of the requester that typed last; 0 for none in particular."""

    @property
    def run(self) -> TypableRun:
        """The run under way, or the last one."""


class ShownRun(TypableRun, Protocol):
    """A run whose terminal is shown."""

    unsaved: int
    """Bytes since the last checkpoint."""
    asked_size: tuple[int, int] | None
    """Columns and rows that its worker was asked for last; None if it was asked for none."""

    @property
    def screen(self) -> Screen | None:
        """Its terminal."""

    @property
    def packing(self) -> bool:
        """Whether another thread reads its terminal for a checkpoint."""


class Shown(Typable, Protocol):
    """A session that front ends show, and whose size they set."""

    def pace(self, seconds: float) -> None:
        """Have the worker read it each `seconds` only while it prints little."""

    @property
    def run(self) -> ShownRun:
        """The run under way, or the last one."""


class ManagedRun(ShownRun, Protocol):
    """A run from the order to its worker until its end."""

    link: WorkerLink | None
    """Its worker, while that is connected."""
    worker: str
    """Name of the worker that holds it, also while that is not connected; else empty."""
    screen: Screen | None
    """Its terminal; None while it has none."""
    rebuilt: anyio.Event
    """Set when its screen is there again, or will not be."""
    replay: Any
    """What was rebuilt of its terminal so far; None while nothing is to be."""
    start_fault: Said | None
    """Why its command could not be started; None if nothing was wrong so far."""
    strict_fault: Said | None
    """Why its project can be written in strict mode all the same; None if all is as it should be."""
    stopped: bool
    """The user has ended it."""
    ended_with_worker: bool
    """Its worker has ended it, which nobody here had asked to."""
    output_at: float
    """When it last printed, in seconds since the epoch."""
    offset: int
    """Bytes of its output that were fed to the terminal since it began."""

    @property
    def settled(self) -> anyio.Event:
        """Set when the worker has started the command, or has said why it cannot."""

    def drop_backlog(self) -> None:
        """Throw away what its worker said and nobody has taken in yet."""


class Managed(Shown, Protocol):
    """A session whose command is started, stopped, started again, and found again."""

    info: Session
    """What others see of it; it is replaced, never changed."""
    conversation: Conversation | None
    """Its agent's, as the agent's hooks told; None where none did."""
    strict: bool
    """The kernel is to hold its project."""
    guarded: bool
    """Its agent is given the guard's hooks at each start."""

    @property
    def run(self) -> ManagedRun:
        """The run under way, or the last one."""

    def begin_anew(self) -> None:
        """Forget everything of the last run of its command."""
