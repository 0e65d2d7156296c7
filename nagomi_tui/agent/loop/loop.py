"""Wakes, looks, thinks within its budget, and does what the mode allows; one cycle at a time."""

from __future__ import annotations

import contextlib
import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

import anyio
import msgspec

from nagomi_tui.agent.loop.asking import request_for
from nagomi_tui.agent.loop.budget import Request
from nagomi_tui.agent.loop.deciding import FAILED_PAUSE, Rest, decided, pause_after
from nagomi_tui.agent.loop.standing import read_standing, write_standing
from nagomi_tui.agent.loop.thought import Thought, thought_of
from nagomi_tui.agent.providers.interface import Answered, ModelFault

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from nagomi_tui.agent.common.values import Clock, Mask
    from nagomi_tui.agent.loop.budget import Budget
    from nagomi_tui.agent.loop.gathered import Gathered
    from nagomi_tui.agent.loop.thought import Proposal
    from nagomi_tui.agent.modes.modes import Modes
    from nagomi_tui.agent.providers.interface import ModelEvent, ModelRequest

_log = logging.getLogger(__name__)
SETTLE: Final = 5.0
"""Seconds within which further events join the one that woke the loop."""
SCHEDULE: Final = 1800.0
"""Seconds after which the loop looks by itself; if nothing has changed, it asks nothing."""
_ANSWER_SECONDS: Final = 120.0

Outcome: TypeAlias = Rest | Literal["thought", "failed", "blind", "unheard"]
"""What a cycle came to; `blind` is a workplace that did not tell how things stand, `unheard` one
that did not take what was thought."""


class Room(Protocol):
    """The workplace as the loop knows it."""

    async def gather(self) -> Gathered:
        """Return how everything stands, masked; lines of screens are not needed yet.

        Raises:
            OSError: the workplace cannot be asked.
        """

    async def look_closer(self, gathered: Gathered) -> Gathered:
        """Return the same with the last lines of sessions, masked.

        Raises:
            OSError: the workplace cannot be asked.
        """

    async def say(self, sentence: str) -> None:
        """Tell the user one sentence, by the rules of all calls: quiet hours, gathering."""

    async def digest(self, lines: tuple[str, ...]) -> None:
        """Keep what happened for when the user is back."""

    async def propose(self, proposals: tuple[Proposal, ...]) -> None:
        """Show next steps to choose from; none is run."""


class Model(Protocol):
    """Whoever answers a request: a provider, or a guard before one."""

    def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer."""


class Loop:
    """What the agent does by itself."""

    def __init__(
        self,
        room: Room,
        model: Model,
        modes: Modes,
        kept: Path,
        *,
        consent: Callable[[], bool],
        budget: Callable[[], Budget],
        now: Clock,
        mask: Mask,
        settle: float = SETTLE,
    ) -> None:
        self._room = room
        self._model = model
        self._modes = modes
        self._kept = kept
        self._consent = consent
        self._budget = budget
        self._now = now
        self._mask = mask
        self._settle = settle
        self._woken = anyio.Event()
        self._again: float | None = None
        self.standing = read_standing(kept)

    def wake(self) -> None:
        """Look soon: a turn or command has ended, a session waits, NEXT.md or the mode changed."""
        self._woken.set()

    async def run(self) -> None:
        """Look whenever something happens, and now and then; it never returns."""
        while True:
            with anyio.move_on_after(self._until_next()):
                await self._woken.wait()
                await anyio.sleep(self._settle)
            self._woken = anyio.Event()
            try:
                await self.cycle()
            except Exception:
                # Chats and the API live in this process, too.
                _log.exception("a look at the workplace failed")
                self._again = self._now() + FAILED_PAUSE

    def _until_next(self) -> float:
        if self._again is None:
            return SCHEDULE
        return min(SCHEDULE, max(self._settle, self._again - self._now()))

    async def cycle(self) -> Outcome:
        """Look once, and think if there is something to think about."""
        self._again = None
        if not self._modes.allowed.loop_runs:
            return "calm"
        if not self._consent():
            return "consent"
        try:
            gathered = await self._room.gather()
        except OSError:
            return "blind"
        seen = gathered.seen(self._modes.mode)
        decision = decided(
            self.standing,
            seen,
            runs=self._modes.allowed.loop_runs,
            consent=self._consent(),
            budget=self._budget(),
            now=self._now(),
        )
        self._again = decision.again
        if decision.rest:
            return decision.rest
        try:
            closer = await self._room.look_closer(gathered)
        except OSError:
            return "blind"
        return await self._think(closer, seen)

    async def _think(self, gathered: Gathered, seen: str) -> Outcome:
        try:
            with anyio.fail_after(_ANSWER_SECONDS):
                text = await self._answer(gathered)
        except (ModelFault, TimeoutError, OSError) as fault:
            self._failed(getattr(fault, "retry_after", None))
            return "failed"
        self._remember(asked_of=seen, failures=0, not_before=self._now() + pause_after(0, None))
        try:
            await self._do(thought_of(text, gathered, self._modes.allowed, mask=self._mask))
        except OSError:
            return "unheard"
        return "thought"

    async def _answer(self, gathered: Gathered) -> str:
        request = request_for(
            gathered,
            prompt=self._modes.loop_prompt(),
            sections=self._modes.sections(),
            may_speak=self._modes.allowed.may_speak,
        )
        self._remember(spent=self.standing.spent.with_request(Request(self._now())))
        tokens = 0
        try:
            async with aclosing(self._model.ask(request)) as events:
                async for event in events:
                    if isinstance(event, Answered):
                        used = event.usage
                        tokens = used.input + used.output + used.cache_read + used.cache_write
                        return _text_of(event)
        finally:
            self._remember(spent=self.standing.spent.with_tokens(tokens))
        raise ModelFault("broken")

    def _failed(self, retry_after: float | None) -> None:
        failures = self.standing.failures + 1
        self._again = self._now() + pause_after(failures, retry_after)
        self._remember(failures=failures, not_before=self._again)

    def _remember(self, **changes: Any) -> None:
        """Keep what has changed; where the disk is full, the process remembers it all the same."""
        self.standing = msgspec.structs.replace(self.standing, **changes)
        with contextlib.suppress(OSError):
            write_standing(self._kept, self.standing)

    async def _do(self, thought: Thought) -> None:
        """Do what the mode allows, which may have become another one meanwhile."""
        self._modes.keep_inner(thought.inner, route="loop")
        if thought.digest:
            await self._room.digest(thought.digest)
        if thought.proposals:
            await self._room.propose(thought.proposals)
        if thought.sentence:
            await self._room.say(thought.sentence)


def _text_of(answered: Answered) -> str:
    return "".join(
        str(block.get("text", "")) for block in answered.content if block.get("type") == "text"
    )
