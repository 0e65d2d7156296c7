"""The interface of a confinement, with the orders to its holder and the holder's reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

import msgspec


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


LARGEST: Final = 65536


class Order(msgspec.Struct, frozen=True):
    """Sent to the holder: how the project is to be mounted."""

    writable: bool
    number: int = 0
    """The report that carries it out bears the same."""


class Report(msgspec.Struct, frozen=True, omit_defaults=True):
    """Sent by the holder: how the project is mounted now.

    The first report comes with the descriptors of both namespaces, unless it has a `fault`.
    """

    writable: bool = False
    writers: tuple[tuple[int, str, str], ...] = ()
    """Processes that keep it from being read-only: id, command, file."""
    held_up: bool = False
    """It cannot be made read-only yet; the holder tries again."""
    order: int = 0
    """The number of the latest order."""
    moved: str = ""
    """A path at which now stands another folder than the one that is held; it is read-only then."""
    fault: str = ""
    """What the kernel refused; the holder has ended."""
    number: int = 0
    """The `errno` of the fault."""


encode = msgspec.json.Encoder().encode
decode_order = msgspec.json.Decoder(Order).decode
decode_report = msgspec.json.Decoder(Report).decode
