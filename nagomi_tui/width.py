"""How large the terminal is that a command is typed into; `nagomi ls` loads little more than this."""

from __future__ import annotations

import os
from functools import cache


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
