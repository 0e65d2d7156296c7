"""How commands are written for the worker of this machine: as a POSIX shell or as Windows reads them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def line_of(words: Sequence[str]) -> str:
    """Return the line by which a worker here runs these words."""
    if sys.platform == "win32":
        from subprocess import list2cmdline

        return list2cmdline(words)
    import shlex

    return shlex.join(words)


def usual_shell(env: Mapping[str, str]) -> str:
    """Return the line of the shell that a user has who has named none in the settings."""
    if sys.platform == "win32":  # where SHELL, if it is set, is a path that only Git's bash knows
        return line_of([env.get("COMSPEC") or "cmd.exe"])
    return env.get("SHELL", "") or "/bin/sh"
