"""The application without a terminal, before a small server: a test drives it as its user would."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import textual.app
from textual.pilot import Pilot

from nagomi_tui import __version__
from nagomi_tui.api.messages import Hello
from nagomi_tui.view.app.application import NagomiApp
from nagomi_tui.view.common.link import Link
from tests.helpers.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from textual.message_pump import MessagePump

    from nagomi_tui.view.app.memory import Keeper
    from tests.helpers.fake_orchestrator import FakeOrchestrator

_REST_SECONDS: Final = 0.3
_MOST_TURNS: Final = 1000
"""How often other tasks get their turn before a wait for widgets, if they never have an end."""


async def _give_way(*_: float) -> None:
    """Stand in for Textual's wait behind each key, 40 ms and more, for which `_settle` serves."""
    await asyncio.sleep(0)


textual.app.wait_for_idle = _give_way  # type: ignore[attr-defined]

_ask_each_widget: Final = Pilot._wait_for_screen


async def _wait_for_widgets(pilot: Pilot[Any], timeout: float = PATIENCE) -> bool:
    """Stand in for Textual's wait, which sends each widget a message: half of all that are sent.

    Where no task of the event loop can go on, and each widget waits for a message, none has one left.
    """
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    for _ in range(_MOST_TURNS):
        await asyncio.sleep(0)
        if not ready:
            break
    if all(map(_waits, (pilot.app, *pilot.app.screen.walk_children(with_self=True)))):
        return True
    return await _ask_each_widget(pilot, timeout)


def _waits(pump: MessagePump) -> bool:
    """Tell whether it has done with all that it was sent."""
    queue = pump._message_queue
    return queue.empty() and pump._pending_message is None and bool(queue.ready_event._waiters)


Pilot._wait_for_screen = _wait_for_widgets  # type: ignore[method-assign]


class Visit:
    """An application that is open, and what a user does with it."""

    def __init__(self, app: NagomiApp, pilot: Pilot[Any]) -> None:
        self.app = app
        self.pilot = pilot

    async def until(self, fits: Callable[[], object]) -> None:
        """Wait until something holds."""
        await self._settle()
        deadline = time.monotonic() + PATIENCE
        while not fits():
            assert time.monotonic() < deadline, f"it did not happen in time:\n{self.text()}"
            await asyncio.sleep(0.005)
        await self._settle()

    async def rests(self, server: FakeOrchestrator) -> None:
        """Wait until the application has told the server nothing for a while."""
        told = -1
        while told != (told := len(server.heard)):
            await asyncio.sleep(_REST_SECONDS)
            await self._settle()

    async def leader(self, *keys: str) -> None:
        """Press keys after the leader, each after one of its own."""
        for key in keys:
            self.app.parts.leader_commands.command(key)
            await self._settle()

    async def press(self, *keys: str) -> None:
        """Press keys that go to prompts and dialogs."""
        await self._settle()
        for key in keys:
            await self.pilot.press(key)
            await self._settle()

    async def type(self, text: str) -> None:
        """Type characters."""
        await self.press(*("space" if char == " " else char for char in text))

    async def sees(self, *texts: str) -> None:
        """Wait until the screen shows all of these."""
        await self.until(lambda: all(map(self.text().__contains__, texts)))

    async def misses(self, text: str) -> None:
        """Wait until the screen shows this no more."""
        await self.until(lambda: text not in self.text())

    async def _settle(self) -> None:
        """Let every widget do what it was told, and what follows from that."""
        for _ in range(2):
            await self.pilot.pause(0)

    def text(self) -> str:
        """The whole screen as text."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The screen's lines."""
        return [strip.text for strip in self.app.screen._compositor.render_strips()]


@asynccontextmanager
async def visit(
    server: FakeOrchestrator,
    size: tuple[int, int] = (120, 30),
    *,
    welcome: bool = False,
    keeper: Keeper | None = None,
    **env: str,
) -> AsyncIterator[Visit]:
    """Open the application before the server until the block ends."""
    hello = Hello(version=__version__, front_end=True, cols=size[0], rows=size[1])
    link = Link(hello, address=server.address, launch=lambda: None)
    app = NagomiApp(link, env=env, welcome=welcome)
    app.parts.memory.keeper = keeper
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            here = Visit(app, pilot)
            await here.until(lambda: app.parts.state.welcomed)
            yield here
    finally:
        link.stop()
