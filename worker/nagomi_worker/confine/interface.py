"""The mounts of a strict session as protocols, which every operating system can import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nagomi_worker.confine.orders import Report


class Watcher(Protocol):
    """The part of the worker's event loop that a confinement needs."""

    def watch(self, fd: int, *, read: Callable[[], None] | None, write: None) -> None:
        """Call `read` while `fd` is readable."""

    def unwatch(self, fd: int) -> None:
        """Stop watching `fd`."""

    def call_later(self, delay: float, callback: Callable[[], None]) -> object:
        """Call once after `delay` seconds."""


class Inside(Protocol):
    """The namespaces in which a session's programs are to run."""

    def __iter__(self) -> Iterator[int]:
        """Yield the descriptors that a forked process must keep open to enter them."""

    def confine(self) -> None:
        """Move this process, which must have one thread only, into them for good.

        The current folder becomes `/`, since the earlier one may lie outside of the mounts.

        Raises:
            OSError: the kernel refuses it.
        """


class Confinement(Protocol):
    """A project that the kernel write-protects."""

    @property
    def report(self) -> Report:
        """The latest report on the project."""

    @property
    def inside(self) -> Inside:
        """The namespaces in which its session's programs are to run."""

    def hold(self, *, writable: bool, number: int = 0) -> None:
        """Have the project made writable or read-only; a report of that number says that it is done."""

    def close(self) -> None:
        """End the holder, which leaves the project read-only for programs that remain."""
