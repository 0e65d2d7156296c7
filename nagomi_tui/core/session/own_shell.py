"""The command of a session on a hand that names none: the user's own shell there."""

from __future__ import annotations

from typing import Final

COMMAND: Final = "exec ${SHELL:-/bin/sh} -l"
"""As workers know it, which start that shell with marks where it has some."""


def plainly(command: str) -> str:
    """Return a command by which a shell is known as one, whichever it is there."""
    return "sh -l" if command == COMMAND else command
