"""One session as the orchestrator holds it while it runs: the shared state of its parts."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

import anyio
import msgspec

from nagomi_tui.core.session.session import Session, State
from nagomi_tui.orchestrator.sessions.ledger import Ledger
from nagomi_tui.orchestrator.sessions.records import Record
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from nagomi_tui.core.session.conversation import Conversation
    from nagomi_tui.orchestrator.sessions.git import Branch
    from nagomi_tui.orchestrator.terminals.screens import Screen
    from nagomi_tui.orchestrator.workers.link import WorkerLink
    from nagomi_tui.orchestrator.workers.output_batch import WorkerMessage

HOT_SECONDS: Final = 0.25
"""A session that got input so lately is served first."""
_KEPT: Final = (
    "info", "listed", "env_names", "branch", "conversation", "watchers", "typed_by", "readers",
)  # fmt: skip
"""What a session that is started again keeps of its last run."""
_NOTED: Final = (
    "session_id", "number", "name", "cmd", "cmd_masked", "cwd", "agent", "character_id",
    "judge_profile", "created_at", "started_at",
)  # fmt: skip


class Replay(msgspec.Struct):
    """A session that is being rebuilt; nothing that it says is answered or rings."""

    attached: protocol.Attached
    parts: list[str]
    """The snapshot, in base64, as far as it has come."""
    replies: list[tuple[int, bytes]]
    """Answers to queries that nobody has answered, with the offsets that asked."""


class Live:
    """One session. `info` is what others see; it is replaced, never changed.

    Times whose names end in `_at` are seconds since the epoch.
    """

    def __init__(self, info: Session) -> None:
        self.info = info
        self.listed = False
        """It is on the list; of one that is not, nobody is told."""
        self.env_names: tuple[str, ...] = ()
        """Names of the variables that it was created with beside its client's."""
        self.worker = ""
        """Name of the worker that holds it, also while that is not connected."""
        self.link: WorkerLink | None = None
        self.screen: Screen | None = None
        self.branch: Branch | None = None
        self.conversation: Conversation | None = None
        """Its agent's, as the agent's hooks told."""
        self.agent_pid = 0
        """The agent whose hooks are listened to."""
        self.distrusted = False
        """Its native terminal has crashed or hung: pyte from now on."""
        self.snapshot_distrusted = False
        """It did so while a checkpoint was restored: the next rebuild does without."""

        self.backlog: deque[WorkerMessage] = deque()
        self.together = 1
        """So many chunks of output are taken in at once."""
        self.readers = 0
        """How many read its lines now; nothing is taken in for it meanwhile."""
        self.replay: Replay | None = None
        """What was rebuilt of it so far; None while nothing is to be."""
        self.rebuilt = anyio.Event()
        """Its screen is there again, or will not be."""
        self.settled = anyio.Event()
        """The worker has started the command, or has said why it cannot."""
        self.start_fault = ""
        """Why it could not be started, in the worker's words."""
        self.ended = anyio.Event()
        """Nothing of its process tree is left."""

        self.offset = 0
        """Bytes of its output that the terminal was fed with, since it began."""
        self.acked = 0
        """So many of them the worker knows of."""
        self.unsaved = 0
        """Bytes since the last checkpoint."""
        self.ledger = Ledger()
        self.light: protocol.Checkpoint | None = None
        """The last light checkpoint, to be sent again when an older one can be the base."""
        self.packing = False
        """Another thread reads its terminal for a checkpoint."""

        self.stopped = False
        """The user has ended it."""
        self.typed_at: float | None = None
        """When something was last typed."""
        self.composed_at: float | None = None
        """When something was last typed behind which no Enter was pressed yet."""
        self.output_at = 0.0
        self.called_at: float | None = None
        """When it last rang or notified, unless Enter was pressed since."""
        self.seen_at = 0.0
        """When a user last looked at it."""
        self.hot_until = 0.0
        """On the monotonic clock."""
        self.typed_text = ""
        """What was typed last, so that its echo is not taken for output."""
        self.turn_line = 0
        """Number of the line that the cursor stood on when it was typed."""

        self._noted: object = None
        """What its worker keeps of it."""
        self.watchers: list[anyio.Event] = []
        """Set, once each, when there is output or the session ends."""
        self.typed_by = 0
        """Identity of the requester that typed last; 0 where nobody in particular has."""

    @property
    def session_id(self) -> str:
        """UUID of the session."""
        return self.info.session_id

    @property
    def running(self) -> bool:
        """Its command runs, or is being started."""
        return self.info.state in (State.RUNNING, State.STARTING)

    @property
    def hot(self) -> bool:
        """It was typed into a moment ago."""
        return time.monotonic() < self.hot_until

    def record(self) -> Record:
        """What is kept on disk."""
        return Record(
            session=self.info,
            env_names=self.env_names,
            seen_at=self.seen_at,
            stopped=self.stopped,
            worker=self.worker,
            conversation=self.conversation,
        )

    def note_at_worker(self) -> None:
        """Have the worker keep what cannot be seen there, for the day on which our records are gone."""
        if self.link is None or self.info.state is State.STARTING:
            return
        info = self.info
        kept = {name: getattr(info, name) for name in _NOTED}
        noted = (kept, self.env_names, self.conversation)
        if noted != self._noted:
            self._noted = noted
            record = Record(
                session=Session(**kept), env_names=self.env_names, conversation=self.conversation
            )
            note = msgspec.json.encode(record).decode()
            self.link.send(protocol.Note(session_id=info.session_id, text=note))

    def change(self, **values: Any) -> bool:
        """Replace fields of `info`; tell whether any is different now."""
        before = self.info
        self.info = msgspec.structs.replace(before, **values)
        return self.info != before

    def wake_watchers(self) -> None:
        """Wake everybody who waits for output or the end."""
        watchers, self.watchers = self.watchers, []
        for watcher in watchers:
            watcher.set()

    def begin_anew(self) -> None:
        """Forget everything of the last run of its command."""
        if self.screen:
            self.screen.close()
        fresh = Live(self.info)
        for name, value in vars(fresh).items():
            if name not in _KEPT:
                setattr(self, name, value)


def from_record(record: Record) -> Live:
    """Return the session of a record."""
    live = Live(record.session)
    live.env_names, live.worker = record.env_names, record.worker
    live.seen_at, live.stopped = record.seen_at, record.stopped
    live.conversation = record.conversation
    return live
