"""The agent's own loop: waits for events, gathers them, asks the model, and tells what it thought."""

from __future__ import annotations

import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

import anyio

from nagomi_tui.agent.loop.budget import FAILED_PAUSE, Request, Rest, pause_after
from nagomi_tui.agent.loop.thought import request_for, thought_of
from nagomi_tui.agent.providers.interface import Answered, ModelFault

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nagomi_tui.agent.loop.budget import Deciding, Decision, KeptRecord, LoopRecord
    from nagomi_tui.agent.loop.thought import Gathered, Proposal, Thought
    from nagomi_tui.agent.modes.modes import Modes
    from nagomi_tui.agent.providers.interface import Clock, Mask, Model

_log = logging.getLogger(__name__)
SETTLE: Final = 5.0
"""Seconds within which further events join the one that woke the loop."""
SCHEDULE: Final = 1800.0
"""Seconds after which the loop looks by itself; if nothing has changed, it asks nothing."""

Outcome: TypeAlias = Rest | Literal["thought", "failed", "unread", "undelivered"]
"""What a cycle came to; `unread` is a workplace that did not tell how things stand, `undelivered` one
that did not take what was thought."""


class LoopWorkplace(Protocol):
    """The workplace, as far as the loop reads it and tells it something."""

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

    async def used_up(self, until: float | None) -> None:
        """Tell the user that the hour's budget is used up, and until when; None for ever."""

    async def digest(self, lines: tuple[str, ...]) -> None:
        """Keep what happened for when the user is back."""

    async def propose(self, proposals: tuple[Proposal, ...]) -> None:
        """Show next steps to choose from; none is run."""


class Loop:
    """What the agent does by itself."""

    def __init__(
        self,
        workplace: LoopWorkplace,
        deciding: Deciding,
        thinking: Thinking,
        modes: Modes,
        *,
        kept: KeptRecord,
        now: Clock,
        settle: float = SETTLE,
    ) -> None:
        self._workplace = workplace
        self._deciding = deciding
        self._thinking = thinking
        self._modes = modes
        self._kept = kept
        self._now = now
        self._settle = settle
        self._woken = anyio.Event()
        self._again: float | None = None
        self._proposes_again = False
        self._said_used_up = False

    @property
    def record(self) -> LoopRecord:
        """What is remembered of the requests."""
        return self._kept.record

    def wake(self) -> None:
        """Run a cycle soon: a turn or command has ended, a session waits, NEXT.md or the mode changed."""
        self._woken.set()

    def workplace_came(self) -> None:
        """Look soon, and tell again what was proposed: this workplace does not know of it yet."""
        self._proposes_again = True
        self.wake()

    async def run(self) -> None:
        """Run a cycle whenever something happens, and every half hour, for ever."""
        while True:
            with anyio.move_on_after(self._until_next()):
                await self._woken.wait()
                await self._whatever_happens(self._tell_again)
                await anyio.sleep(self._settle)
            self._woken = anyio.Event()
            await self._whatever_happens(self.cycle)

    async def _whatever_happens(self, work: Callable[[], Awaitable[object]]) -> None:
        """Outlive a fault: chats and the API live in this process, too."""
        try:
            await work()
        except Exception:
            _log.exception("a look at the workplace failed")
            self._again = self._now() + FAILED_PAUSE

    async def _tell_again(self) -> None:
        """Propose again what was proposed to sessions that have not gone on since."""
        if not (self._proposes_again and self._modes.allowed.may_propose and self.record.proposed):
            return
        try:
            turns = {one.id: one.turn for one in (await self._workplace.gather()).sessions}
            held = tuple(one for one in self.record.proposed if turns.get(one.session) == one.turn)
            if held:
                await self._workplace.propose(held)
        except OSError:
            return  # the next workplace is told
        self._proposes_again = False

    def _until_next(self) -> float:
        if self._again is None:
            return SCHEDULE
        return min(SCHEDULE, max(self._settle, self._again - self._now()))

    async def cycle(self) -> Outcome:
        """Gather once, and ask the model if something has changed."""
        self._again = None
        if rest := self._deciding.rest():
            return rest
        try:
            gathered = await self._workplace.gather()
        except OSError:
            return "unread"
        seen = gathered.seen(self._modes.mode)
        decision = self._deciding.decide(seen)
        self._again = decision.again
        if decision.rest:
            await self._tell_rest(decision)
            return decision.rest
        try:
            closer = await self._workplace.look_closer(gathered)
        except OSError:
            return "unread"
        self._said_used_up = False
        thought = await self._thinking.think(closer, seen)
        if thought is None:
            self._again = self.record.not_before
            return "failed"
        try:
            await self._do(thought)
        except OSError:
            return "undelivered"
        return "thought"

    async def _tell_rest(self, decision: Decision) -> None:
        """Say once that the budget is used up, in the mode in which the agent speaks by itself."""
        if decision.rest != "budget" or self._said_used_up or not self._modes.allowed.may_speak:
            return
        self._said_used_up = True
        try:
            await self._workplace.used_up(decision.again)
        except OSError:
            self._said_used_up = False  # the next workplace is told

    async def _do(self, thought: Thought) -> None:
        """Do what the mode allows, which may have become another one meanwhile."""
        self._modes.keep_inner(thought.inner, route="loop")
        if thought.digest:
            await self._workplace.digest(thought.digest)
        if thought.proposals:
            self._kept.remember(proposed=self.record.with_proposed(thought.proposals))
            await self._workplace.propose(thought.proposals)
        if thought.sentence:
            await self._workplace.say(thought.sentence)


_ANSWER_SECONDS: Final = 120.0


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
                        tokens = event.usage.total
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
