"""Starts a process detached from this one, and gives memory back to the system."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Final, TypeAlias

Stream: TypeAlias = int | IO[bytes]

NO_WINDOW: Final = 0x08000000 if sys.platform == "win32" else 0
"""`CREATE_NO_WINDOW`: a console that nobody sees; without one, each child would open a window."""
_NEW_GROUP: Final = 0x00000200 if sys.platform == "win32" else 0
"""`CREATE_NEW_PROCESS_GROUP`: no Ctrl+C of the starter's console is heard."""
_LEAVE_THE_JOB: Final = 0x01000000 if sys.platform == "win32" else 0
"""`CREATE_BREAKAWAY_FROM_JOB`: it outlives a session in which it was started."""


def start(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = subprocess.DEVNULL,
    stderr: Stream = subprocess.DEVNULL,
    pass_fds: tuple[int, ...] = (),
) -> subprocess.Popen[bytes]:
    """Start a command in a process session of its own, in the root folder.

    Raises:
        OSError: it cannot be started.
    """
    options: dict[str, Any] = {
        "stdin": stdin,
        "stdout": stdout,
        "stderr": stderr,
        "env": dict(env),
        "cwd": os.path.abspath(os.sep),
    }
    if sys.platform != "win32":
        from nagomi_worker.runtime import inherited

        command = inherited.with_given_limit(command)
        return subprocess.Popen(command, start_new_session=True, pass_fds=pass_fds, **options)
    flags = NO_WINDOW | _NEW_GROUP
    try:
        return subprocess.Popen(command, creationflags=flags | _LEAVE_THE_JOB, **options)
    except PermissionError:  # the job in which we are lets nobody leave
        return subprocess.Popen(command, creationflags=flags, **options)


def give_back() -> None:
    """Return freed memory to the system: about a millisecond with glibc, else nothing."""
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)
