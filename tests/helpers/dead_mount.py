"""A folder whose server does not answer: a FUSE mount that nobody serves, in a mount namespace.

Every look into it waits until the mount is gone, as with a dead NFS or sshfs server. Only what is
started with the `prefix` sees it; as a program this file makes the mount and waits.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def dead_mount(folder: Path) -> Iterator[list[str]]:
    """Yield the words before a command that make it run where `folder` is dead."""
    ours = [sys.executable, str(Path(__file__).resolve()), str(folder)]
    holder = subprocess.Popen(
        ["unshare", "--mount", *ours],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdin and holder.stdout and holder.stderr
    with holder:
        try:
            if holder.stdout.readline() != "ready\n":
                pytest.skip(f"no dead mount can be made here: {holder.stderr.read().strip()}")
            yield ["nsenter", f"--mount=/proc/{holder.pid}/ns/mnt", "--"]
        finally:
            holder.stdin.close()
            holder.wait(30)


def _serve_nobody(folder: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={fd},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other"
    if libc.mount(b"dead", os.fsencode(folder), b"fuse", 0, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    print("ready", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve_nobody(sys.argv[1])
