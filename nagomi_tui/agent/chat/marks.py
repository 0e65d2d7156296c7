"""OSC 133 marks around a prompt and its output, and the exit status (F-11)."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

PROMPT: Final = "\x1b]133;A\x07"
INPUT: Final = "\x1b]133;B\x07"
ACCEPTED: Final = "\x1b]133;C\x07"

Outcome: TypeAlias = Literal["done", "cancelled", "failed"]

_STATUS: Final = {"done": 0, "failed": 1, "cancelled": 130}


def ended(outcome: Outcome) -> str:
    """Return the mark after the output of a turn or command, with an exit status as a shell's."""
    return f"\x1b]133;D;{_STATUS[outcome]}\x07"
