"""Reads `/work` and `/normal` from what a user typed (W-7)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal, TypeAlias

import msgspec

DEFAULT_WORK_OVERLAY_TURNS: Final = 8
MOST_TURNS: Final = 50

Kind: TypeAlias = Literal["on", "off", "status", ""]

_NUMBER: Final = re.compile("[0-9]{1,2}")


class WorkCommand(msgspec.Struct, frozen=True):
    """What a line asks of the overlay; `ok` is false where it is no command of the overlay."""

    kind: Kind = ""
    turns: int = 0
    ok: bool = False
    usage: bool = False
    """The line is malformed, so the answer shows the usage after the status (X-11)."""


def work_command(text: str) -> WorkCommand:
    """Read a line, in which full-width characters and capitals count as plain ones (WB-5)."""
    words = unicodedata.normalize("NFKC", text).casefold().split()
    match words:
        case ["/normal"] | ["/work", "off"]:
            return WorkCommand("off", ok=True)
        case ["/work"]:
            return WorkCommand("on", DEFAULT_WORK_OVERLAY_TURNS, ok=True)
        case ["/work", "status"]:
            return WorkCommand("status", ok=True)
        case ["/work", number] if turns := _turns(number):
            return WorkCommand("on", turns, ok=True)
        case ["/work", *_]:
            return WorkCommand("status", ok=True, usage=True)
        case _:
            return WorkCommand()


def _turns(number: str) -> int:
    """Return a number from 1 to 50; 0 for anything else (WB-6)."""
    turns = int(number) if _NUMBER.fullmatch(number) else 0
    return turns if turns <= MOST_TURNS else 0
