"""Shows nagomi's name on an empty screen within milliseconds, while everything else is loaded.

It imports only modules that Python has loaded at its start.
"""

import os
import sys

_COLOR = "\x1b[38;5;173m"
_shown = False


def show() -> None:
    """Draw the name on the alternate screen, if the workplace will most likely be opened."""
    global _shown
    if _shown or not _has_a_stage():
        return
    cols, rows = os.get_terminal_size(1)
    name = "n a g o m i"
    row, column = max(1, rows // 2), max(1, (cols - len(name)) // 2 + 1)
    _write(f"\x1b[?1049h\x1b[?25l\x1b[2J\x1b[{row};{column}H{_COLOR}{name}\x1b[m")
    _shown = True


def adopt() -> None:
    """Note that another process has drawn the name on this terminal."""
    global _shown
    _shown = _has_a_stage()


def hide() -> None:
    """Leave the alternate screen: a message follows instead of the workplace."""
    global _shown
    if _shown:
        _write("\x1b[?1049l\x1b[?25h")
        _shown = False


def _has_a_stage() -> bool:
    if os.environ.get("TERM", "") in ("", "dumb") or "NAGOMI_SESSION_ID" in os.environ:
        return False
    return os.isatty(0) and os.isatty(1)


def _write(data: str) -> None:
    if sys.stdout is not None:
        sys.stdout.write(data)
        sys.stdout.flush()
