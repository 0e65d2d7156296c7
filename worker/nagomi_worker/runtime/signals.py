"""Signal handling as after a login: ignored and blocked signals are inherited through `exec`."""

from __future__ import annotations

import contextlib
import signal
import sys
from typing import Final

assert sys.platform != "win32"

_FIXED: Final = {signal.SIGKILL, signal.SIGSTOP}
_PYTHONS_OWN: Final = {signal.SIGPIPE, signal.SIGXFSZ}
"""Signals that Python itself ignores, and raises exceptions instead."""


def restore() -> None:
    """Reset every signal to its default, in a child that is about to run a program."""
    for number in signal.valid_signals() - _FIXED:
        if signal.getsignal(number) is not signal.SIG_DFL:
            _set_default(number)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def begin_anew() -> None:
    """Undo what the process that started this one ignored or blocked, as `nohup` does."""
    for number in signal.valid_signals() - _FIXED - _PYTHONS_OWN:
        if signal.getsignal(number) is signal.SIG_IGN:
            _set_default(number)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _set_default(number: int) -> None:
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
