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
from nagomi_tui.orchestrator.workers.reader import WorkerReader
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from anyio.abc import SocketStream

    from nagomi_tui.orchestrator.workers.output_batch import WorkerMessage
    from nagomi_worker.wire.values import SessionState

_log = logging.getLogger(__name__)
INPUT_LIMIT: Final = 48 * 1024 * 1024
"""Unsent bytes above which no more input is accepted for this worker."""


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
        self._reader = WorkerReader(name, raw=raw)
        self._out = Outgoing(stream)
        self._listed: anyio.Event | None = None
        self._listing: tuple[SessionState, ...] = ()

    def send(self, message: protocol.ToWorker) -> None:
        """Send a message; it is buffered while the worker does not read."""
        self._out.write(protocol.encode(message))

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

    async def drain(self, *, patience: float = 1.0) -> None:
        """Wait until the worker has taken all that was sent."""
        await self._out.drain(patience=patience)

    def _greet(self) -> None:
        able = [name for name in protocol.CAPABILITIES if self._raw or name != "raw"]
        self.send(protocol.Hello(version=protocol.VERSION, capabilities=tuple(able), pid=0))

    async def _read(self) -> None:
        try:
            await Incoming(self._stream, self._take).run()
        except protocol.StreamLost as exc:
            _log.error("worker %s: %s; it is connected anew, without `raw`", self.name, exc)
            self.garbled = True

    def _take(self, data: bytes) -> None:
        self.heard_at = time.monotonic()
        messages = [
            message
            for message in self._reader.feed(data)
            if isinstance(message, OutputBatch) or not self._is_about_us(message)
        ]
        if messages:
            self._receiver.heard(self, messages)

    def _is_about_us(self, message: WorkerMessage) -> bool:
        """Handle a message that concerns the link itself; return whether it was one."""
        if isinstance(message, protocol.Hello):
            self.pid, self.capabilities = message.pid, frozenset(message.capabilities)
            self.greeted.set()
        elif isinstance(message, protocol.Sessions):
            self._listing = message.sessions
            if self._listed:
                self._listed.set()
        else:
            return isinstance(message, protocol.Pong)
        return True
