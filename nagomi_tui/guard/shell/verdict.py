"""What is found out about a command."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Verdict(NamedTuple):
    """Whether a command only reads; `at` is the offset in characters of what decided."""

    verdict: Literal["read", "write"]
    reason: str
    at: int = 0


class Writes(Exception):
    """The command writes, or is not known to be a read."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at
