"""Two ordinary users of this machine, by `setpriv`: their programs, and folders of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

VICTIM: Final = 54321
STRANGER: Final = 54322
"""Numbers without a name; nobody has them."""
_TREE: Final = Path(__file__).parents[2]
_MODULES: Final = os.pathsep.join([*filter(os.path.isdir, sys.path), str(_TREE / "worker")])
_PROBE: Final = """
import subprocess, sys
subprocess.run([sys.executable, "-c", "import nagomi_tui.api.client, nagomi_worker"], check=True)
"""


def command(uid: int, *words: str) -> list[str]:
    """Return the command line by which root has another user run something."""
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *words]


def python(uid: int, *words: str) -> list[str]:
    """Return the command line by which another user runs a Python that has our modules."""
    return command(uid, interpreter(), *words)


def environment(**more: str) -> dict[str, str]:
    """Return the environment in which that Python finds them."""
    return {**os.environ, "PYTHONPATH": _MODULES, "PYTHONDONTWRITEBYTECODE": "1", **more}


def need_users() -> None:
    """Skip the test where there are no two other users."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv, to be two other users")
    if not interpreter():
        pytest.skip("other users cannot run this Python, since its folder is closed to them")


@cache
def interpreter() -> str:
    """Return a Python of our version that every user can run: ours, or the system's."""
    name = f"python3.{sys.version_info.minor}"
    for found in (sys.executable, shutil.which(name, path="/usr/bin:/usr/local/bin")):
        if found and _serves(found):
            return found
    return ""


def _serves(found: str) -> bool:
    done = subprocess.run(
        command(VICTIM, found, "-c", _PROBE), cwd="/", env=environment(), capture_output=True
    )
    return done.returncode == 0


@contextmanager
def folder_of(uid: int, mode: int = 0o700) -> Iterator[Path]:
    """Give a short-named folder that belongs to a user."""
    folder = Path(tempfile.mkdtemp(prefix="ng", dir="/tmp"))
    os.chown(folder, uid, uid)
    folder.chmod(mode)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
