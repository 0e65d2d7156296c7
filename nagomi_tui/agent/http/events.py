"""Server-sent events: what happens in the workplace, for whoever listens or comes back."""

from __future__ import annotations

import secrets
from collections import deque
from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui.api import messages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

KEPT: Final = 1000
"""Events that are kept for those who come back."""
KEPT_BYTES: Final = 4 * 1024 * 1024
BEAT_SECONDS: Final = 15.0
"""So often something is said, so that both ends see when the other has gone."""
_TOLD: Final = (
    messages.TurnCompleted, messages.SessionChanged, messages.SessionRemoved, messages.Called,
)  # fmt: skip
_BEGINNING: Final = b"retry: 2000\n\n"
_BEAT: Final = b":\n\n"


class EventLog:
    """The newest events, by number; an id names the run of the agent, too.

    A listener that was away too long, or that fell behind, is told of a `gap`: it asks for the
    sessions anew.
    """

    def __init__(self) -> None:
        self._run = secrets.token_hex(4)
        self._events: deque[bytes] = deque()
        self._bytes = 0
        self._next = 1
        self._came = anyio.Event()
        self._closed = False

    def tell(self, message: messages.ToClient) -> None:
        """Tell listeners of a message that the orchestrator has pushed, if it is one for them."""
        if isinstance(message, _TOLD):
            kind = str(type(message).__struct_config__.tag)
            self._add(kind, messages.encode(message).strip())

    def gap(self) -> None:
        """Tell listeners that something may have been missed, as after the orchestrator's restart."""
        self._add("gap", b"{}")

    def close(self) -> None:
        """End every stream."""
        self._closed = True
        self._wake()

    async def stream(self, last_id: str = "") -> AsyncIterator[bytes]:
        """Yield events as they go over the line, those after `last_id` first, until all ends."""
        number = self._after(last_id)
        yield _BEGINNING
        if number is None:
            number = self._next
            yield self._lines(number - 1, "gap", b"{}")
        while not self._closed:
            if number < self._first:
                number = self._next
                yield self._lines(number - 1, "gap", b"{}")
            while number < self._next and number >= self._first:
                number += 1
                yield self._events[number - 1 - self._first]
            if number == self._next and not self._closed and not await self._more():
                yield _BEAT

    @property
    def _first(self) -> int:
        return self._next - len(self._events)

    def _after(self, last_id: str) -> int | None:
        """Return the number of the first event to tell; None where some in between are lost."""
        if not last_id:
            return self._next
        run, _, number = last_id.partition("-")
        if run != self._run or not (number.isascii() and number.isdigit() and len(number) < 19):
            return None
        return int(number) + 1 if self._first <= int(number) + 1 <= self._next else None

    async def _more(self) -> bool:
        """Wait for another event; tell whether one came, or the end, before it is time to beat."""
        with anyio.move_on_after(BEAT_SECONDS):
            await self._came.wait()
            return True
        return False

    def _add(self, kind: str, data: bytes) -> None:
        event = self._lines(self._next, kind, data)
        self._events.append(event)
        self._next += 1
        self._bytes += len(event)
        while len(self._events) > KEPT or self._bytes > KEPT_BYTES:
            self._bytes -= len(self._events.popleft())
        self._wake()

    def _lines(self, number: int, kind: str, data: bytes) -> bytes:
        return b"id: %s-%d\nevent: %s\ndata: %s\n\n" % (
            self._run.encode(),
            number,
            kind.encode(),
            data,
        )

    def _wake(self) -> None:
        self._came.set()
        self._came = anyio.Event()
