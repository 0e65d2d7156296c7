"""How the tests themselves run: whoever started them, and whatever one of them leaves behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.starters import STARTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).parents[2]
_SIGNALS = """
import subprocess

def test_children_have_their_signals():
    shown = subprocess.check_output(["grep", "-E", "SigBlk|SigIgn", "/proc/self/status"])
    ignored, blocked = (int(line.split()[1], 16) for line in sorted(shown.splitlines())[::-1])
    assert (ignored & ~(0b11 << 31), blocked) == (0, 0)
"""
_LEAVES = """
import gc, socket, subprocess

def test_fails():
    child = subprocess.Popen(["sleep", "600"], stdout=subprocess.PIPE)
    peer, other = socket.socketpair()
    ring = [child, peer]
    ring.append(ring)
    print("pid", child.pid, "left")
    assert not child.pid

def test_passes():
    gc.collect()
"""


def _pytest(
    folder: Path, text: str, *starter: str, options: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    (folder / "test_inner.py").write_text(text)
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    # Else it would remove what the runs before have left in the common folder, for a minute.
    command.append(f"--basetemp={folder / 'left'}")
    return subprocess.run(
        [*starter, *command, "-W", "error", "-o", "addopts=", "--rootdir", ".", *options, "test_inner.py"],
        cwd=folder, env={**env, "PYTHONPATH": f"{_ROOT}:{_ROOT / 'worker'}"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize("starter", STARTERS)
def test_children_of_tests_begin_with_signals_of_their_own(tmp_path: Path, starter: str) -> None:
    done = _pytest(tmp_path, _SIGNALS, *STARTERS[starter])
    assert "1 passed" in done.stdout, done.stdout


@pytest.mark.parametrize(
    "options", [["-p", "no:rerunfailures"], ["--reruns=2", "--only-rerun=in time"]]
)
def test_what_a_failed_test_leaves_behind_fails_no_other(
    tmp_path: Path, options: list[str]
) -> None:
    done = _pytest(tmp_path, _LEAVES, options=options)
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    pid = done.stdout.split("pid ")[1].split()[0]
    assert not Path("/proc", pid).exists()
