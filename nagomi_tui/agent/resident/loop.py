"""The agent's own loop: waits for events, gathers them, asks the model, and tells what it thought."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import anyio
import msgspec

from nagomi_tui.agent.modes.modes import Modes
from nagomi_tui.agent.providers import interface as llm
from nagomi_tui.agent.resident.loop_workplace import LoopWorkplace
from nagomi_tui.agent.resident.thought import Gathered, Proposal, Thought, request_for, thought_of
from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_json

HOUR: Final = 3600.0


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """Most requests and tokens within any hour; zero of either allows none."""

    requests: int = 12
    tokens: int = 60_000


class Request(msgspec.Struct, frozen=True):
    """One request: when it was made, and the tokens that it took."""

    at: float
    tokens: int = 0


class Spent(msgspec.Struct, frozen=True):
    """The requests of the last hour, oldest first."""

    requests: tuple[Request, ...] = ()

    def with_request(self, request: Request) -> Spent:
        """Return what is spent with one request more; those that an hour has passed over go."""
        kept = (one for one in self.requests if _counts(one, request.at))
        return Spent((*kept, request))

    def with_tokens(self, tokens: int) -> Spent:
        """Return what is spent once the newest request is known to have taken these tokens."""
        *before, newest = self.requests
        return Spent((*before, Request(newest.at, tokens)))

    def free_at(self, budget: Budget, now: float) -> float | None:
        """Return when the next request may be made, `now` if at once; None if never."""
        if budget.requests <= 0 or budget.tokens <= 0:
            return None
        counted = [one for one in self.requests if _counts(one, now)]
        tokens = sum(one.tokens for one in counted)
        at = now
        while counted and (len(counted) >= budget.requests or tokens >= budget.tokens):
            oldest = counted.pop(0)
            tokens -= oldest.tokens
            at = max(at, oldest.at + HOUR)
        return at

    def left(self, budget: Budget, now: float) -> Left:
        """Return what is left of a budget, and when it is whole again."""
        counted = [one for one in self.requests if _counts(one, now)]
        free = self.free_at(budget, now)
        return Left(
            requests=max(0, budget.requests - len(counted)),
            tokens=max(0, budget.tokens - sum(one.tokens for one in counted)),
            whole_at=counted[-1].at + HOUR if counted else 0.0,
            free_at=-1.0 if free is None else 0.0 if free <= now else free,
        )


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of the hour's budget; times are seconds since the epoch, 0 for now, -1 for never."""

    requests: int
    tokens: int
    whole_at: float
    free_at: float


def _counts(request: Request, now: float) -> bool:
    """Tell whether a request is less than an hour old; one of the future was a clock set back."""
    return 0 <= now - request.at < HOUR


MOST_PROPOSED: Final = 60
"""Proposals that are remembered."""


class LoopRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The requests of the last hour, and the state that the last one was about."""

    spent: Spent = Spent()
    asked_of: str = ""
    """Hash of state and mode when the last request was answered; "" before any."""
    not_before: float = 0.0
    """When the next request may be made, in seconds since the epoch, apart from the budget."""
    failures: int = 0
    """Number of requests that failed in a row."""
    fault: str = ""
    """Why the last one failed, as a `Cause`; "" if it did not, or if the settings say why."""
    proposed: tuple[Proposal, ...] = ()
    """What was proposed last for each session: an orchestrator that was replaced is told again."""

    def with_proposed(self, proposals: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
        """Return what is proposed with newer ones, which replace those for the same sessions."""
        newer = {one.session for one in proposals}
        others = tuple(one for one in self.proposed if one.session not in newer)
        return (*others, *proposals)[-MOST_PROPOSED:]


def read_record(path: Path) -> LoopRecord:
    """Return the stored record; an empty one if there is none, or it cannot be read."""
    try:
        return from_json(files.read(path), LoopRecord)
    except (OSError, msgspec.MsgspecError):
        return LoopRecord()


class KeptRecord:
    """The record of this process, kept on disk with each change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.record = read_record(path)

    def remember(self, **changes: Any) -> None:
        """Change fields and store them; if the disk is full, they are kept in memory."""
        self.record = msgspec.structs.replace(self.record, **changes)
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.write(self._path, msgspec.json.encode(self.record))


Rest: TypeAlias = Literal["calm", "consent", "unchanged", "pause", "budget"]
"""Why nothing is asked: the mode; the user has not agreed; nothing is new; the last request was
just now or failed; the hour's budget is spent."""

PAUSE: Final = 60.0
"""Seconds between two requests."""
FAILED_PAUSE: Final = 300.0
"""Seconds after a request that failed, if the server names no others; twice as many each time."""
MOST_PAUSE: Final = 3600.0


class Decision(msgspec.Struct, frozen=True):
    """Ask, or rest; `again` is when to check again without an event, None if only an event helps."""

    rest: Rest | None = None
    again: float | None = None


def decided(
    record: LoopRecord, seen: str, *, runs: bool, consent: bool, budget: Budget, now: float
) -> Decision:
    """Decide whether to ask about what is seen."""
    if not runs:
        return Decision("calm")
    if not consent:
        return Decision("consent")
    if seen == record.asked_of:
        return Decision("unchanged")
    if now < record.not_before <= now + MOST_PAUSE:
        return Decision("pause", record.not_before)
    free = record.spent.free_at(budget, now)
    return Decision() if free == now else Decision("budget", free)


def pause_after(failures: int, retry_after: float | None) -> float:
    """Return the seconds to wait after `failures` in a row; an hour at most."""
    if not failures:
        return PAUSE
    doubled = FAILED_PAUSE * (1 << min(failures - 1, 10))
    return min(MOST_PAUSE, max(doubled, retry_after or 0.0))


_log = logging.getLogger(__name__)
SETTLE: Final = 5.0
"""Seconds within which further events join the one that woke the loop."""
SCHEDULE: Final = 1800.0
"""Seconds after which the loop looks by itself; if nothing has changed, it asks nothing."""

Outcome: TypeAlias = Rest | Literal["thought", "failed", "unread", "undelivered"]
"""What a cycle came to; `unread` is a workplace that did not tell how things stand, `undelivered` one
that did not take what was thought."""


@dataclass(eq=False)
class Loop:
    """What the agent does by itself."""

    workplace: LoopWorkplace
    thinking: Thinking
    _: KW_ONLY
    consent: Callable[[], bool]
    """Tells whether the user has agreed that a model is asked."""
    budget: Callable[[], Budget]
    settle: float = SETTLE

    def __post_init__(self) -> None:
        self.modes, self.kept, self.now = self.thinking.modes, self.thinking.kept, self.thinking.now
        self._woken = anyio.Event()
        self._again: float | None = None
        self._proposes_again = False
        self._said_used_up = False

    @property
    def record(self) -> LoopRecord:
        """What is remembered of the requests."""
        return self.kept.record

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
                await anyio.sleep(self.settle)
            self._woken = anyio.Event()
            await self._whatever_happens(self.cycle)

    async def _whatever_happens(self, work: Callable[[], Awaitable[object]]) -> None:
        """Outlive a fault: chats and the API live in this process, too."""
        try:
            await work()
        except Exception:
            _log.exception("a look at the workplace failed")
            self._again = self.now() + FAILED_PAUSE

    async def _tell_again(self) -> None:
        """Propose again what was proposed to sessions that have not gone on since."""
        if not (self._proposes_again and self.modes.allowed.may_propose and self.record.proposed):
            return
        try:
            turns = {one.id: one.turn for one in (await self.workplace.gather()).sessions}
            held = tuple(one for one in self.record.proposed if turns.get(one.session) == one.turn)
            if held:
                await self.workplace.propose(held)
        except OSError:
            return  # the next workplace is told
        self._proposes_again = False

    def _until_next(self) -> float:
        if self._again is None:
            return SCHEDULE
        return min(SCHEDULE, max(self.settle, self._again - self.now()))

    async def cycle(self) -> Outcome:
        """Gather once, and ask the model if something has changed."""
        self._again = None
        if not self.modes.allowed.loop_runs:
            return "calm"
        if not self.consent():
            return "consent"
        try:
            gathered = await self.workplace.gather()
        except OSError:
            return "unread"
        seen = gathered.seen(self.modes.mode)
        decision = decided(
            self.record,
            seen,
            runs=self.modes.allowed.loop_runs,
            consent=self.consent(),
            budget=self.budget(),
            now=self.now(),
        )
        self._again = decision.again
        if decision.rest:
            await self._tell_rest(decision)
            return decision.rest
        try:
            closer = await self.workplace.look_closer(gathered)
        except OSError:
            return "unread"
        self._said_used_up = False
        thought = await self.thinking.think(closer, seen)
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
        if decision.rest != "budget" or self._said_used_up or not self.modes.allowed.may_speak:
            return
        self._said_used_up = True
        try:
            await self.workplace.used_up(decision.again)
        except OSError:
            self._said_used_up = False  # the next workplace is told

    async def _do(self, thought: Thought) -> None:
        """Do what the mode allows, which may have become another one meanwhile."""
        self.modes.keep_inner(thought.inner, route="loop")
        if thought.digest:
            await self.workplace.digest(thought.digest)
        if thought.proposals:
            self.kept.remember(proposed=self.record.with_proposed(thought.proposals))
            await self.workplace.propose(thought.proposals)
        if thought.sentence:
            await self.workplace.say(thought.sentence)


_ANSWER_SECONDS: Final = 120.0


@dataclass(eq=False)
class Thinking:
    """Asks the model, and keeps count of what that costs and how it went."""

    model: llm.Model
    modes: Modes
    kept: KeptRecord
    _: KW_ONLY
    now: llm.Clock
    mask: llm.Mask

    async def think(self, gathered: Gathered, seen: str) -> Thought | None:
        """Return what the model made of it; None if it failed, and when to try again is kept.

        `seen` is the digest of how everything stood.
        """
        try:
            with anyio.fail_after(_ANSWER_SECONDS):
                text = await self._answer(gathered)
        except (llm.ModelFault, TimeoutError, OSError) as fault:
            self._failed(fault)
            return None
        pause = pause_after(0, None)
        self.kept.remember(asked_of=seen, failures=0, fault="", not_before=self.now() + pause)
        return thought_of(text, gathered, self.modes.allowed, mask=self.mask)

    async def _answer(self, gathered: Gathered) -> str:
        request = request_for(
            gathered,
            prompt=self.modes.loop_prompt(),
            sections=self.modes.sections(),
            may_speak=self.modes.allowed.may_speak,
        )
        self._count_request()
        tokens = 0
        try:
            async with aclosing(self.model.ask(request)) as events:
                async for event in events:
                    if isinstance(event, llm.Progress):  # it is sent once more
                        self._count_request()
                    elif isinstance(event, llm.Answered):
                        tokens = event.usage.total
                        return _text_of(event)
        finally:
            self.kept.remember(spent=self.kept.record.spent.with_tokens(tokens))
        raise llm.ModelFault("broken")

    def _count_request(self) -> None:
        self.kept.remember(spent=self.kept.record.spent.with_request(Request(self.now())))

    def _failed(self, fault: Exception) -> None:
        failures = self.kept.record.failures + 1
        cause, retry_after = "late" if isinstance(fault, TimeoutError) else "other", None
        if isinstance(fault, llm.ModelFault):
            by_settings = fault.cause == "refused" and not fault.status
            cause, retry_after = "" if by_settings else fault.cause, fault.retry_after
        again = self.now() + pause_after(failures, retry_after)
        self.kept.remember(failures=failures, fault=cause, not_before=again)


def _text_of(answered: llm.Answered) -> str:
    return "".join(
        str(block.get("text", "")) for block in answered.content if block.get("type") == "text"
    )
