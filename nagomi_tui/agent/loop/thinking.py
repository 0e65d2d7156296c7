"""One request of the loop to its model, and what came of it."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Final, Protocol

import anyio

from nagomi_tui.agent.loop.asking import request_for
from nagomi_tui.agent.loop.budget import Request
from nagomi_tui.agent.loop.deciding import pause_after
from nagomi_tui.agent.loop.thought import thought_of
from nagomi_tui.agent.providers.interface import Answered, ModelFault

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from nagomi_tui.agent.common.values import Clock, Mask
    from nagomi_tui.agent.loop.gathered import Gathered
    from nagomi_tui.agent.loop.record import KeptRecord
    from nagomi_tui.agent.loop.thought import Thought
    from nagomi_tui.agent.modes.modes import Modes
    from nagomi_tui.agent.providers.interface import ModelEvent, ModelRequest

_ANSWER_SECONDS: Final = 120.0


class Model(Protocol):
    """Whoever answers a request: a provider, or a guard before one."""

    def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer."""


class Thinking:
    """Asks the model, and keeps count of what that costs and how it went."""

    def __init__(
        self, model: Model, modes: Modes, kept: KeptRecord, *, now: Clock, mask: Mask
    ) -> None:
        self._model = model
        self._modes = modes
        self._kept = kept
        self._now = now
        self._mask = mask

    async def think(self, gathered: Gathered, seen: str) -> Thought | None:
        """Return what the model made of it; None if it failed, and when to try again is kept.

        `seen` is the digest of how everything stood.
        """
        try:
            with anyio.fail_after(_ANSWER_SECONDS):
                text = await self._answer(gathered)
        except (ModelFault, TimeoutError, OSError) as fault:
            self._failed(getattr(fault, "retry_after", None))
            return None
        pause = pause_after(0, None)
        self._kept.remember(asked_of=seen, failures=0, not_before=self._now() + pause)
        return thought_of(text, gathered, self._modes.allowed, mask=self._mask)

    async def _answer(self, gathered: Gathered) -> str:
        request = request_for(
            gathered,
            prompt=self._modes.loop_prompt(),
            sections=self._modes.sections(),
            may_speak=self._modes.allowed.may_speak,
        )
        self._kept.remember(spent=self._kept.record.spent.with_request(Request(self._now())))
        tokens = 0
        try:
            async with aclosing(self._model.ask(request)) as events:
                async for event in events:
                    if isinstance(event, Answered):
                        used = event.usage
                        tokens = used.input + used.output + used.cache_read + used.cache_write
                        return _text_of(event)
        finally:
            self._kept.remember(spent=self._kept.record.spent.with_tokens(tokens))
        raise ModelFault("broken")

    def _failed(self, retry_after: float | None) -> None:
        failures = self._kept.record.failures + 1
        again = self._now() + pause_after(failures, retry_after)
        self._kept.remember(failures=failures, not_before=again)


def _text_of(answered: Answered) -> str:
    return "".join(
        str(block.get("text", "")) for block in answered.content if block.get("type") == "text"
    )
