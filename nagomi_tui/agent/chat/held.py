"""A conversation that is opened in the background while the user already types."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from nagomi_tui.agent.talk.interface import Talk


class Held:
    """Opens a conversation in a task of its own, and closes it there in the end."""

    def __init__(
        self, conversation: AbstractAsyncContextManager[Talk], settled: Callable[[], None]
    ) -> None:
        """`settled` is called once the conversation is open or has failed to open."""
        self.talk: Talk | None = None
        self.fault: Exception | None = None
        """Why the conversation could not be opened or closed; None if nothing has failed."""
        self._conversation = conversation
        self._tell = settled
        self._settled = anyio.Event()
        self._over = anyio.Event()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Hold the conversation until the end of the block; cancel an opening that still runs then.

        Raises:
            Exception: what the block raised, or else why opening or closing failed.
        """
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._hold)
            try:
                yield
            except Exception as exc:
                # Raised after the task group has ended, which would wrap it in an ExceptionGroup.
                self.fault = exc
            self._over.set()
            if not self._settled.is_set():
                tasks.cancel_scope.cancel()
        if self.fault is not None:
            raise self.fault

    async def opened(self) -> Talk | None:
        """Wait until the conversation is open; return None if it cannot be opened."""
        await self._settled.wait()
        return self.talk

    async def _hold(self) -> None:
        try:
            async with self._conversation as self.talk:
                self._settle()
                await self._over.wait()
        except Exception as exc:
            self.fault = self.fault or exc
            self._settle()

    def _settle(self) -> None:
        if not self._settled.is_set():
            self._settled.set()
            self._tell()
