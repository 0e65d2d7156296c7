"""How a command ends: its exit codes, and the one sentence it says when it fails."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of every `nagomi` command."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NO_SESSION = 3
    """No session, or more than one, is meant by that name."""
    NOBODY = 4
    """nagomi is not running, and this command does not start it."""
    TIMEOUT = 5
    """`wait` waited as long as it was told to."""
    PERHAPS = 6
    """`send` has typed it, or may have, and nothing has taken it so far."""
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    """Whoever read the output went away, as in `nagomi capture 1 | head`."""


class CommandError(Exception):
    """A command cannot go on; its message is the sentence for the user."""

    def __init__(self, message: str, code: int = Exit.FAILED) -> None:
        super().__init__(message)
        self.code = int(code)


class Unanswered(CommandError):
    """The orchestrator went away before it answered; what was asked of it may have been done."""
