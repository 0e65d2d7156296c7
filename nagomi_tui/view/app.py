"""Opens the room: something to see at once, then Textual, then the room itself."""

from __future__ import annotations

import os
import sys
from typing import Final

_SPLASH_COLOR: Final = "\x1b[38;5;173m"


def run() -> str:
    """Show the room until its user leaves, and return `detach`, `quit` or `reload`.

    After a reload the program starts anew from what is installed now.
    """
    splash()
    from nagomi_tui.view.open_room import open_room

    reason = open_room()
    if reason == "reload":
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    return reason


def splash() -> None:
    """Draw the name on the alternate screen, before Textual takes a moment to load."""
    if sys.stdout is None or not sys.stdout.isatty():
        return
    cols, rows = os.get_terminal_size(sys.stdout.fileno())
    name = "n a g o m i"
    row, column = max(1, rows // 2), max(1, (cols - len(name)) // 2 + 1)
    sys.stdout.write(f"\x1b[?1049h\x1b[?25l\x1b[2J\x1b[{row};{column}H{_SPLASH_COLOR}{name}\x1b[m")
    sys.stdout.flush()
