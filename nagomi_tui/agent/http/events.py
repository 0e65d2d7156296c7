"""Server-sent events on the workplace, for clients that listen or reconnect."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import AsyncIterator
from typing import Final

import anyio

from nagomi_tui.api import messages

KEPT: Final = 1000
"""The number of events kept for clients that reconnect."""
KEPT_BYTES: Final = 4 * 1024 * 1024
BEAT_SECONDS: Final = 15.0
"""The interval of keep-alive comments, which show each end when the other has gone."""
_TOLD: Final = (
    messages.TurnCompleted, messages.SessionChanged, messages.SessionRemoved, messages.Called,
)  # fmt: skip
_BEGINNING: Final = b"retry: 2000\n\n"
_BEAT: Final = b":\n\n"


class EventLog:
    """The newest events by number; an event's id also names the run of the agent's process.

    A client that was away too long or fell behind gets a `gap` event, and should then request the
    sessions again.
    """

    def __init__(self) -> None:
        self._run = secrets.token_hex(4)
        self._events: deque[bytes] = deque()
        self._bytes = 0
        self._next = 1
        self._came = anyio.Event()
        self._closed = False

    def tell(self, message: messages.ToClient) -> None:
        """Add a message that the orchestrator pushed, if it is of a kind for listeners."""
        if isinstance(message, _TOLD):
            kind = str(type(message).__struct_config__.tag)
            self._add(kind, messages.encode(message).strip())

    def gap(self) -> None:
        """Tell listeners that events may be missing, as after the orchestrator's restart."""
        self._add("gap", b"{}")

    def close(self) -> None:
        """End every stream."""
        self._closed = True
        self._wake()

    async def stream(self, last_id: str = "") -> AsyncIterator[bytes]:
        """Yield encoded events until the log is closed: those after `last_id`, or else new ones."""
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
        """Return the number of the event after `last_id`; None if events in between are lost."""
        if not last_id:
            return self._next
        run, _, number = last_id.partition("-")
        if run != self._run or not (number.isascii() and number.isdigit() and len(number) < 19):
            return None
        return int(number) + 1 if self._first <= int(number) + 1 <= self._next else None

    async def _more(self) -> bool:
        """Wait for an event or the log's end; return False if `BEAT_SECONDS` passed first."""
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
