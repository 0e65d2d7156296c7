"""A turn: one input and all that answers it (N-68)."""

from __future__ import annotations

from typing import Final

import msgspec

from nagomi_tui.core.judge.evidence import Key

ECHO: Final = 0.5
"""Seconds within which reports of several sources count as the same beginning."""


class Turn(msgspec.Struct, frozen=True):
    """The turn under way, or the one that ended last. Number 0 is before the first."""

    number: int = 0
    started_at: float = 0.0
    worked_at: float | None = None
    """When a process was last seen at work in this turn; None if none was."""
    command_at: float | None = None
    """When the shell's latest command began; it may take several turns of input."""
    interrupted_at: float | None = None
    interrupted_by: Key | None = None
    halted_at: float | None = None
    """When Ctrl-C or Escape last came while an agent's title said that it works; None if never.

    It outlives its turn: until the next one is seen at work, what is shown is the end of the last.
    """

    def next(self, at: float, *, over: bool = False) -> Turn:
        """Begin another turn; Enter and the program's own word on it are one and the same.

        A turn that is `over` already had both.
        """
        if self.number and at - self.started_at < ECHO and not over:
            return self
        return msgspec.structs.replace(self, **_FRESH, number=self.number + 1, started_at=at)

    def entered(self, at: float, *, over: bool = False) -> Turn:
        """A command was entered at a shell's prompt."""
        return msgspec.structs.replace(self.next(at, over=over), command_at=at)

    def ran(self, at: float) -> Turn:
        """A command was seen in the foreground, whether or not its start was heard."""
        begun = at if self.command_at is None else self.command_at
        return msgspec.structs.replace(self, command_at=begun, worked_at=at)

    def worked(self, at: float) -> Turn:
        """Something was at work."""
        return msgspec.structs.replace(self, worked_at=at)

    def broken(self, at: float, key: Key, *, at_work: bool = False) -> Turn:
        """The user pressed Ctrl-C or Escape: an end that follows is no failure (NB-18)."""
        halted = at if at_work else self.halted_at
        return msgspec.structs.replace(
            self, interrupted_at=at, interrupted_by=key, halted_at=halted
        )


_FRESH: Final[dict[str, None]] = {
    "worked_at": None,
    "interrupted_at": None,
    "interrupted_by": None,
}
