"""The command of a session in whose pane the ssh of a hand asks for what it wants."""

from __future__ import annotations

import shlex
import sys


def login_command(name: str) -> str:
    """Return the line that logs in to a hand of this name."""
    return shlex.join([sys.executable, "-P", "-m", "nagomi_tui", "hands", "login", name])
