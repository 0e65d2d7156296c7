"""The command of a session in whose pane the ssh of a hand asks for what it wants."""

from __future__ import annotations

import sys

from nagomi_tui.own_machine import line_of


def login_command(name: str) -> str:
    """Return the line that logs in to a hand of this name."""
    return line_of([sys.executable, "-P", "-m", "nagomi_tui", "hands", "login", name])
