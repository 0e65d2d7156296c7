"""What environment and arguments tell: variables, terminal size, usual shell, bytes of no text.

The front end reads this at its start, so it imports nothing of ours.
"""

from __future__ import annotations

import os
import sys
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def wants_zygote() -> bool:
    """Tell whether front ends may be forked by the zygote: `NAGOMI_ZYGOTE=0` says no."""
    return os.environ.get("NAGOMI_ZYGOTE", "") != "0"


def is_far(env: Mapping[str, str]) -> bool:
    """Tell whether the user sits at another machine, behind ssh."""
    return bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY"))


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


@cache
def terminal_width() -> int:
    """Return the terminal's width in columns, 80 where there is none."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return 80


def terminal_size() -> os.terminal_size | None:
    """Return the size of the terminal on any of the three standard streams."""
    for stream in (0, 1, 2):
        try:
            return os.get_terminal_size(stream)
        except OSError:
            continue
    return None


def is_text(value: str) -> bool:
    """Tell whether a message can carry a value; such bytes are lone surrogates in Python."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def env_of_text(env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a message can carry."""
    return {name: value for name, value in env.items() if is_text(name + value)}
