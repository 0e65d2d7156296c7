"""One run of a session's command: what a restart of the command throws away."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

import anyio
import msgspec

from nagomi_tui.core.text.screen import ScreenEvent
from nagomi_tui.orchestrator.sessions.inputs import Inputs
from nagomi_tui.orchestrator.sessions.ledger import Ledger
from nagomi_tui.orchestrator.sessions.plain_run import PlainRun
from nagomi_tui.orchestrator.workers.output_batch import OutputBatch
from nagomi_worker.runtime.limits import HOT_SECONDS
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from nagomi_tui.core.judge.verdict import State as Judged
    from nagomi_tui.orchestrator.terminals.screens import Screen
    from nagomi_tui.orchestrator.workers.link import WorkerLink
    from nagomi_tui.orchestrator.workers.output_batch import WorkerMessage
    from nagomi_tui.words import Said


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
        self.tail = b""
        """Its last output, where that may be the beginning of a sequence that erases."""
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
        self.corrected: Judged | None = None
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
