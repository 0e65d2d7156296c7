"""DC-30: what is called a read changes nothing when it is run."""

from __future__ import annotations

import subprocess

import pytest

from tests.guard.shell.generated import reads, run_all


def _may_be_closed() -> bool:
    tried = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--net", "true"]
    try:
        return subprocess.run(tried, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


pytestmark = pytest.mark.skipif(not _may_be_closed(), reason="namespaces may not be made here")


def test_dc30_the_room_sees_what_is_changed() -> None:
    writes = ["touch n", "rm a", "echo x > a", "chmod 600 b", "mkdir m", "touch -d @1 a"]
    assert run_all(["ls", *writes, "cat a"]) == writes


@pytest.mark.parametrize("seed", [1, 2])
def test_dc30_generated_reads_change_nothing(seed: int) -> None:
    drawn, found = reads(100, seed)
    assert drawn > 400
    assert run_all(found) == []
