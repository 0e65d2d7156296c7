"""Folders on disks of their own, in a mount namespace: one whose server is dead, one that is full.

The dead one is a FUSE mount that nobody serves: every look into it waits until the mount is gone,
as with a dead NFS or sshfs server. Only what is started with the words that are yielded sees the
mounts; as a program this file makes one and waits.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


def dead_mount(folder: Path) -> AbstractContextManager[list[str]]:
    """Yield the words before a command that make it run where `folder` is dead."""
    return _mounted("dead", folder)


def small_disk(folder: Path) -> AbstractContextManager[list[str]]:
    """Yield the words before a command that make it run where `folder` has room for 1 MiB."""
    return _mounted("small", folder)


@contextmanager
def _mounted(kind: str, folder: Path) -> Iterator[list[str]]:
    ours = [sys.executable, str(Path(__file__).resolve()), kind, str(folder)]
    holder = subprocess.Popen(
        ["unshare", "--mount", *ours],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdin and holder.stdout and holder.stderr
    with holder:
        try:
            if holder.stdout.readline() != "ready\n":
                pytest.skip(f"nothing can be mounted here: {holder.stderr.read().strip()}")
            yield ["nsenter", f"--mount=/proc/{holder.pid}/ns/mnt", "--"]
        finally:
            holder.stdin.close()
            holder.wait(30)


def _mount(kind: str, folder: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    name, options = b"tmpfs", b"size=1m,mode=700"
    if kind == "dead":
        fd = os.open("/dev/fuse", os.O_RDWR)
        owner = f"user_id={os.getuid()},group_id={os.getgid()}"
        name, options = b"fuse", f"fd={fd},rootmode=40000,{owner},allow_other".encode()
    if libc.mount(name, os.fsencode(folder), name, 0, options) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    print("ready", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _mount(*sys.argv[1:])
