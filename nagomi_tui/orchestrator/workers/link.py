"""The connection to one worker: its messages and output in, orders and checkpoints out.

Output comes as `output`, in JSON, or as `raw`, in bytes behind a line; both become an `OutputBatch`.

What a worker tells of a fault may be a finished English sentence, of an older worker, or anybody's
words, of one on a hand: it is masked, and translated only where it fits its own sentence.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

import anyio
from anyio.abc import SocketStream
from msgspec import structs

from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.runtime.socket_io import Incoming, Outgoing
from nagomi_tui.sessions.session import LOCAL
from nagomi_tui.text.words import Said, names_only
from nagomi_worker.wire import protocol
from nagomi_worker.wire.framing import LINE_LIMIT, LineSplitter, LineTooLong
from nagomi_worker.wire.messages import SessionState
from nagomi_worker.wire.slow_line import Unpacker


class OutputBatch(NamedTuple):
    """Consecutive chunks; `offset` is the position after the last one, or None if not told."""

    session_id: str
    data: bytes
    sizes: tuple[int, ...]
    """Sizes in bytes of the chunks in `data`."""
    offset: int | None

    def pieces(self, most: int) -> list[OutputBatch]:
        """Return this output as batches of at most `most` chunks."""
        if len(self.sizes) <= most:
            return [self]
        ends = list(accumulate(self.sizes, initial=0))
        edges = [*ends[:-1:most], ends[-1]]
        before = (self.offset or 0) - ends[-1]
        return [
            OutputBatch(
                self.session_id, self.data[start:end], self.sizes[at : at + most], before + end
            )
            for at, start, end in zip(range(0, len(ends), most), edges, edges[1:], strict=False)
        ]


WorkerMessage: TypeAlias = (
    OutputBatch | protocol.Phase | protocol.Exit | protocol.Error
    | protocol.Hello | protocol.Checkpoint | protocol.Pong | protocol.Started
    | protocol.Held | protocol.Sessions | protocol.Attached | protocol.Typed | protocol.Resized
    | protocol.Hook | protocol.Asked | protocol.Located
    | protocol.Host | protocol.Folders
)  # fmt: skip
"""A message of a worker, with its output as bytes."""


def of_output(message: protocol.Output) -> OutputBatch:
    """Return the one chunk of an `output`."""
    data = message.chunk.encode("utf-8", "replace")
    return OutputBatch(message.session_id, data, (len(data),), message.offset)


_log = logging.getLogger(__name__)


class WorkerReader:
    """Decodes one worker's stream; a line that is no message is logged and skipped.

    `raw` tells that we asked for output as bytes, and `packed` that for messages that are compressed.
    A worker that was not asked sends lines only, so that the start of a message is never lost.
    """

    def __init__(self, name: str, *, raw: bool = True, packed: bool = False) -> None:
        self._name = name
        self._raw = raw
        self._unpacker = Unpacker() if packed else None
        self._lines = LineSplitter(LINE_LIMIT)
        self._head: protocol.Raw | protocol.Packed | None = None
        self._pieces: list[memoryview] = []
        self._missing = 0
        """Bytes after `_head` that have not been read yet."""

    def feed(self, data: bytes) -> list[WorkerMessage]:
        """Return the messages that `data` completes.

        Raises:
            StreamLost: it is not known where the next message begins.
        """
        messages: list[WorkerMessage] = []
        view, at = memoryview(data), 0
        while at < len(data):
            if self._head is not None:
                at += self._take_bytes(self._head, view[at : at + self._missing], messages)
            else:
                end = data.find(b"\n", at) + 1 or len(data)
                for line in self._lines.feed(data[at:end]):
                    self._take_line(line, messages)
                at = end
        return messages

    def _take_bytes(
        self, head: protocol.Raw | protocol.Packed, piece: memoryview, messages: list[WorkerMessage]
    ) -> int:
        self._pieces.append(piece)
        self._missing -= len(piece)
        if not self._missing:
            pieces, self._pieces, self._head = self._pieces, [], None
            if isinstance(head, protocol.Packed):
                messages += self._unpacked(head, pieces)
            else:
                data = b"".join(pieces)
                messages.append(OutputBatch(head.session_id, data, head.sizes, head.offset))
        return len(piece)

    def _unpacked(self, head: protocol.Packed, pieces: Sequence[memoryview]) -> list[WorkerMessage]:
        assert self._unpacker is not None
        try:
            whole = self._unpacker.unpack(head, b"".join(pieces))
        except ValueError as exc:
            raise protocol.StreamLost(str(exc)) from exc
        # None is inside of another, so that nobody has us unpack without end.
        unpacker, self._unpacker = self._unpacker, None
        messages = self.feed(whole)
        self._unpacker = unpacker
        return messages

    def _take_line(self, line: bytes | LineTooLong, messages: list[WorkerMessage]) -> None:
        message = self._decoded(line)
        if isinstance(message, protocol.Output):
            messages.append(of_output(message))
        elif isinstance(message, protocol.Raw):
            self._head, self._missing = message, sum(message.sizes)
        elif isinstance(message, protocol.Packed):
            self._head, self._missing = message, message.size
        elif message is not None:
            messages.append(message)

    def _decoded(self, line: bytes | LineTooLong) -> protocol.FromWorker | None:
        try:
            if isinstance(line, LineTooLong):
                raise line
            message = protocol.decode_from_worker(line)
            if isinstance(message, protocol.Raw) and not self._raw:
                raise protocol.BadMessage("a `raw` message that was not asked for")
            if isinstance(message, protocol.Packed) and self._unpacker is None:
                raise protocol.BadMessage("a `packed` message that was not asked for")
        except (LineTooLong, protocol.BadMessage) as exc:
            if self._raw and isinstance(exc, protocol.StreamLost):
                raise
            _log.warning("worker %s: %s", self._name, exc)
            return None
        return message


PIECE: Final = 4 * 1024
"""Characters of a checkpoint that are on their way at a time."""
MOST: Final = 2 * 1024 * 1024
"""Characters that wait, beyond which checkpoints are left out: without them a replay is longer."""


class Parcels:
    """The checkpoints of one connection, in their order; the next piece waits for a `pong`."""

    def __init__(self, send: Callable[[protocol.ToWorker], None]) -> None:
        self._send = send
        self._pieces: deque[protocol.Checkpoint] = deque()
        self._waiting = 0
        self._awaited = False
        self._skipping = False

    def add(self, message: protocol.Checkpoint) -> None:
        """Send a checkpoint, or one part of a longer one, or leave all of it out."""
        # What has begun is sent to its end: a part alone is of no use.
        if not (self._pieces and self._pieces[-1].more):
            self._skipping = self._skipping or self._waiting > MOST
        if self._skipping:
            self._skipping = message.more
            return
        for at in range(0, max(1, len(message.data)), PIECE):
            data = message.data[at : at + PIECE]
            more = message.more or at + PIECE < len(message.data)
            self._pieces.append(structs.replace(message, data=data, more=more))
        self._waiting += len(message.data)
        if not self._awaited:
            self.go_on()

    def go_on(self) -> None:
        """Send the next piece: the worker has what was sent before."""
        self._awaited = bool(self._pieces)
        if self._pieces:
            piece = self._pieces.popleft()
            self._waiting -= len(piece.data)
            self._send(piece)
            self._send(protocol.Ping())


INPUT_LIMIT: Final = 48 * 1024 * 1024
"""Unsent bytes above which no more input is accepted for this worker."""
_LOOKS: Final = "look"
_LOOK_SECONDS: Final = 3.0
_MOST_LOOKS: Final = 16


Heard: TypeAlias = "Callable[[WorkerLink, list[WorkerMessage]], None]"
"""Handles messages of a worker, in this order."""


@dataclass(eq=False)
class WorkerLink:
    """One worker, identified by its socket's name; with `raw` it may send output as bytes.

    `worker_id` is what its sessions have as their worker: `local`, or the name of a hand.
    """

    name: str
    stream: SocketStream
    heard: Heard
    _: KW_ONLY
    raw: bool = True
    worker_id: str = LOCAL

    def __post_init__(self) -> None:
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
        self._slow = self.raw and self.worker_id != LOCAL
        """Whether the line may be slow: output is compressed, and the worker told what arrived."""
        self._received = 0
        self._reader = WorkerReader(self.name, raw=self.raw, packed=self._slow)
        self._out = Outgoing(self.stream)
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
        await self.stream.aclose()
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
        unable = {name for name, able in (("raw", self.raw), ("packed", self._slow)) if not able}
        able = [name for name in protocol.CAPABILITIES if name not in unable]
        self.send(protocol.Hello(version=protocol.VERSION, capabilities=tuple(able), pid=0))

    async def _read(self) -> None:
        try:
            await Incoming(self.stream, self._take).run()
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
            self.heard(self, messages)

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


def told_fault(message: str, sentence: str, values: Mapping[str, str] | None) -> Said:
    """Return a worker's `message` with secrets masked, translatable where `sentence` allows it.

    It does where it has plain placeholders only, and gives the same message with `values` in them.
    """
    masked = mask(message)
    given = {name: mask(value) for name, value in (values or {}).items()}
    if names_only(sentence, given) and sentence.format(**given) == masked:
        return Said(sentence, given)
    return Said("{fault}", {"fault": masked})
