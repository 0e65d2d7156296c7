"""Signals as a login shell gives them: what a starter ignores or blocks outlives `exec`."""

from __future__ import annotations

import contextlib
import signal
import sys
from typing import Final

assert sys.platform != "win32"

_FIXED: Final = {signal.SIGKILL, signal.SIGSTOP}
_PYTHONS_OWN: Final = {signal.SIGPIPE, signal.SIGXFSZ}
"""What Python itself ignores, to raise an exception in its stead."""


def restore() -> None:
    """Let every signal do what it does by default, in a child that is about to run a program."""
    for number in signal.valid_signals() - _FIXED:
        if signal.getsignal(number) is not signal.SIG_DFL:
            _set_default(number)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def begin_anew() -> None:
    """Forget what our own starter ignored or blocked: a script's background, `nohup`, a `trap`."""
    for number in signal.valid_signals() - _FIXED - _PYTHONS_OWN:
        if signal.getsignal(number) is signal.SIG_IGN:
            _set_default(number)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _set_default(number: int) -> None:
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
