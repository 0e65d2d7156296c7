"""Kills a process at one of its steps: a git command, a rename, a copy or a file that is removed.

The process does not know of it: what it calls is counted, and at a number it kills itself with -9,
alone or with the git that it has just begun.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[2]
_COUNTED = """
import os, shutil, signal, subprocess, sys

at, how, left = int(sys.argv[1]), sys.argv[2], [int(sys.argv[1])]

def die(process=None):
    left[0] -= 1
    if left[0] == 0:
        if how == "git" and process is not None:
            os.killpg(process.pid, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

def counted(holder, name):
    real = getattr(holder, name)
    def call(*given, **named):
        die(given[0] if name == "communicate" else None)
        return real(*given, **named)
    setattr(holder, name, call)

counted(subprocess.Popen, "communicate")
for holder, name in ((os, "rename"), (os, "replace"), (shutil, "copy2"), (os, "unlink"), (os, "rmdir")):
    counted(holder, name)
"""


def run_until_killed(
    code: str, at: int, how: Literal["alone", "git"] = "alone"
) -> subprocess.CompletedProcess[str]:
    """Run code in a process that is killed at its step number `at`; one that has fewer ends well."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "worker")))}
    done = subprocess.run(
        [sys.executable, "-c", _COUNTED + code, str(at), how],
        capture_output=True, text=True, timeout=60, env=env,
    )  # fmt: skip
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done
