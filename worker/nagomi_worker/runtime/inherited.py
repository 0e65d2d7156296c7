"""What a process inherits and hands on: ignored and blocked signals, and how many files may be open.

Programs of sessions begin as after a login. A worker has each session's terminal open, and systems
begin with 1,024 files or, on macOS, 256, and let a process raise that itself; but some programs cannot
have higher numbers, and get the limit that the worker was started with.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
import sys
from collections.abc import Sequence
from typing import Final

assert sys.platform != "win32"

import resource  # noqa: E402 (nothing on Windows)

_FIXED: Final = {signal.SIGKILL, signal.SIGSTOP}
_PYTHONS_OWN: Final = {signal.SIGPIPE, signal.SIGXFSZ}
"""Signals that Python itself ignores, and raises exceptions instead."""


def restore_signals() -> None:
    """Reset every signal to its default, in a child that is about to run a program."""
    for number in signal.valid_signals() - _FIXED:
        if signal.getsignal(number) is not signal.SIG_DFL:
            _set_default(number)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def undo_ignored_signals() -> None:
    """Undo what the process that started this one ignored or blocked, as `nohup` does."""
    for number in signal.valid_signals() - _FIXED - _PYTHONS_OWN:
        if signal.getsignal(number) is signal.SIG_IGN:
            _set_default(number)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _set_default(number: int) -> None:
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)


_MOST: Final = 10_240
"""`OPEN_MAX` of macOS, which takes no more where it names no limit at all."""

_given: list[tuple[int, int]] = []
"""The limit before it was raised."""


def raise_limit() -> None:
    """Let this process have many files open, as far as the system allows that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST if hard == resource.RLIM_INFINITY else min(_MOST, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            _given.append((soft, hard))


def restore_limit() -> None:
    """Take back what `raise_limit` did, in a child that is about to run a program."""
    for limits in _given[:1]:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def with_given_limit(command: Sequence[str]) -> list[str]:
    """Return a command that takes back what `raise_limit` did, and then becomes this one.

    One that is not there stays as it is, so that whoever starts it hears that.
    """
    words = list(command)
    if not _given or shutil.which(words[0]) is None:
        return words
    return ["/bin/sh", "-c", 'ulimit -S -n "$0"; exec "$@"', str(_given[0][0]), *words]
