"""What the worker has of a guarded session's mounts, on a system that can hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nagomi_worker.confine.orders import Report


class Watcher(Protocol):
    """What a confinement needs of the worker's loop."""

    def watch(self, fd: int, *, read: Callable[[], None] | None, write: None) -> None:
        """Call `read` while `fd` is readable."""

    def unwatch(self, fd: int) -> None:
        """Watch `fd` no more."""

    def call_later(self, delay: float, callback: Callable[[], None]) -> object:
        """Call once after `delay` seconds."""


class Inside(Protocol):
    """Where a session's programs are to run: its descriptors, and the way there."""

    def __iter__(self) -> Iterator[int]:
        """Yield the descriptors that must be open."""

    def confine(self) -> None:
        """Move this process there, for good, and with one thread only.

        Its folder is then the root folder, since the one before may lie outside of the mounts.

        Raises:
            OSError: the kernel refuses it.
        """


class Confinement(Protocol):
    """A project that the kernel holds."""

    @property
    def report(self) -> Report:
        """How the project is now."""

    @property
    def inside(self) -> Inside:
        """Where its session's programs are to run."""

    def hold(self, *, writable: bool) -> None:
        """Have the project made writable or read-only; a report comes when that is done."""

    def close(self) -> None:
        """Let go: the project is read-only for whatever is left in there."""
