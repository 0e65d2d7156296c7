"""Ways to be started that leave signals ignored or blocked."""

from __future__ import annotations

import sys
from typing import Final

_BLOCKS: Final = """
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
os.execvp(sys.argv[1], sys.argv[1:])
"""
_IGNORES: Final = "trap '' HUP INT QUIT PIPE ALRM TERM CHLD USR1; exec \"$@\""

STARTERS: Final = {
    "nohup": ["nohup"],
    "background": ["sh", "-c", '"$@" & wait $!', "sh"],
    "trap": ["sh", "-c", _IGNORES, "sh"],
    "blocked": [sys.executable, "-c", _BLOCKS],
}
"""What to put before a command."""
