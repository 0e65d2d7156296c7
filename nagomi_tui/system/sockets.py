"""What anyio lacks: sockets over Unix sockets or loopback ports, and a task group beside a block.

`nagomi_worker/wire/loopback.py` tells how both sides of a port prove who they are.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import anyio
import anyio.lowlevel
import anyio.to_thread
from anyio.abc import SocketAttribute, SocketListener, SocketStream, TaskGroup, UNIXSocketStream

from nagomi_worker.wire import loopback, transport, trust

_RECEIVE_BYTES: Final = 65536
_ADMIT_SECONDS: Final = 2.0


async def listen(path: Path) -> SocketListener:
    """Listen at a path that only this user can reach; what was there is replaced.

    Raises:
        OSError: nothing can be made there.
    """
    if transport.by_loopback():
        return _Listener(loopback.Listener(path))
    _free(path)
    return await anyio.create_unix_listener(path, mode=0o600)


def _free(path: Path) -> None:
    path.unlink(missing_ok=True)


async def admit(stream: SocketStream, place: str) -> None:
    """Let a client in that was just accepted at `place`.

    Raises:
        Untrusted: it is a process of another user, or does not prove that it is none in time.
        OSError: it has gone.
    """
    if not isinstance(stream, _Stream) or stream.gate is None:
        trust.check_peer(stream.extra(SocketAttribute.raw_socket), place)
        return
    with anyio.move_on_after(_ADMIT_SECONDS):
        if await stream.admitted(stream.gate):
            return
    raise trust.Untrusted("peer", place, -1)


async def connect(path: str) -> SocketStream:
    """Return a connection to a process of this user that listens at `path`.

    Raises:
        Untrusted: the folders or the process belong to another user.
        OSError: nobody listens there.
    """
    if transport.by_loopback():
        return _Stream(await anyio.to_thread.run_sync(transport.connect_to, path))
    trust.check_place(path)
    stream = await anyio.connect_unix(path)
    try:
        trust.check_peer(stream.extra(SocketAttribute.raw_socket), path)
    except OSError:
        await stream.aclose()
        raise
    return stream


async def stream_of(connection: socket.socket) -> SocketStream:
    """Return a stream over a socket that is connected: one of ours, or half of a pair."""
    if connection.family == getattr(socket, "AF_UNIX", None):
        return await UNIXSocketStream.from_socket(connection)
    return _Stream(connection)


class _Listener(SocketListener):
    """A loopback port."""

    def __init__(self, listener: loopback.Listener) -> None:
        self._listener = listener

    @property
    def _raw_socket(self) -> socket.socket:
        return self._listener.socket

    async def accept(self) -> SocketStream:
        while True:
            try:
                accepted, _ = self._raw_socket.accept()
            except BlockingIOError:
                await anyio.wait_readable(self._raw_socket)
            except OSError as exc:
                if self._raw_socket.fileno() < 0:
                    raise anyio.ClosedResourceError from exc
                raise anyio.BrokenResourceError from exc
            else:
                return _Stream(accepted, self._listener.gate())

    async def aclose(self) -> None:
        await _close(self._raw_socket)


class _Stream(SocketStream):
    """A connection by its socket alone: no transport reads ahead of whoever takes the socket."""

    def __init__(self, connection: socket.socket, gate: loopback.Gate | None = None) -> None:
        if connection.family == socket.AF_INET:
            loopback.settle(connection)
        connection.setblocking(False)
        self._socket = connection
        self.gate = gate
        """What the client has still to pass."""

    @property
    def _raw_socket(self) -> socket.socket:
        return self._socket

    async def admitted(self, gate: loopback.Gate) -> bool:
        """Tell whether the client has passed the gate, once that is known.

        Raises:
            OSError: it has gone.
        """
        while True:
            with contextlib.suppress(BlockingIOError):
                let_in = gate.step(self._socket)
                if let_in is not None:
                    self.gate = None
                    return let_in
            await anyio.wait_readable(self._socket)

    async def receive(self, max_bytes: int = _RECEIVE_BYTES) -> bytes:
        await anyio.lowlevel.checkpoint()
        while True:
            try:
                data = self._socket.recv(max_bytes)
            except BlockingIOError:
                await anyio.wait_readable(self._socket)
            except OSError as exc:
                raise self._fault() from exc
            else:
                if not data:
                    raise anyio.EndOfStream
                return data

    async def send(self, item: bytes) -> None:
        await anyio.lowlevel.checkpoint()
        left = memoryview(item)
        while left:
            try:
                left = left[self._socket.send(left) :]
            except BlockingIOError:
                await anyio.wait_writable(self._socket)
            except OSError as exc:
                raise self._fault() from exc

    async def send_eof(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    async def aclose(self) -> None:
        await _close(self._socket)

    def _fault(self) -> Exception:
        gone = self._socket.fileno() < 0
        return anyio.ClosedResourceError() if gone else anyio.BrokenResourceError()


async def _close(one: socket.socket) -> None:
    """Close a socket; whoever waits for it hears of that."""
    if one.fileno() >= 0:
        anyio.notify_closing(one)
        one.close()
    await anyio.lowlevel.checkpoint()


@asynccontextmanager
async def background() -> AsyncIterator[TaskGroup]:
    """Run tasks until the block ends, which cancels them.

    What the block raises is raised once they have ended, so that it comes as it is and in no group.
    """
    fault = None
    async with anyio.create_task_group() as tasks:
        try:
            yield tasks
        except Exception as exc:
            fault = exc
        tasks.cancel_scope.cancel()
    if fault is not None:
        raise fault
