"""A session as the orchestrator holds it, and the run that a restart replaces."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import anyio
import msgspec

from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.sessions.branch import Branch
from nagomi_tui.orchestrator.sessions.ledger import Ledger
from nagomi_tui.orchestrator.sessions.plain_run import PlainRun
from nagomi_tui.orchestrator.sessions.store import Record
from nagomi_tui.orchestrator.terminals.screens import FALLBACK
from nagomi_tui.orchestrator.workers.link import OutputBatch
from nagomi_tui.sessions.names import propose, unique
from nagomi_tui.sessions.session import Session, State, has_ended
from nagomi_tui.system.decoding import from_json
from nagomi_tui.terminal.cuts import LineEditing
from nagomi_tui.text.rows import ScreenEvent
from nagomi_worker.runtime.limits import HOT_SECONDS
from nagomi_worker.wire import protocol
from nagomi_worker.wire.protocol import SendInput

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from nagomi_tui.agents.resume import Conversation
    from nagomi_tui.api import messages
    from nagomi_tui.judge import verdict
    from nagomi_tui.judge.senses.processes import Sample
    from nagomi_tui.judge.verdict import Advice
    from nagomi_tui.orchestrator.terminals.screens import Screen, ScreenMaker
    from nagomi_tui.orchestrator.workers.link import WorkerLink, WorkerMessage
    from nagomi_tui.text.words import Said
    from nagomi_worker.wire.messages import SessionState

    TurnListener = Callable[["FinishedTurn"], None]

MOST_PARTS: Final = 64
"""Pieces of texts whose names are remembered."""


class Inputs:
    """Numbers the input of a session, and keeps what may have been lost with a line."""

    def __init__(self) -> None:
        self._number = 0
        self._unsure: deque[SendInput] = deque()
        self.parts: deque[str] = deque(maxlen=MOST_PARTS)
        """Names of the pieces of texts that were typed already, of those that a client may send again."""

    @property
    def unsure(self) -> Iterable[SendInput]:
        """What must be sent again over a new line."""
        return tuple(self._unsure)

    def kept(self, session_id: str, text: str, part: str) -> SendInput:
        """Return the order to type this, which is kept until it was taken."""
        self._number += 1
        order = SendInput(session_id=session_id, text=text, number=self._number, part=part)
        self._unsure.append(order)
        return order

    def taken(self, number: int) -> None:
        """Note that the worker has taken the input up to this number."""
        self._number = max(self._number, number)
        while self._unsure and (self._unsure[0].number or 0) <= number:
            self._unsure.popleft()


class Replay(msgspec.Struct):
    """A terminal that is being rebuilt; nothing that it says is answered or rings."""

    attached: protocol.Attached
    parts: list[str]
    """The parts of the snapshot received so far, in base64."""
    replies: list[tuple[int, bytes]]
    """Answers to queries that are not answered yet, with the offsets of these queries."""
    marks: tuple[ScreenEvent, ...] = ()
    """The last marks by which a shell told of its commands (OSC 133)."""


class Run:
    """The state of one run. All of it is read for each piece of output, so these are plain fields.

    Times whose names end in `_at` are seconds since the epoch.
    """

    def __init__(self) -> None:
        self.worker = ""
        """Name of the worker that holds it, also while that is not connected."""
        self.link: WorkerLink | None = None
        self.screen: Screen | None = None
        self.agent_pid = 0
        """Process id of the agent whose hooks count; 0 if there is none."""
        self.agent_folder = ""
        """Where that agent was when its hook told something first; empty if it has no guard."""
        self.heard: bool | None = None
        """Whether the guard's hook of that agent has told anything; None where that is not known."""
        self.distrusted = False
        """Whether the native engine has crashed or hung with it: it gets pyte from now on."""
        self.snapshot_distrusted = False
        """Whether that was while restoring a checkpoint: the next rebuild does without."""

        self.backlog: deque[WorkerMessage] = deque()
        """What its worker said and nobody has taken in yet; `take_first` and `drop_backlog` shorten it."""
        self.waiting = 0
        """Bytes of output in the backlog."""
        self.plain = PlainRun()
        """Which end of the backlog is plain text."""
        self.ahead = False
        """Whether more of its output is read than is drawn at once."""
        self.together = 1
        """Most chunks of output that are applied at once."""
        self.editing = LineEditing()
        """Where its program reads lines, by which its output is cut."""
        self.tail = b""
        """Its last output, where that may be the beginning of a sequence that erases."""
        self.lent = True
        """Whether another program than its shell was last seen in the foreground, or may have been."""
        self.in_front: Sample | None = None
        """What was last seen in the foreground."""
        self.replay: Replay | None = None
        """The replay under way; None if its terminal is not being rebuilt."""
        self.rebuilt = anyio.Event()
        """Set when its screen is restored, or cannot be."""
        self.settled = anyio.Event()
        """Set when the worker has started the command, or has said why it cannot."""
        self.start_fault: Said | None = None
        """Why it could not be started; None if nothing was wrong so far."""
        self.strict_fault: Said | None = None
        """Why its project can be written in strict mode all the same; None if all is as it should be."""
        self.ended = anyio.Event()
        """Set when nothing of its process tree is left."""

        self.offset = 0
        """Bytes of its output that were fed to the terminal since it began."""
        self.acked = 0
        """Bytes of these that were acknowledged to the worker."""
        self.unsaved = 0
        """Bytes of output since the last checkpoint."""
        self.ledger = Ledger()
        self.light: protocol.Checkpoint | None = None
        """The last light checkpoint, to be sent again when an older one can be the base."""
        self.packing = False
        """Whether another thread reads its terminal for a checkpoint."""

        self.stopped = False
        """Whether the user has ended it."""
        self.ended_with_worker = False
        """Whether its worker has ended it, which nobody here had asked to."""
        self.corrected: verdict.State | None = None
        """The state that the user has given after its end."""
        self.typed_at: float | None = None
        """When something was last typed."""
        self.composed_at: float | None = None
        """When something was last typed behind which no Enter was pressed yet."""
        self.output_at = 0.0
        """When it last printed."""
        self.called_at: float | None = None
        """When it last rang, unless Enter was pressed since."""
        self.noticed_at: float | None = None
        """When it last sent a notice, unless Enter was pressed since."""
        self.notice = ""
        """What that notice says, plain and masked."""
        self.seen_at = 0.0
        """When a user last looked at it."""
        self.hot_until = 0.0
        """Until when its output is handled first, on the monotonic clock."""
        self.inputs = Inputs()
        """What was typed on a line that may break."""
        self.typed_text = ""
        """What was typed last, so that its echo is not taken for output."""
        self.turn_line = 0
        """Number of the line that the cursor stood on when it was typed."""
        self.noted: object = None
        """The note that its worker keeps of it."""
        self.asked_size: tuple[int, int] | None = None
        """Columns and rows that its worker was asked for last."""
        self.rest_seconds: float | None = None
        """How long its worker was told to rest between reads."""

    def take_first(self) -> None:
        """Take the first message out of the backlog."""
        message = self.backlog.popleft()
        if isinstance(message, OutputBatch):
            self.waiting -= len(message.data)
        self.plain.taken()

    def drop_backlog(self) -> None:
        """Throw away what nobody has taken in yet."""
        self.backlog.clear()
        self.waiting, self.plain = 0, PlainRun()

    @property
    def hot(self) -> bool:
        """Whether it was typed into a moment ago."""
        return time.monotonic() < self.hot_until

    def warm(self) -> None:
        """Note that it was typed into just now: its output is handled first for a moment."""
        self.hot_until = time.monotonic() + HOT_SECONDS


_TIMES: Final = (
    "away_since", "phase_since", "created_at", "started_at", "ended_at", "last_output_at",
    "last_input_at",
)  # fmt: skip
_NOTED: Final = (
    "session_id", "number", "name", "cmd", "cmd_masked", "cwd", "agent", "character_id",
    "judge_profile", "created_at", "started_at", "by_program",
)  # fmt: skip


UNSEEN_SECONDS: Final = 0.25
"""Seconds between reads of a session that prints little and that nobody sees."""


class SessionRuntime:
    """One session. `info` is what others see; it is replaced, never changed.

    `run` is replaced when the command is started again.
    """

    def __init__(self, info: Session) -> None:
        self.info = info
        self.run = Run()
        self.listed = False
        """Whether it is on the list; one that is not is not published."""
        self.env_names: tuple[str, ...] = ()
        """Names of the variables that were added to the environment of its creator."""
        self.strict = False
        """Whether the kernel is to hold its project."""
        self.guarded = False
        """Whether its agent is given the guard's hooks at each start."""
        self.rest_seconds = UNSEEN_SECONDS
        """Least seconds between reads while it prints little: as often as it is drawn."""
        self.branch: Branch | None = None
        self.advice: Advice | None = None
        """What the LLM judge has said of it last."""
        self.conversation: Conversation | None = None
        """The conversation of its agent, as told by the agent's hooks; None if none was."""
        self.readers = 0
        """How many callers read its lines; no output is applied meanwhile."""
        self.searches = 0
        """How many callers wait for a line: each one must be drawn."""
        self.watchers: list[anyio.Event] = []
        """Set, once each, when there is output or the session ends."""
        self.typed_by = 0
        """Identity of the requester that typed last; 0 for none in particular."""

    @property
    def session_id(self) -> str:
        """UUID of the session."""
        return self.info.session_id

    @property
    def running(self) -> bool:
        """Whether its command runs, or is being started."""
        return not has_ended(self.info)

    def record(self) -> Record:
        """Return what is stored on disk."""
        return Record(
            session=self.info,
            env_names=self.env_names,
            seen_at=self.run.seen_at,
            stopped=self.run.stopped,
            corrected=self.run.corrected,
            advice=self.advice,
            worker=self.run.worker,
            conversation=self.conversation,
            strict=self.strict,
            guarded=self.guarded,
        )

    def tell_worker(self) -> None:
        """Tell the worker what it does not know yet: the session's note, and how it is to rest."""
        self._note_at_worker()
        self._rest_at_worker()

    def _note_at_worker(self) -> None:
        """Have the worker keep name, folder and command, in case that our records are lost."""
        run, info = self.run, self.info
        if run.link is None or info.state is State.STARTING:
            return
        kept = {name: getattr(info, name) for name in _NOTED}
        noted = (kept, self.env_names, self.conversation, self.strict, self.guarded)
        if noted != run.noted:
            run.noted = noted
            record = Record(
                session=Session(**kept),
                env_names=self.env_names,
                conversation=self.conversation,
                strict=self.strict,
                guarded=self.guarded,
            )
            note = msgspec.json.encode(record).decode()
            run.link.send(protocol.Note(session_id=info.session_id, text=note))

    def pace(self, seconds: float) -> None:
        """Have the worker read it each `seconds` only while it prints little."""
        self.rest_seconds = seconds
        self._rest_at_worker()

    def _rest_at_worker(self) -> None:
        run = self.run
        if run.link is None or self.info.state is not State.RUNNING:
            return
        if run.rest_seconds != self.rest_seconds and "rest" in run.link.capabilities:
            run.rest_seconds = self.rest_seconds
            run.link.send(protocol.Rest(session_id=self.session_id, seconds=self.rest_seconds))

    def screen(self, screens: ScreenMaker) -> Screen:
        """Return its terminal; a new one if it has none."""
        run = self.run
        if run.screen is None:
            engine = FALLBACK if run.distrusted else ""
            run.screen = screens.new(self.session_id, self.info.cols, self.info.rows, engine=engine)
            self.change(engine=run.screen.version)
        return run.screen

    def reply(self, replies: bytes, offset: int) -> None:
        """Send the terminal's replies to queries in the output before `offset` to the program."""
        if self.run.link is not None and self.running:
            text = replies.decode("utf-8", "replace")
            self.run.link.send(
                protocol.SendInput(session_id=self.session_id, text=text, reply_offset=offset)
            )

    def change(self, **values: Any) -> bool:
        """Replace fields of `info`; return whether any has changed."""
        before = self.info
        self.info = msgspec.structs.replace(before, **values)
        return self.info != before

    def move_times(self, seconds: float) -> None:
        """Have all times of day go along with a clock that was set by so many seconds."""
        run = self.run
        for name in ("typed_at", "composed_at", "called_at", "noticed_at", "output_at", "seen_at"):
            if at := getattr(run, name):
                setattr(run, name, at + seconds)
        told = {name: getattr(self.info, name) for name in _TIMES}
        self.change(**{name: at + seconds for name, at in told.items() if at})
        self.wake_watchers()

    def wake_watchers(self) -> None:
        """Wake all who wait for output or the end."""
        watchers, self.watchers = self.watchers, []
        for watcher in watchers:
            watcher.set()

    def begin_anew(self) -> None:
        """Forget everything of the last run of its command."""
        if self.run.screen:
            self.run.screen.close()
        self.run = Run()
        self.run.heard = False


def from_record(record: Record) -> SessionRuntime:
    """Return the session of a record."""
    session = SessionRuntime(record.session)
    session.env_names, session.conversation = record.env_names, record.conversation
    session.run.worker, session.run.seen_at = record.worker, record.seen_at
    session.run.stopped, session.strict = record.stopped, record.strict
    session.guarded = record.guarded
    session.run.corrected, session.advice = record.corrected, record.advice
    return session


def from_note(state: SessionState, taken: Collection[str]) -> SessionRuntime:
    """Return a session that a worker holds and no record tells of, by what was noted there.

    Where that cannot be read, its command tells the name; names in `taken` are given already.
    """
    try:
        session = from_record(from_json(state.note, Record))
        session.change(session_id=state.session_id, name=unique(session.info.name, taken))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        name = propose(cwd="", cmd=mask(state.cmd), session_id=state.session_id, taken=taken)
        session = SessionRuntime(
            Session(
                session_id=state.session_id, number=0, name=name, cmd="", cwd="/",
                created_at=time.time(),
            )
        )  # fmt: skip
    session.branch = Branch(session.info.here)
    return session


class FinishedTurn(NamedTuple):
    """A finished turn: `told` in every language, `done` in that of the workplace."""

    session: SessionRuntime
    told: Mapping[str, messages.TurnCompleted]
    done: messages.TurnCompleted
    began: float | None
    """When the turn began, in seconds since the epoch; None if that is not known."""
