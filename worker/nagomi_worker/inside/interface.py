"""The part of the worker's event loop that is needed here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Watching(Protocol):
    """Calls back when a descriptor is ready, or a time has come."""

    def now(self) -> float:
        """Return the monotonic time in seconds."""

    def watch(
        self, fd: int, *, read: Callable[[], None] | None, write: Callable[[], None] | None
    ) -> None:
        """Call `read` while `fd` is readable and `write` while it is writable."""

    def unwatch(self, fd: int) -> None:
        """Watch `fd` no more."""

    def call_later(self, delay: float, callback: Callable[[], None]) -> object:
        """Call once after `delay` seconds."""
