"""What the loop may spend: requests and tokens in an hour."""

from __future__ import annotations

from typing import Final

import msgspec

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


def _counts(request: Request, now: float) -> bool:
    """Tell whether a request is less than an hour old; one of the future was a clock set back."""
    return 0 <= now - request.at < HOUR
