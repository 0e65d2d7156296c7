"""One run of a session's command: what a restart of the command throws away."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

import anyio
import msgspec

from nagomi_tui.orchestrator.sessions.ledger import Ledger
from nagomi_worker.runtime.limits import HOT_SECONDS
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.terminals.screens import Screen
    from nagomi_tui.orchestrator.workers.link import WorkerLink
    from nagomi_tui.orchestrator.workers.output_batch import WorkerMessage


class Replay(msgspec.Struct):
    """A terminal that is being rebuilt; nothing that it says is answered or rings."""

    attached: protocol.Attached
    parts: list[str]
    """The snapshot, in base64, as far as it has come."""
    replies: list[tuple[int, bytes]]
    """Answers to queries that nobody has answered, with the offsets that asked."""


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
        """The agent whose hooks are listened to."""
        self.distrusted = False
        """Its native terminal has crashed or hung: pyte from now on."""
        self.snapshot_distrusted = False
        """It did so while a checkpoint was restored: the next rebuild does without."""

        self.backlog: deque[WorkerMessage] = deque()
        self.together = 1
        """How many chunks of output are taken in at once."""
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
        """How many of them the worker knows of."""
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
        """When it last printed."""
        self.called_at: float | None = None
        """When it last rang or notified, unless Enter was pressed since."""
        self.seen_at = 0.0
        """When a user last looked at it."""
        self.hot_until = 0.0
        """When it stops being served first, on the monotonic clock."""
        self.typed_text = ""
        """What was typed last, so that its echo is not taken for output."""
        self.turn_line = 0
        """Number of the line that the cursor stood on when it was typed."""
        self.noted: object = None
        """What its worker keeps of it."""

    @property
    def hot(self) -> bool:
        """It was typed into a moment ago."""
        return time.monotonic() < self.hot_until

    def warm(self) -> None:
        """It was typed into just now: it is served first for a moment."""
        self.hot_until = time.monotonic() + HOT_SECONDS
