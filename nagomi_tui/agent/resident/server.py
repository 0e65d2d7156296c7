"""Serves the agent's socket: one task for each client, and one for each message."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Final

import anyio
from anyio.abc import SocketStream, TaskGroup, TaskStatus

from nagomi_tui import __version__
from nagomi_tui.agent.modes.mode import AgentMode, InvalidMode
from nagomi_tui.agent.providers.interface import ModelFault, TextPiece
from nagomi_tui.agent.resident.thought import SENTENCE_LENGTH, first_sentence
from nagomi_tui.agent.talk import wire
from nagomi_tui.agent.talk.events import Reply, TalkFault, TurnEnded
from nagomi_tui.agent.turns.library import Library
from nagomi_tui.agent.turns.local import LocalTalk, opened
from nagomi_tui.agent.turns.models import asking_sentence_of
from nagomi_tui.system import paths, sockets
from nagomi_tui.text.words import of, translatable
from nagomi_worker.wire import trust

_log = logging.getLogger(__name__)
_MOST_RUNNING: Final = 20
_OWN_FAULT: Final = translatable("The agent had a fault of its own; nagomi's log says more.")
_NOTHING_OPEN: Final = translatable("No conversation is open on this connection.")
_TOO_MANY: Final = translatable("Too many requests wait for their answers already.")


class Client:
    """Carries out a client's messages, each in a task of its own, until it disconnects."""

    def __init__(
        self,
        library: Library,
        line: wire.Line,
        speak: Callable[[str], object],
        worked: Callable[[Client, int], object],
    ) -> None:
        """`speak` has the character say a sentence, `worked` is told the turns left of work mode."""
        self._library = library
        self._line = line
        self._speak = speak
        self._worked = worked
        self._words = of("")
        self._environment: dict[str, str] = {}
        self._sessions_env: dict[str, str] = {}
        self._talk: LocalTalk | None = None
        self._running: dict[int, anyio.CancelScope] = {}
        self._tasks: TaskGroup | None = None

    async def run(self) -> None:
        """Serve until the client goes; its turn ends with it."""
        async with anyio.create_task_group() as self._tasks:
            tasks = self._tasks
            try:
                async for line in self._line.lines():
                    await self._heard(line, tasks)
            finally:
                await self._close()
            tasks.cancel_scope.cancel()

    def mode_changed(self) -> None:
        """Tell the state of the open conversation, without waiting for a client that does not read."""
        if self._talk is not None and self._tasks is not None:
            self._tasks.start_soon(self._push, wire.Stands(status=self._talk.status))

    async def _heard(self, line: bytes, tasks: TaskGroup) -> None:
        try:
            message = wire.decode_from_client(line)
        except wire.BadMessage as exc:
            await self._line.send(wire.Failed(id=0, message=str(exc)))
            return
        match message:
            case wire.Hello():
                await self._greet(message)
            case wire.Cancel(id=id):
                if scope := self._running.get(id):
                    scope.cancel()
            case wire.Choose(question=question, choice=choice):
                if self._talk:
                    await self._talk.answer(question, choice)
            case wire.Open():
                await self._answer(message.id, self._open(message, tasks))
                if self._talk is not None:
                    tasks.start_soon(self._greet_user, self._talk)
            case _ if len(self._running) >= _MOST_RUNNING:
                await self._fail(message.id, self._words.gettext(_TOO_MANY))
            case _:
                scope = self._running[message.id] = anyio.CancelScope()
                tasks.start_soon(self._run, message, scope)

    async def _greet(self, hello: wire.Hello) -> None:
        self._words, self._environment = of(hello.language), hello.env
        self._sessions_env = hello.sessions_env
        mode = self._library.modes.mode
        await self._line.send(
            wire.Welcome(version=__version__, pid=os.getpid(), protocol=wire.PROTOCOL, mode=mode)
        )

    async def _open(self, order: wire.Open, tasks: TaskGroup) -> wire.Opened:
        await self._close()
        self._talk = talk = opened(
            self._library,
            self._words,
            tasks,
            conversation=order.conversation,
            new=order.new,
            folders=[Path(folder) for folder in order.folders],
            environment=self._environment,
            sessions_env=self._sessions_env,
        )
        talk.chat.on_unasked = self._tell_unasked
        self._worked(self, talk.status.turns_left)
        return wire.Opened(id=order.id, status=talk.status, notice=talk.notice, last=talk.last)

    async def _greet_user(self, talk: LocalTalk) -> None:
        """Tell how all stands, as soon as the workplace has told; nothing without one."""
        lines, keys = await talk.chat.greeting()
        if lines and talk is self._talk:
            await self._push(wire.Greeting(lines=lines, keys=keys))

    async def _tell_unasked(self, text: str) -> None:
        await self._push(wire.Unasked(text=text))

    async def _close(self) -> None:
        talk, self._talk = self._talk, None
        if talk is not None:
            await talk.close()

    # --- what runs in a task of its own

    async def _run(
        self,
        order: wire.Say | wire.Ask | wire.Command | wire.Complete | wire.Mode,
        scope: anyio.CancelScope,
    ) -> None:
        try:
            with scope:
                match order:
                    case wire.Say():
                        await self._say(order)
                    case wire.Ask():
                        await self._ask(order)
                    case _:
                        await self._answer(order.id, self._replied(order))
        except wire.Gone:
            return
        except TalkFault as fault:
            await self._fail(order.id, str(fault))
        except Exception:
            _log.exception("an order failed: %s", type(order).__name__)
            await self._fail(order.id, self._words.gettext(_OWN_FAULT))
        finally:
            self._running.pop(order.id, None)
            if self._talk is not None:
                self._worked(self, self._talk.status.turns_left)

    async def _say(self, order: wire.Say) -> None:
        """Run a turn; one that is cancelled is told to have ended, too."""
        talk, ended = self._open_talk(), False
        try:
            async with aclosing(talk.say(order.text)) as events:
                async for event in events:
                    ended = isinstance(event, TurnEnded)
                    status = talk.status if ended else None
                    await self._line.send(wire.Told(id=order.id, event=event, status=status))
                    if isinstance(event, TurnEnded) and event.outcome == "done":
                        self._speak_of(event.text)
        finally:
            if not ended:
                with anyio.CancelScope(shield=True):
                    cancelled = TurnEnded("cancelled")
                    await self._push(wire.Told(id=order.id, event=cancelled, status=talk.status))

    async def _ask(self, order: wire.Ask) -> None:
        try:
            found = await self._library.questions.ask(
                order.question, self._words.language, self._environment
            )
        except ModelFault as fault:
            ended = TurnEnded("failed", asking_sentence_of(fault, self._words))
        else:
            await self._line.send(wire.Told(id=order.id, event=TextPiece(found.answer)))
            ended = TurnEnded("done", found.answer, found.usage)
        await self._line.send(wire.Told(id=order.id, event=ended))

    async def _replied(
        self, order: wire.Command | wire.Complete | wire.Mode
    ) -> wire.Replied | wire.Completed:
        match order:
            case wire.Mode():
                return wire.Replied(id=order.id, reply=await self._mode(order.to))
            case wire.Complete():
                lines = await self._open_talk().completions(order.line)
                return wire.Completed(id=order.id, lines=lines)
            case _:
                return wire.Replied(id=order.id, reply=await self._open_talk().command(order.line))

    async def _mode(self, to: str) -> Reply:
        if not to:
            return Reply(lines=(self._library.modes.mode,))
        try:
            report = await self._library.change_mode(to)
        except InvalidMode as exc:
            raise TalkFault(self._words.say(exc.SENTENCE, names=exc.names)) from exc
        steps = tuple(step.text for step in report.steps)
        return Reply(lines=(report.mode, *steps), failed=not report.ok)

    # --- steps

    def _speak_of(self, answer: str) -> None:
        """Say an answer's first sentence: in every mode, since the user has asked."""
        if sentence := first_sentence(self._library.mask(answer), SENTENCE_LENGTH):
            self._speak(sentence)

    def _open_talk(self) -> LocalTalk:
        if self._talk is None:
            raise TalkFault(self._words.gettext(_NOTHING_OPEN))
        return self._talk

    async def _answer(self, id: int, work: Awaitable[wire.Message]) -> None:
        try:
            await self._line.send(await work)
        except TalkFault as fault:
            await self._fail(id, str(fault))

    async def _fail(self, id: int, sentence: str) -> None:
        await self._push(wire.Failed(id=id, message=sentence))

    async def _push(self, message: wire.Message) -> None:
        """Send a message, unless the client has gone."""
        with contextlib.suppress(wire.Gone):
            await self._line.send(message)


MOST_CLIENTS: Final = 64
"""Most clients at a time; others wait until one has gone."""


class Server:
    """Serves each client in a task of its own; the caller holds the agent's lock."""

    def __init__(
        self, library: Library, speak: Callable[[str], object], worked: Callable[[int], object]
    ) -> None:
        """`speak` has the character say a sentence.

        `worked` is told the turns left of work mode in that open conversation which was used last.
        """
        self._library = library
        self._speak = speak
        self._worked = worked
        self._turns: dict[Client, int] = {}
        """The turns left in each open conversation, in the order in which they were used."""
        self._slots = anyio.Semaphore(MOST_CLIENTS)

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Listen for ever, from the moment that the task has started; an old socket is stale."""
        path = paths.make_socket_folder() / paths.AGENT
        listener = await sockets.listen(path)
        self._library.on_mode.append(self._mode_changed)
        task_status.started()
        try:
            await listener.serve(self._client)
        finally:
            with contextlib.suppress(OSError):
                path.unlink()

    async def _client(self, stream: SocketStream) -> None:
        client = None
        async with stream, self._slots:
            try:
                await sockets.admit(stream, paths.AGENT)
                client = Client(self._library, wire.Line(stream), self._speak, self._used)
                await client.run()
            except trust.Untrusted as exc:
                _log.warning("a client is not let in: %s", exc)
            except wire.GONE as exc:
                _log.info("a client has gone: %s", exc)
            except Exception:
                _log.exception("a client's connection ends")
            finally:
                if client is not None and self._turns.pop(client, None) is not None:
                    self._tell_turns()

    def _used(self, client: Client, left: int) -> None:
        self._turns.pop(client, None)
        self._turns[client] = left
        self._tell_turns()

    def _tell_turns(self) -> None:
        self._worked(next(reversed(self._turns.values()), 0))

    async def _mode_changed(self, mode: AgentMode) -> None:
        for client in list(self._turns):
            client.mode_changed()
