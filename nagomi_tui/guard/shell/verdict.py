"""The result of analysing a command."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Verdict(NamedTuple):
    """Whether a command only reads; `at` is the offset of the deciding place, in characters."""

    verdict: Literal["read", "write"]
    reason: str
    at: int = 0


class Writes(Exception):
    """The command writes, or is not known to only read."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at
