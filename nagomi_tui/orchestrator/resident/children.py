"""Child processes of the supervisor that end when their standard input does."""

from __future__ import annotations

import subprocess


def let_end(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Close a child's standard input, and wait for its end; kill it after `seconds`."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
