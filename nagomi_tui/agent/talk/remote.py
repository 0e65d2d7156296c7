"""A conversation in the agent's process, over its socket."""

from __future__ import annotations

import contextlib
import itertools
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import anyio
import anyio.to_thread
from anyio.abc import UNIXSocketStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from nagomi_tui import __version__, paths
from nagomi_tui.agent.talk import wire
from nagomi_tui.agent.talk.events import TurnEnded
from nagomi_tui.agent.talk.interface import TalkFault
from nagomi_tui.agent.talk.socket import Gone, Line
from nagomi_tui.tasks import background
from nagomi_tui.words import of, translatable
from nagomi_worker.wire import trust

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Mapping

    from nagomi_tui.agent.talk.events import Choice, Reply, Status, TurnEvent

ANSWER_SECONDS: Final = 60.0
"""How long anything may take that asks no model."""
GREET_SECONDS: Final = 10.0
RESTART_SECONDS: Final = 5.0
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
    """Connect to the agent, by default to that of this workplace; disconnect in the end.

    `env` may hold the model's key, `sessions_env` is for sessions that are started from here.

    Raises:
        TalkFault: it is not there, does not answer, or another user could be listening.
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
    async with await UNIXSocketStream.from_socket(raw) as stream, background() as tasks:
        agent = RemoteAgent(Line(stream), language)
        tasks.start_soon(agent.read)
        await agent.greet(hello)
        yield agent


async def _reached(path: str) -> socket.socket:
    """Return a connection; one that has just died is started again and waited for."""
    deadline = anyio.current_time() + RESTART_SECONDS
    while True:
        try:
            raw = await anyio.to_thread.run_sync(trust.connect, path, GREET_SECONDS)
        except (ConnectionRefusedError, FileNotFoundError):
            if anyio.current_time() > deadline:
                raise
            await anyio.sleep(_PAUSE)
        else:
            raw.setblocking(False)
            return raw


class RemoteAgent:
    """The agent at the other end; any number of tasks may ask at the same time."""

    welcome: wire.Welcome

    def __init__(self, line: Line, language: str = "") -> None:
        self._line = line
        self._words = of(language)
        self._ids = itertools.count(1)
        self._waiting: dict[int, MemoryObjectSendStream[wire.ToClient]] = {}
        self._greeted = anyio.Event()
        self._ended = False

    @property
    def gone(self) -> bool:
        """The connection has ended."""
        return self._ended

    async def open(
        self, conversation: str = "", *, new: str | None = None, folders: tuple[str, ...] = ()
    ) -> RemoteTalk:
        """Open a conversation by a name, a new one by its label, or the latest one.

        Raises:
            TalkFault: there is none of that name, or somebody else has it open.
        """
        order = wire.Open(id=next(self._ids), conversation=conversation, new=new, folders=folders)
        opened = await self.request(order, wire.Opened)
        return RemoteTalk(self, opened)

    async def mode(self, to: str = "") -> Reply:
        """Return the agent's mode as the first line, after changing it if `to` is one.

        Raises:
            TalkFault: there is no such mode, or the agent has gone.
        """
        return (await self.request(wire.Mode(id=next(self._ids), to=to), wire.Replied)).reply

    def ask(self, question: str) -> AsyncIterator[TurnEvent]:
        """Ask beside all conversations.

        Raises:
            TalkFault: the agent has gone.
        """
        return self.events(wire.Ask(id=next(self._ids), question=question))

    # --- for conversations

    async def events(
        self, order: wire.Say | wire.Ask, talk: RemoteTalk | None = None
    ) -> AsyncIterator[TurnEvent]:
        """Yield what is told of a turn; whoever does not go on to its end cancels it."""
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
        """Send what is answered once, and return the answer."""
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
        except Gone as exc:
            raise self._gone() from exc

    def next_id(self) -> int:
        """Return a number that no other order has."""
        return next(self._ids)

    # --- for `connect`

    async def greet(self, hello: wire.Hello) -> None:
        """Say hello and wait for the welcome."""
        await self.send(hello)
        with anyio.move_on_after(GREET_SECONDS):
            await self._greeted.wait()
        if not hasattr(self, "welcome"):
            raise TalkFault(self._words.gettext(_AGENT_GONE if self._ended else _SILENT))

    async def read(self) -> None:
        """Take in what comes, until the agent has gone."""
        async for line in self._line.lines():
            try:
                await self._heard(wire.decode_to_client(line))
            except wire.BadMessage:
                continue  # only a later version understands it
        self._ended = True
        self._greeted.set()
        for told in self._waiting.values():
            told.close()

    async def _heard(self, message: wire.ToClient) -> None:
        if isinstance(message, wire.Welcome):
            self.welcome = message
            self._greeted.set()
        elif told := self._waiting.get(message.id):
            try:
                await told.send(message)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return

    async def _next(self, heard: _Heard, talk: RemoteTalk | None) -> wire.Told:
        """Return the next line on a turn, once what stands beside the prompt was taken over."""
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
        """End a turn, and return when it has ended."""
        with contextlib.suppress(TalkFault):
            await self.send(wire.Cancel(id=id))
            while not isinstance((await self._next(heard, talk)).event, TurnEnded):
                pass

    def _gone(self) -> TalkFault:
        return TalkFault(self._words.gettext(_AGENT_GONE))


class RemoteTalk:
    """One conversation in the agent's process; it is a `Talk`."""

    def __init__(self, agent: RemoteAgent, opened: wire.Opened) -> None:
        self._agent = agent
        self.notice = opened.notice
        """Sentences about the conversation, such as what was garbled in its file."""
        self.status: Status = opened.status

    @property
    def gone(self) -> bool:
        """The agent's process has ended, or let go of us."""
        return self._agent.gone

    def say(self, text: str) -> AsyncIterator[TurnEvent]:
        """Run a turn; leaving the iteration ends the turn and keeps what came."""
        return self._agent.events(wire.Say(id=self._agent.next_id(), text=text), self)

    async def answer(self, question: str, choice: Choice) -> None:
        """Answer a question of the running turn."""
        await self._agent.send(wire.Choose(question=question, choice=choice))

    async def command(self, line: str) -> Reply:
        """Do what a line says that begins with `/`."""
        order = wire.Command(id=self._agent.next_id(), line=line)
        reply = (await self._agent.request(order, wire.Replied)).reply
        self.status = reply.status or self.status
        return reply

    async def completions(self, line: str) -> tuple[str, ...]:
        """Return what could follow a line that begins with `/`."""
        order = wire.Complete(id=self._agent.next_id(), line=line)
        return (await self._agent.request(order, wire.Completed)).lines
