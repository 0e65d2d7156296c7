"""Messages between a worker and the holder of a session's mounts: one JSON packet each."""

from __future__ import annotations

from typing import Final

import msgspec

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
