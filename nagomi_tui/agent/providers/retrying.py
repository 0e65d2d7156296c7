"""Retries requests after faults that may pass, a few times, with waits that the server may name."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui.agent.providers.interface import ModelFault

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from nagomi_tui.agent.providers.interface import Cause, ModelEvent, ModelRequest, Provider

AGAIN: Final[frozenset[Cause]] = frozenset({"rate", "overloaded", "offline", "broken"})
WAITS: Final = (1.0, 3.0, 9.0)
"""Seconds before each retry, if the server names none."""
LONGEST: Final = 60.0
"""Seconds. If the server names a longer wait, there is no retry: the user decides."""


class Retrying:
    """A provider whose requests are retried, unless a part of the answer was already delivered."""

    def __init__(
        self,
        provider: Provider,
        *,
        told: Callable[[ModelFault, float], object] | None = None,
    ) -> None:
        """`told` is called before each retry, with the fault and the seconds until the retry."""
        self._provider = provider
        self._told = told

    @property
    def model(self) -> str:
        """The model's name."""
        return self._provider.model

    async def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer; the last event is `Answered`.

        Raises:
            ModelFault: there is no answer, or it broke off.
        """
        for own_wait in (*WAITS, None):
            begun = False
            try:
                async with aclosing(self._provider.ask(request)) as events:
                    async for event in events:
                        begun = True
                        yield event
                return
            except ModelFault as fault:
                wait = self._wait(fault, own_wait)
                if begun or wait is None:
                    raise
                caught = fault
            if self._told is not None:
                self._told(caught, wait)
            await anyio.sleep(wait)

    async def count(self, request: ModelRequest) -> int | None:
        """Return how many tokens a request has; None if the server cannot tell."""
        return await self._provider.count(request)

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._provider.close()

    def _wait(self, fault: ModelFault, own: float | None) -> float | None:
        """Return the seconds before the next retry; None for no retry."""
        if own is None or fault.cause not in AGAIN:
            return None
        wait = own if fault.retry_after is None else fault.retry_after
        return wait if 0 <= wait <= LONGEST else None
