"""A full disk under the state folder, in a mount namespace of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.timeout(180)


def test_full_disk(seen: Callable[[str], None]) -> None:
    """Sessions run, a killed orchestrator comes back, and with room again records are written."""
    command = ["unshare", "--mount", sys.executable, "-m", "tests.hammer.full_disk"]
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("needs root and unshare, for a disk of its own")
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        pytest.skip("no mount namespace can be made here")
    tree = Path(__file__).parents[2]
    env = os.environ | {"PYTHONPATH": f"{tree}:{tree / 'worker'}"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tree, env=env, timeout=150)
    seen(done.stdout.strip().replace("\n", "; "))
    assert done.returncode == 0, done.stderr.strip().splitlines()[-1]
