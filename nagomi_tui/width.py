"""How wide the terminal is that a command prints to; `nagomi ls` loads little more than this."""

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
