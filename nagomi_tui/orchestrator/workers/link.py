"""The connection to one worker (手): messages from it and to it."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final, Protocol

import anyio

from nagomi_tui.core.session.session import LOCAL
from nagomi_tui.orchestrator.runtime.incoming import Incoming
from nagomi_tui.orchestrator.runtime.outgoing import Outgoing
from nagomi_tui.orchestrator.workers.output_batch import OutputBatch
from nagomi_tui.orchestrator.workers.parcels import Parcels
from nagomi_tui.orchestrator.workers.reader import WorkerReader
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from anyio.abc import SocketStream

    from nagomi_tui.orchestrator.workers.output_batch import WorkerMessage
    from nagomi_worker.wire.values import SessionState

_log = logging.getLogger(__name__)
INPUT_LIMIT: Final = 48 * 1024 * 1024
"""Unsent bytes above which no more input is accepted for this worker."""
_LOOKS: Final = "look"
_LOOK_SECONDS: Final = 3.0
_MOST_LOOKS: Final = 16


class Receiver(Protocol):
    """Receives the messages of workers."""

    def heard(self, link: WorkerLink, messages: list[WorkerMessage]) -> None:
        """Handle messages of the worker, in this order."""


class WorkerLink:
    """One worker, identified by its socket's name; with `raw` it may send output as bytes.

    `worker_id` is what its sessions have as their worker: `local`, or the name of a hand.
    """

    def __init__(
        self,
        name: str,
        stream: SocketStream,
        receiver: Receiver,
        *,
        raw: bool = True,
        worker_id: str = LOCAL,
    ) -> None:
        self.name = name
        self.worker_id = worker_id
        self.heard_at = time.monotonic()
        """When it last said something, on the monotonic clock."""
        self.pid = 0
        self.greeted = anyio.Event()
        """Set when the worker has said hello, or will send nothing more."""
        self.closed = False
        self.garbled = False
        """Whether it was closed because the start of the worker's next message was lost."""
        self.capabilities: frozenset[str] = frozenset()
        self.sessions: set[str] = set()
        """Ids of the sessions that the worker holds."""
        self._stream = stream
        self._receiver = receiver
        self._raw = raw
        self._slow = raw and worker_id != LOCAL
        """Whether the line may be slow: output is compressed, and the worker told what arrived."""
        self._received = 0
        self._reader = WorkerReader(name, raw=raw, packed=self._slow)
        self._out = Outgoing(stream)
        self.host: protocol.Host | None = None
        """What its machine said of itself last; None where it has not, as one of an older version."""
        self._folders: dict[str, tuple[anyio.Event, list[str]]] = {}
        """By what was typed: set when its folders are there."""
        self._parcels = Parcels(self._write)
        self._listed: anyio.Event | None = None
        self._listing: tuple[SessionState, ...] = ()

    def send(self, message: protocol.ToWorker) -> None:
        """Send a message; it is buffered while the worker does not read."""
        if self._slow and isinstance(message, protocol.Checkpoint):
            self._parcels.add(message)
        else:
            self._write(message)

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine."""
        return self.worker_id == LOCAL

    @property
    def resumes(self) -> bool:
        """Whether the line may break, and the worker can then take up where it was."""
        return self.worker_id != LOCAL and "resume" in self.capabilities

    @property
    def takes_input(self) -> bool:
        """Whether less than the limit waits to be sent, so that input is accepted."""
        return self._out.pending < INPUT_LIMIT

    async def run(self) -> None:
        """Read until the worker is gone."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._out.run)
            self._greet()
            await self._read()
            tasks.cancel_scope.cancel()
        await self._stream.aclose()
        self.closed = True
        self.greeted.set()

    async def list_sessions(self) -> tuple[SessionState, ...]:
        """Ask the worker what it holds.

        Raises:
            TimeoutError: it does not answer.
        """
        self._listed = anyio.Event()
        self.send(protocol.ListSessions())
        with anyio.fail_after(5.0):
            await self._listed.wait()
        return self._listing

    def ask_host(self) -> None:
        """Have it tell of its machine, if it can."""
        if _LOOKS in self.capabilities:
            self.send(protocol.AskHost())

    async def folders(self, path: str) -> tuple[str, ...]:
        """Return the folders there that begin so; none from a worker that does not answer in time."""
        if _LOOKS not in self.capabilities or len(self._folders) >= _MOST_LOOKS:
            return ()
        if path not in self._folders:
            self._folders[path] = (anyio.Event(), [])
            self.send(protocol.ListFolders(path=path))
        answered, found = self._folders[path]
        try:
            with anyio.move_on_after(_LOOK_SECONDS):
                await answered.wait()
        finally:
            self._folders.pop(path, None)
        return tuple(found)

    async def drain(self, *, patience: float = 1.0) -> None:
        """Wait until the worker has taken all that was sent."""
        await self._out.drain(patience=patience)

    def _greet(self) -> None:
        unable = {name for name, able in (("raw", self._raw), ("packed", self._slow)) if not able}
        able = [name for name in protocol.CAPABILITIES if name not in unable]
        self.send(protocol.Hello(version=protocol.VERSION, capabilities=tuple(able), pid=0))

    async def _read(self) -> None:
        try:
            await Incoming(self._stream, self._take).run()
        except protocol.StreamLost as exc:
            _log.error("worker %s: %s; it is connected anew, without `raw`", self.name, exc)
            self.garbled = True

    def _take(self, data: bytes) -> None:
        self.heard_at = time.monotonic()
        self._tell_received(len(data))
        messages = [
            message
            for message in self._reader.feed(data)
            if isinstance(message, OutputBatch) or not self._is_about_us(message)
        ]
        if messages:
            self._receiver.heard(self, messages)

    def _tell_received(self, size: int) -> None:
        """Tell the worker how much has arrived, by which it knows how slow the line is."""
        self._received += size
        if self._slow and "packed" in self.capabilities:
            self.send(protocol.Received(size=self._received))

    def _is_about_us(self, message: WorkerMessage) -> bool:
        """Handle a message that concerns the link itself; return whether it was one."""
        if isinstance(message, protocol.Hello):
            self.pid, self.capabilities = message.pid, frozenset(message.capabilities)
            self.greeted.set()
        elif isinstance(message, protocol.Sessions):
            self._listing = message.sessions
            if self._listed:
                self._listed.set()
        elif isinstance(message, protocol.Host):
            self.host = message
        elif isinstance(message, protocol.Folders):
            answered, found = self._folders.get(message.path, (anyio.Event(), []))
            found[:] = [one for one in message.folders if one.startswith(message.path)]
            answered.set()
        elif isinstance(message, protocol.Pong):
            self._parcels.go_on()
        else:
            return False
        return True

    def _write(self, message: protocol.ToWorker) -> None:
        self._out.write(protocol.encode(message))
