"""Finds in plain text what sets the colours of the text behind it."""

from __future__ import annotations

import re
from typing import Final

_SGR: Final = re.compile(rb"\x1b\[[0-9;:]*m|\x1b(?:\[[0-9;:]*)?\Z")
_REST: Final = re.compile(rb"\[?[0-9;:]*[mK]")
_NEAR: Final = 4096
_RESETS: Final = (b"\x1b[0m", b"\x1b[m")


def last(data: bytes) -> bytes:
    """Return the sequences since the last reset, also one that the next text ends."""
    if b"\x1b" not in data:
        return b""
    # The last reset is nearly always near.
    near = max(data.rfind(reset, -_NEAR) for reset in _RESETS)
    start = near if near >= 0 else max(0, *(data.rfind(reset) for reset in _RESETS))
    return b"".join(_SGR.findall(data, start))


def rest(data: bytes) -> bytes:
    """Return the end of a sequence that the text before has begun."""
    found = _REST.match(data)
    return found[0] if found else b""
