"""A conversation in the agent's process, used over the agent's socket."""

from __future__ import annotations

import contextlib
import itertools
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final, TypeAlias, TypeVar

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from nagomi_tui import __version__
from nagomi_tui.agent.talk import wire
from nagomi_tui.agent.talk.events import (
    Choice,
    Greeted,
    Reply,
    Status,
    TalkFault,
    TurnEnded,
    TurnEvent,
)
from nagomi_tui.system import paths, sockets
from nagomi_tui.text.words import of, translatable
from nagomi_worker.wire import transport, trust

ANSWER_SECONDS: Final = 60.0
"""The longest wait for the answer to an order that runs no turn."""
GREET_SECONDS: Final = 10.0
RESTART_SECONDS: Final = 20.0
_PAUSE: Final = 0.1
_CANCEL_SECONDS: Final = 5.0
_MOST_UNTAKEN: Final = 1000
_AGENT_GONE: Final = translatable(
    "The agent has gone; it is started again by the next message. What was said is kept."
)
_SILENT: Final = translatable("The agent does not answer.")
_OTHER: Final = translatable(
    "The agent is of another version; `nagomi reload` goes over to the installed one."
)
_Heard: TypeAlias = MemoryObjectReceiveStream[wire.ToClient]
_Answer = TypeVar("_Answer", bound=wire.Message)


@asynccontextmanager
async def connect(
    place: str = "",
    *,
    language: str = "",
    env: Mapping[str, str] | None = None,
    sessions_env: Mapping[str, str] | None = None,
) -> AsyncIterator[RemoteAgent]:
    """Connect to the agent, and disconnect at the end of the block.

    `place` is the path of its socket, by default that of this workplace. `env` may hold the model's
    key, and `sessions_env` is the environment of sessions started over this connection.

    Raises:
        TalkFault: the agent does not run or answer, or another user could be at the socket.
    """
    words = of(language)
    path = place or str(paths.agent_socket())
    try:
        raw = await _reached(path)
    except trust.Untrusted as exc:
        refused = paths.untrusted(exc)
        raise TalkFault(words.say(refused.sentence, **refused.values)) from exc
    except OSError as exc:
        raise TalkFault(words.gettext(_AGENT_GONE)) from exc
    hello = wire.Hello(
        version=__version__,
        protocol=wire.PROTOCOL,
        language=language,
        env=dict(env or {}),
        sessions_env=dict(sessions_env or {}),
    )
    async with await sockets.stream_of(raw) as stream, sockets.background() as tasks:
        agent = RemoteAgent(wire.Line(stream), language)
        tasks.start_soon(agent.read)
        await agent.greet(hello)
        yield agent


async def _reached(path: str) -> socket.socket:
    """Return a connection, and try for `RESTART_SECONDS`: an agent that died is started again."""
    deadline = anyio.current_time() + RESTART_SECONDS
    while True:
        try:
            raw = await anyio.to_thread.run_sync(transport.connect_to, path, GREET_SECONDS)
        except (ConnectionRefusedError, FileNotFoundError):
            if anyio.current_time() > deadline:
                raise
            await anyio.sleep(_PAUSE)
        else:
            raw.setblocking(False)
            return raw


class RemoteAgent:
    """The agent at the other end of a connection; many tasks may use it at the same time."""

    welcome: wire.Welcome

    def __init__(self, line: wire.Line, language: str = "") -> None:
        self._line = line
        self._words = of(language)
        self._ids = itertools.count(1)
        self._waiting: dict[int, MemoryObjectSendStream[wire.ToClient]] = {}
        self._greeted = anyio.Event()
        self._ended = False
        self.on_unasked: Callable[[str], object] = str
        """Called with what the agent says of its own accord in the open conversation."""
        self.greeting: wire.Greeting | None = None
        """The greeting that nobody was there for."""
        self.on_greeting: Greeted | None = None
        self.on_status: Callable[[Status], object] = str
        """Called with the state of the open conversation, where nothing was asked."""

    @property
    def gone(self) -> bool:
        """Whether the connection has ended."""
        return self._ended

    async def open(
        self, conversation: str = "", *, new: str | None = None, folders: tuple[str, ...] = ()
    ) -> RemoteTalk:
        """Open a new conversation with the label `new`, else one by its name, else the latest.

        Raises:
            TalkFault: there is no such conversation, or it is open elsewhere.
        """
        order = wire.Open(id=next(self._ids), conversation=conversation, new=new, folders=folders)
        opened = await self.request(order, wire.Opened)
        return RemoteTalk(self, opened)

    async def mode(self, to: str = "") -> Reply:
        """Change the agent's mode unless `to` is empty, and return the mode as the first line.

        Raises:
            TalkFault: there is no such mode, or the agent has gone.
        """
        return (await self.request(wire.Mode(id=next(self._ids), to=to), wire.Replied)).reply

    def ask(self, question: str) -> AsyncIterator[TurnEvent]:
        """Ask a single question outside of any conversation, and return its events.

        Raises:
            TalkFault: the agent has gone.
        """
        return self.events(wire.Ask(id=next(self._ids), question=question))

    # --- for `RemoteTalk`

    async def events(
        self, order: wire.Say | wire.Ask, talk: RemoteTalk | None = None
    ) -> AsyncIterator[TurnEvent]:
        """Yield the events of a turn or question, which is cancelled if the iteration is left early.

        The state of `talk` is updated with each event that carries one.

        Raises:
            TalkFault: the agent refused the order, or has gone.
        """
        told, heard = anyio.create_memory_object_stream[wire.ToClient](_MOST_UNTAKEN)
        self._waiting[order.id] = told
        ended = False
        try:
            await self.send(order)
            while not ended:
                message = await self._next(heard, talk)
                ended = isinstance(message.event, TurnEnded)
                yield message.event
        except TalkFault:
            ended = True
            raise
        finally:
            if not ended:
                with anyio.move_on_after(_CANCEL_SECONDS, shield=True):
                    await self._cancel(order.id, heard, talk)
            del self._waiting[order.id]
            told.close()
            heard.close()

    async def request(
        self, order: wire.Open | wire.Command | wire.Complete | wire.Mode, kind: type[_Answer]
    ) -> _Answer:
        """Send an order that has a single answer, and return the answer.

        Raises:
            TalkFault: the agent refused the order, did not answer in time, or has gone.
        """
        told, heard = anyio.create_memory_object_stream[wire.ToClient](1)
        self._waiting[order.id] = told
        try:
            await self.send(order)
            with anyio.fail_after(ANSWER_SECONDS):
                answer = await heard.receive()
        except TimeoutError as exc:
            raise TalkFault(self._words.gettext(_SILENT)) from exc
        except anyio.EndOfStream as exc:
            raise self._gone() from exc
        finally:
            self._waiting.pop(order.id, None)
            told.close()
            heard.close()
        if isinstance(answer, wire.Failed):
            raise TalkFault(answer.message)
        if not isinstance(answer, kind):
            raise TalkFault(self._words.gettext(_OTHER))
        return answer

    async def send(self, message: wire.Message) -> None:
        """Send a message.

        Raises:
            TalkFault: the agent has gone.
        """
        if self._ended:
            raise self._gone()
        try:
            await self._line.send(message)
        except wire.Gone as exc:
            raise self._gone() from exc

    def next_id(self) -> int:
        """Return an id that no other order on this connection has."""
        return next(self._ids)

    # --- for `connect`

    async def greet(self, hello: wire.Hello) -> None:
        """Send `hello` and wait for `welcome`.

        Raises:
            TalkFault: the agent did not answer in time, or has gone.
        """
        await self.send(hello)
        with anyio.move_on_after(GREET_SECONDS):
            await self._greeted.wait()
        if not hasattr(self, "welcome"):
            raise TalkFault(self._words.gettext(_AGENT_GONE if self._ended else _SILENT))

    async def read(self) -> None:
        """Pass on each message to the task that waits for it, until the connection ends."""
        async for line in self._line.lines():
            try:
                await self._heard(wire.decode_to_client(line))
            except wire.BadMessage:
                continue  # a message of a later version, which this one does not know
        self._ended = True
        self._greeted.set()
        for told in self._waiting.values():
            told.close()

    async def _heard(self, message: wire.ToClient) -> None:
        if isinstance(message, wire.Welcome):
            self.welcome = message
            self._greeted.set()
        elif isinstance(message, wire.Unasked):
            self.on_unasked(message.text)
        elif isinstance(message, wire.Stands):
            self.on_status(message.status)
        elif isinstance(message, wire.Greeting) and self.on_greeting is not None:
            self.on_greeting(message.lines, message.keys)
        elif isinstance(message, wire.Greeting):
            self.greeting = message
        elif told := self._waiting.get(message.id):
            try:
                await told.send(message)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return

    async def _next(self, heard: _Heard, talk: RemoteTalk | None) -> wire.Told:
        """Return the next message on a turn, after updating the state of `talk`."""
        try:
            message = await heard.receive()
        except anyio.EndOfStream as exc:
            raise self._gone() from exc
        if isinstance(message, wire.Failed):
            raise TalkFault(message.message)
        if not isinstance(message, wire.Told):
            raise TalkFault(self._words.gettext(_OTHER))
        if talk is not None:
            talk.status = message.status or talk.status
        return message

    async def _cancel(self, id: int, heard: _Heard, talk: RemoteTalk | None) -> None:
        """Cancel a turn, and wait until it has ended or the agent has gone."""
        with contextlib.suppress(TalkFault):
            await self.send(wire.Cancel(id=id))
            while not isinstance((await self._next(heard, talk)).event, TurnEnded):
                pass

    def _gone(self) -> TalkFault:
        return TalkFault(self._words.gettext(_AGENT_GONE))


class RemoteTalk:
    """One conversation in the agent's process; implements `Talk`."""

    def __init__(self, agent: RemoteAgent, opened: wire.Opened) -> None:
        self._agent = agent
        self.notice = opened.notice
        """Sentences on what prevents a turn and on unreadable lines of the file; may be empty."""
        self.status: Status = opened.status
        self.last = opened.last
        """The last words when it was opened; None if there are none."""
        self._changed: Callable[[], object] = str
        agent.on_status = self._stands

    @property
    def gone(self) -> bool:
        """Whether the agent's process has ended or closed the connection."""
        return self._agent.gone

    def listen(
        self,
        heard: Callable[[str], object],
        greeted: Greeted | None = None,
        changed: Callable[[], object] | None = None,
    ) -> None:
        """Call `heard` with what the agent says of its own accord, and `greeted` with its greeting.

        `changed` is called when something else has changed the state, such as the agent's mode.
        """
        agent = self._agent
        self._changed = changed or self._changed
        agent.on_unasked, agent.on_greeting = heard, greeted
        if greeted is not None and agent.greeting is not None:
            told, agent.greeting = agent.greeting, None
            greeted(told.lines, told.keys)

    def _stands(self, status: Status) -> None:
        self.status = status
        self._changed()

    def say(self, text: str) -> AsyncIterator[TurnEvent]:
        """Run a turn; leaving the iteration cancels the turn and keeps the text so far."""
        return self._agent.events(wire.Say(id=self._agent.next_id(), text=text), self)

    async def answer(self, question: str, choice: Choice) -> None:
        """Answer a question of the running turn; `question` is its id."""
        await self._agent.send(wire.Choose(question=question, choice=choice))

    async def command(self, line: str) -> Reply:
        """Carry out a slash command."""
        order = wire.Command(id=self._agent.next_id(), line=line)
        reply = (await self._agent.request(order, wire.Replied)).reply
        self.status = reply.status or self.status
        return reply

    async def completions(self, line: str) -> tuple[str, ...]:
        """Return whole lines that complete the beginning of a slash command."""
        order = wire.Complete(id=self._agent.next_id(), line=line)
        return (await self._agent.request(order, wire.Completed)).lines
