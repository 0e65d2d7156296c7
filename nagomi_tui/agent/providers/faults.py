"""Why a model's server gave no answer, and which requests are tried again."""

from __future__ import annotations

import json
from contextlib import aclosing
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

import anyio

from nagomi_tui.agent.providers.interface import Cause, ModelFault, Progress
from nagomi_tui.agent.providers.overflow import says_too_long

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Sequence

    from nagomi_tui.agent.providers.interface import ModelEvent, ModelRequest, Provider

_MESSAGE_LIMIT: Final = 400

_KINDS: Final[dict[str, Cause]] = {
    "authentication_error": "key",
    "invalid_api_key": "key",
    "rate_limit_error": "rate",
    "rate_limit_exceeded": "rate",
    "overloaded_error": "overloaded",
    "api_error": "overloaded",
    "server_error": "overloaded",
    "unavailable_error": "overloaded",
    "timeout_error": "late",
    "permission_error": "refused",
    "not_found_error": "refused",
    "billing_error": "refused",
    "insufficient_quota": "refused",
}
"""Causes by the server's error type; `insufficient_quota` comes with 429, but no retry helps."""

_STATUSES: Final[dict[int, Cause]] = {
    401: "key", 408: "late", 409: "overloaded", 425: "overloaded", 429: "rate", 504: "late",
}  # fmt: skip

_TRANSPORT: Final[dict[str, Cause]] = {
    "ConnectError": "offline",
    "ConnectTimeout": "offline",
    "TimeoutException": "late",
    "TransportError": "broken",
    "DecodingError": "garbled",
}
"""Causes by the class names of HTTP client errors, as SDK versions use different HTTP clients."""


def cause_of(status: int, kind: str, *messages: str, kinds: Sequence[str] = ()) -> Cause:
    """Return why a server gave no answer, from its status, its messages, and the error's type.

    `kinds` are further names that the server gives the error.
    """
    if says_too_long(status, [kind, *kinds], messages):
        return "overflow"
    if (cause := _KINDS.get(kind)) is not None:
        return cause
    if (cause := _STATUSES.get(status)) is not None:
        return cause
    if status >= 500:
        return "overloaded"
    return "refused" if status >= 400 else "other"


def fault_of(exc: Exception, key: str = "") -> ModelFault:
    """Return the fault for an error of an SDK, or of a layer below it.

    The fault's message has neither the key nor control characters in it.
    """
    if isinstance(exc, ModelFault):
        return exc
    if (status := getattr(exc, "status_code", None)) is not None or hasattr(exc, "body"):
        told = _told(exc, status or 0, key)
        if told is not None:
            return told
    names = _names(exc)
    if cause := next((_TRANSPORT[name] for name in names if name in _TRANSPORT), None):
        return ModelFault(cause, shown(str(exc), key))
    if "APIConnectionError" in names:
        return ModelFault("offline", shown(str(exc), key))
    return ModelFault("garbled", shown(f"{type(exc).__name__}: {exc}", key))


def _told(exc: Any, status: int, key: str) -> ModelFault | None:
    """Return the fault that the server reported; None if the server was not reached."""
    body = getattr(exc, "body", None)
    if status == 0 and not isinstance(body, dict):
        return None
    kinds = [said for name, said in _sayings(body) if name in _KIND_NAMES]
    texts = [said for name, said in _sayings(body) if name in _TEXT_NAMES]
    kind = next((one for name in ("code", "type") for one in _named(body, name)), "")
    message = (texts or [str(body or exc)])[0]
    # A gateway's own message may say nothing, and hold that of the server behind it.
    cause = cause_of(status, kind or next(iter(kinds), ""), *(texts or [message]), kinds=kinds)
    return ModelFault(
        cause, shown(message, key), status=status, kind=kind, retry_after=_wait_of(exc)
    )


_KIND_NAMES: Final = frozenset(["code", "type", "status", "error_type", "__type", "reason", "name"])
_TEXT_NAMES: Final = frozenset(
    ["message", "msg", "error", "detail", "details", "description", "title", "raw", "errors", ""]
)
"""Fields that hold a server's own words; others may repeat what was sent to it."""
_DEEPEST: Final = 6


def _sayings(body: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the texts in an error's body with their fields' names, JSON within texts included."""
    if depth > _DEEPEST:
        return
    if isinstance(body, dict):
        for key, value in body.items():
            yield from _sayings(value, str(key), depth + 1)
    elif isinstance(body, list):
        for value in body[:20]:
            yield from _sayings(value, name, depth + 1)
    elif isinstance(body, str) and body and not body.isdigit():
        inner = _json(body) if name in _TEXT_NAMES else None
        if inner is None:
            yield name, body
        else:
            yield from _sayings(inner, name, depth + 1)


def _json(text: str) -> Any:
    """Return the object or list in a JSON text; None for any other text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _named(body: Any, name: str) -> Iterator[str]:
    """Yield the error's own names of one kind, without those of what stands around it."""
    error = body.get("error", body) if isinstance(body, dict) else {}
    found = error.get(name) if isinstance(error, dict) else None
    if isinstance(found, str) and found and not found.isdigit():
        yield found


def _names(exc: BaseException | None) -> list[str]:
    """Return the class names of an error, its base classes and the errors that caused it."""
    found: list[str] = []
    for _ in range(8):
        if exc is None:
            break
        found += [kind.__name__ for kind in type(exc).__mro__]
        exc = exc.__cause__
    return found


def _wait_of(exc: Any) -> float | None:
    """Return the server's `Retry-After` in seconds, also where it is a date; None without one."""
    headers = getattr(getattr(exc, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    return _until(headers.get("retry-after", ""), headers.get("date", ""))


def _until(then: str, now: str) -> float | None:
    """Return the seconds between two dates of the server, whose clock may differ from ours."""
    try:
        return max(0.0, (parsedate_to_datetime(then) - parsedate_to_datetime(now)).total_seconds())
    except (TypeError, ValueError):
        return None


def shown(text: str, key: str = "") -> str:
    """Return a server's message for display: without the key, on one line, and shortened."""
    text = text.replace(key, "•••") if key else text
    text = "".join(char if char.isprintable() else " " for char in text).strip()
    return text if len(text) <= _MESSAGE_LIMIT else text[:_MESSAGE_LIMIT] + "…"


AGAIN: Final[frozenset[Cause]] = frozenset({"rate", "overloaded", "offline", "broken"})
WAITS: Final = (1.0, 3.0, 9.0)
"""Seconds before each retry, if the server names none."""
LONGEST: Final = 60.0
"""Seconds. If the server names a longer wait, there is no retry: the user decides."""


class Retrying:
    """A provider whose requests are retried, unless a part of the answer was already delivered."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    @property
    def model(self) -> str:
        """The model's name."""
        return self._provider.model

    async def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer; the last event is `Answered`. Before each retry comes a `Progress`.

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
            yield Progress(kind="retry", seconds=wait, cause=caught.cause)
            await anyio.sleep(wait)

    async def count(self, request: ModelRequest) -> int | None:
        """Return how many tokens a request has; None if the server cannot tell."""
        return await self._provider.count(request)

    async def window(self) -> int | None:
        """Return the most tokens of a request by the server's own account; None without one."""
        return await self._provider.window()

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._provider.close()

    def _wait(self, fault: ModelFault, own: float | None) -> float | None:
        """Return the seconds before the next retry; None for no retry."""
        if own is None or fault.cause not in AGAIN:
            return None
        wait = own if fault.retry_after is None else fault.retry_after
        return wait if 0 <= wait <= LONGEST else None
