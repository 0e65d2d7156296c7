"""One thing that was looked at, with what follows from it."""

from __future__ import annotations

from typing import Literal

import msgspec

Result = Literal["ok", "warning", "missing"]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    key: str
    """Its name in JSON; it stays the same in every language."""
    label: str
    result: Result
    found: str
    meaning: str = ""
    """What the result means for the user, in a sentence."""
    remedy: str = ""
    """What to do about it; empty if nothing is to be done."""
    needed: bool = False
    """nagomi cannot work without it."""
