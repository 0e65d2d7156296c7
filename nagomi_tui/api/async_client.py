"""An anyio client of the orchestrator, for programs that do more than to wait for an answer.

Its verbs are those of the blocking client. Whoever uses it connects again by themselves when the
orchestrator has gone: what they had asked for may have been done or not.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread
import msgspec
from anyio.abc import ByteStream

from nagomi_tui.api import messages
from nagomi_tui.api.client import LATE, Gone, open_socket, result_in, understood
from nagomi_tui.system import sockets
from nagomi_tui.system.environment import env_of_text
from nagomi_worker.wire.framing import LineSplitter, LineTooLong

MOST_KEPT: Final = 4096
"""Pushed messages that are kept for whoever does not take them; the oldest ones go first."""
_MOST_ASKED: Final = 100
"""Requests that wait for their answers; others wait to be sent. The orchestrator takes 500."""
_MOST_UNSENT: Final = 16
"""Lines that wait to be written; whoever sends more waits."""

_GONE: Final = (anyio.BrokenResourceError, anyio.ClosedResourceError)

_Answered = TypeVar("_Answered")


@asynccontextmanager
async def connect(
    hello: messages.Hello | None = None, *, timeout: float = 10.0
) -> AsyncIterator[AsyncConnection]:
    """Connect and say hello, by default with this process's environment; disconnect in the end.

    Raises:
        NotServed: no orchestrator serves.
        PlaceError: another user could be listening in its place; nothing was said.
        TimeoutError: there was no welcome within `timeout` seconds.
        Gone: the orchestrator went away before it.
    """
    said = hello or messages.hello(env_of_text(os.environ))
    stream = await sockets.stream_of(await anyio.to_thread.run_sync(open_socket))
    async with stream, talk(stream, said, timeout) as connection:
        yield connection


@asynccontextmanager
async def talk(
    stream: ByteStream, hello: messages.Hello, timeout: float = 10.0
) -> AsyncIterator[AsyncConnection]:
    """Greet the orchestrator at the other end of a stream, and talk with it until the block ends.

    Raises:
        TimeoutError: there was no welcome within `timeout` seconds.
        Gone: the orchestrator went away before it.
    """
    connection = AsyncConnection(stream)
    try:
        async with sockets.background() as tasks:
            tasks.start_soon(connection.read)
            tasks.start_soon(connection.write)
            await connection.greet(hello, timeout)
            yield connection
    finally:
        connection.end()


class AsyncConnection:
    """A greeted connection; any number of tasks may ask at the same time."""

    welcome: messages.Welcome

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._lines, self._to_write = anyio.create_memory_object_stream[bytes](_MOST_UNSENT)
        self._ids = itertools.count(1)
        self._waiting: dict[int, _Answer] = {}
        self._asked = anyio.Semaphore(_MOST_ASKED)
        self._kept: dict[object, messages.ToClient] = {}
        self._came = anyio.Event()
        self._greeted = anyio.Event()
        self._ended = False
        self._reason = ""
        self.missed = 0
        """Pushed messages that were dropped because nobody took them."""

    async def send(self, message: messages.Message) -> None:
        """Send a message that has no answer.

        Raises:
            Gone: the orchestrator is not there any more.
        """
        try:
            await self._lines.send(messages.encode(message))
        except _GONE as exc:
            raise Gone(self._reason) from exc

    async def request(
        self, message: messages.Request[_Answered], *, timeout: float | None = None
    ) -> _Answered:
        """Send a request and return its result; its `id` is chosen here.

        Raises:
            RequestFailed: it was refused, with the sentence that says why.
            BadMessage: an orchestrator of another version answered what does not fit.
            TimeoutError: no answer came within `timeout` seconds.
            Gone: the orchestrator went away.
        """
        try:
            with anyio.fail_after(timeout):
                return result_in(message, await self._answer(message))
        except TimeoutError as exc:
            raise TimeoutError(LATE) from exc

    async def pushed(self, timeout: float | None = None) -> AsyncIterator[messages.ToClient]:
        """Yield what is pushed, until nothing has come for `timeout` seconds.

        Of what is told of one thing while nobody takes it, the newest is yielded.

        Raises:
            Gone: the orchestrator went away.
        """
        while True:
            while self._kept:
                yield self._kept.pop(next(iter(self._kept)))
            if self._ended:
                raise Gone(self._reason)
            if self._came.is_set():
                self._came = anyio.Event()
            with anyio.move_on_after(timeout) as waiting:
                await self._came.wait()
            if waiting.cancelled_caught:
                return

    # --- for those who connect

    async def greet(self, hello: messages.Hello, timeout: float) -> None:
        """Say hello and wait for the welcome."""
        try:
            with anyio.fail_after(timeout):
                await self.send(hello)
                await self._greeted.wait()
        except TimeoutError as exc:
            raise TimeoutError(LATE) from exc
        if self._ended and not hasattr(self, "welcome"):
            raise Gone(self._reason)

    async def read(self) -> None:
        """Take in what comes, until the orchestrator has gone."""
        splitter = LineSplitter(messages.LINE_LIMIT)
        with contextlib.suppress(*_GONE):
            async for data in self._stream:
                for line in splitter.feed(data):
                    if not isinstance(line, LineTooLong):
                        self._heard(line)
        self.end()

    async def write(self) -> None:
        """Write whole lines, one after the other: a request that is given up cuts none."""
        with self._to_write, contextlib.suppress(*_GONE):
            async for line in self._to_write:
                await self._stream.send(line)

    def end(self) -> None:
        """Wake everybody who waits: nothing will come any more."""
        self._ended = True
        self._lines.close()
        self._greeted.set()
        self._came.set()
        for answer in self._waiting.values():
            answer.came.set()

    # --- steps

    async def _answer(self, message: messages.Request[Any]) -> messages.Done | messages.Failed:
        async with self._asked:
            number, answer = next(self._ids), _Answer()
            self._waiting[number] = answer
            try:
                await self.send(msgspec.structs.replace(message, id=number))
                if not self._ended:
                    await answer.came.wait()
            finally:
                del self._waiting[number]
        if answer.message is None:
            raise Gone(self._reason)
        return answer.message

    def _heard(self, line: bytes) -> None:
        message = understood(line)
        if isinstance(message, messages.Done | messages.Failed):
            if (answer := self._waiting.get(message.id)) is not None:
                answer.message = message
                answer.came.set()
        elif isinstance(message, messages.Welcome):
            self.welcome = message
            self._greeted.set()
        elif message is not None:
            if isinstance(message, messages.Goodbye):
                self._reason = message.reason
            self._keep(message)

    def _keep(self, message: messages.ToClient) -> None:
        key = messages.newest_key(message) or object()
        self._kept.pop(key, None)
        self._kept[key] = message
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
            self.missed += 1
        self._came.set()


class _Answer:
    """The answer to one request, as soon as it has come; without a message the peer has gone."""

    def __init__(self) -> None:
        self.came = anyio.Event()
        self.message: messages.Done | messages.Failed | None = None
