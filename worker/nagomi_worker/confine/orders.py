"""What a worker and the holder of a session's mounts say to each other: one packet each, as JSON."""

from __future__ import annotations

from typing import Final

import msgspec

LARGEST: Final = 65536


class Order(msgspec.Struct, frozen=True):
    """The project is to be so."""

    writable: bool


class Report(msgspec.Struct, frozen=True, omit_defaults=True):
    """The project is so now.

    The first report comes with the descriptors of both namespaces, unless there is a `fault`.
    """

    writable: bool = False
    writers: tuple[tuple[int, str, str], ...] = ()
    """Processes that keep it from being read-only: id, command, file."""
    held_up: bool = False
    """It cannot be made read-only yet; the holder tries again."""
    fault: str = ""
    """What the kernel refused; nothing more comes."""
    number: int = 0
    """The `errno` of that."""


encode = msgspec.json.Encoder().encode
decode_order = msgspec.json.Decoder(Order).decode
decode_report = msgspec.json.Decoder(Report).decode
