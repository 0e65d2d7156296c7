"""Decides whether the agent may ask its model by itself now, by mode, consent and budget."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from nagomi_tui.agent.loop.thought import Proposal
from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.agent.modes.modes import Modes
    from nagomi_tui.agent.providers.interface import Clock

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


def write_record(path: Path, record: LoopRecord) -> None:
    """Store the record.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, msgspec.json.encode(record))


class KeptRecord:
    """The record of this process, kept on disk with each change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.record = read_record(path)

    def remember(self, **changes: Any) -> None:
        """Change fields and store them; if the disk is full, they are kept in memory."""
        self.record = msgspec.structs.replace(self.record, **changes)
        with contextlib.suppress(OSError):
            write_record(self._path, self.record)


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


class Deciding:
    """Decides by the mode, the user's consent and the budget, each as it is at the moment."""

    def __init__(
        self,
        kept: KeptRecord,
        modes: Modes,
        *,
        consent: Callable[[], bool],
        budget: Callable[[], Budget],
        now: Clock,
    ) -> None:
        self._kept = kept
        self._modes = modes
        self._consent = consent
        """Tells whether the user has agreed that a model is asked."""
        self._budget = budget
        self._now = now

    def rest(self) -> Rest | None:
        """Return why the workplace is not even looked at; None if it is."""
        if not self._modes.allowed.loop_runs:
            return "calm"
        return None if self._consent() else "consent"

    def decide(self, seen: str) -> Decision:
        """Decide about a request on what is seen, a digest of how everything stands."""
        return decided(
            self._kept.record,
            seen,
            runs=self._modes.allowed.loop_runs,
            consent=self._consent(),
            budget=self._budget(),
            now=self._now(),
        )
