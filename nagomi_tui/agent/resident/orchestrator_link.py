"""The agent's connection to the orchestrator, and the user's changes of mode that come over it."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

import anyio
import msgspec

from nagomi_tui.agent.turns.library import Library
from nagomi_tui.api import messages
from nagomi_tui.api.async_client import AsyncConnection, connect
from nagomi_tui.api.client import Gone, NotServed
from nagomi_tui.system.paths import PlaceError
from nagomi_tui.text.words import language_from, of, translatable

_log = logging.getLogger(__name__)
_PAUSE: Final = 0.3
_SEND_SECONDS: Final = 10.0
_AGAIN_SECONDS: Final = 10.0
_REMINDER: Final = translatable("Reminder: {what}")
_Answered = TypeVar("_Answered")
_LOST: Final = (NotServed, Gone, TimeoutError, PlaceError, OSError)


class OrchestratorLink:
    """Tells the orchestrator the agent's mode and words, and passes on what the orchestrator sends."""

    def __init__(
        self,
        mode: str,
        on_push: Callable[[messages.ToClient], object],
        environment: Mapping[str, str],
    ) -> None:
        """`environment` is that of sessions which are started over this connection."""
        self._told = messages.AgentTold(pid=os.getpid(), mode=mode)
        self._on_push = on_push
        self._environment = environment
        self._connection: AsyncConnection | None = None
        self._changed = anyio.Event()
        self.greeted = anyio.Event()
        """Set once the orchestrator was connected to for the first time."""

    async def run(self) -> None:
        """Stay connected, until the orchestrator says that the workplace is closed."""
        while True:
            try:
                async with connect(messages.hello(self._environment)) as connection:
                    self._connection = connection
                    self._on_push(connection.welcome)
                    await connection.send(self._told)
                    self.greeted.set()
                    async for pushed in connection.pushed():
                        if isinstance(pushed, messages.Goodbye) and pushed.reason == "quit":
                            return
                        self._on_push(pushed)
            except _LOST as exc:
                _log.info("no orchestrator: %s", exc)
            self._connection = None
            await anyio.sleep(_PAUSE)

    async def request(
        self, message: messages.Request[_Answered], *, timeout: float | None = None
    ) -> _Answered:
        """Return the orchestrator's answer to a request.

        Raises:
            RequestFailed, BadMessage, TimeoutError, Gone: as a connection does.
            NotServed: there is no orchestrator now.
        """
        if self._connection is None:
            raise NotServed("nagomi is not running.")
        return await self._connection.request(message, timeout=timeout)

    async def send(self, message: messages.Message) -> None:
        """Send a message that has no answer.

        Raises:
            OSError: there is no orchestrator now, or it takes nothing.
        """
        if self._connection is None:
            raise NotServed("nagomi is not running.")
        with anyio.fail_after(_SEND_SECONDS):
            await self._connection.send(message)

    def tell(self, **changed: object) -> None:
        """Tell the orchestrator soon which fields of `AgentTold` have changed."""
        self._told = msgspec.structs.replace(self._told, **changed)
        self._changed.set()

    def speak(self, sentence: str) -> None:
        """Have the character say a sentence."""
        self.tell(says=sentence, said_at=time.time())

    async def keep_told(self) -> None:
        """Send changes for ever, without waiting for an orchestrator that does not read."""
        while True:
            await self._changed.wait()
            self._changed = anyio.Event()
            with contextlib.suppress(OSError):  # it is told again as soon as there is another one
                await self.send(self._told)


class ModeOrders:
    """Carries out the newest order; older ones that came during the one before are dropped."""

    def __init__(self) -> None:
        self._newest: messages.AgentOrder | None = None
        self._came = anyio.Event()

    def take(self, order: messages.AgentOrder) -> None:
        """Have it carried out soon."""
        self._newest = order
        self._came.set()

    async def run(self, library: Library, orchestrator: OrchestratorLink) -> None:
        """Carry out orders, for ever."""
        while True:
            await self._came.wait()
            self._came = anyio.Event()
            if (order := self._newest) is not None:
                try:
                    await _change(library, orchestrator, order)
                except Exception:
                    _log.exception("an order failed: %s", order)


async def _change(
    library: Library, orchestrator: OrchestratorLink, order: messages.AgentOrder
) -> None:
    """Change the mode, and tell the user which steps of that failed."""
    report = await library.change_mode(order.mode)
    if failed := [step.text for step in report.steps if not step.ok]:
        orchestrator.speak(" ".join(failed))


class ToldReminders:
    """Writes reminders that were told into the conversations in which they were set.

    The orchestrator sends each anew to an agent that comes, until it hears that it is written.
    """

    def __init__(self) -> None:
        self._told: dict[int, messages.Reminded] = {}
        self._came = anyio.Event()

    def take(self, told: messages.Reminded) -> None:
        """Have it written soon, if it was set in a conversation."""
        if told.reminder.conversation:
            self._told[told.reminder.number] = told
            self._came.set()

    async def run(self, library: Library, orchestrator: OrchestratorLink) -> None:
        """Write them, for ever; what cannot be written is tried again from time to time."""
        while True:
            with anyio.move_on_after(_AGAIN_SECONDS if self._told else None):
                await self._came.wait()
            self._came = anyio.Event()
            for number, told in list(self._told.items()):
                try:
                    await self._write(told, library, orchestrator)
                except OSError:
                    continue
                except Exception:
                    _log.exception("reminder %d was not written", number)
                    self._told.pop(number, None)

    async def _write(
        self, told: messages.Reminded, library: Library, orchestrator: OrchestratorLink
    ) -> None:
        one = told.reminder
        words = of(language_from({}, library.settings().language))
        text = words.say(_REMINDER, what=told.said)
        if await library.unasked.say(text, one.conversation, one.told_at or 0.0):
            await orchestrator.send(messages.ReminderWritten(number=one.number))
            self._told.pop(one.number, None)
