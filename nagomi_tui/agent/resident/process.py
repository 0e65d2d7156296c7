"""Puts the parts of the agent's process together, and runs them until it ends."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import anyio

from nagomi_tui.agent.resident.server import Server
from nagomi_tui.agent.resident.standing import Standing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from anyio.abc import TaskGroup

    from nagomi_tui.agent.resident.lifeline import Lifeline
    from nagomi_tui.api import messages


class AgentProcess:
    """One life of the agent."""

    def __init__(self, lifeline: Lifeline) -> None:
        self._lifeline = lifeline
        self._standing = Standing("calm", self._pushed)
        self._server = Server()

    async def run(self) -> None:
        """Serve until the supervisor or the workplace ends, or a signal comes."""
        async with anyio.create_task_group() as tasks:
            await tasks.start(self._server.run)
            tasks.start_soon(self._lifeline.beat)
            for end in (self._lifeline.await_end, self._standing.run, _await_signal):
                tasks.start_soon(_until, end, tasks)

    def _pushed(self, message: messages.ToClient) -> None:
        """Nobody listens yet."""


async def _until(wait: Callable[[], Awaitable[None]], tasks: TaskGroup) -> None:
    """End all tasks when one of them has ended."""
    await wait()
    tasks.cancel_scope.cancel()


async def _await_signal() -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            return
