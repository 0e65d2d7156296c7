"""What a program gets that answers a strict session's hooks from outside of it."""

from __future__ import annotations

import sys

import pytest

if sys.platform != "linux":
    pytest.skip("strict sessions need Linux", allow_module_level=True)

from nagomi_worker.confine.confined import outside


@pytest.mark.requirement("DB-5")
def test_the_session_has_no_program_of_its_own_run_outside() -> None:
    given = {
        "PATH": "/project/bin",
        "LD_PRELOAD": "/project/x.so",
        "GIT_EXEC_PATH": "/project",
        "HOME": "/home/me",
    }
    found = outside(given)
    assert set(found) == {"PATH", "HOME"} and found["HOME"] == "/home/me"
    assert "/project" not in found["PATH"] and "/usr/bin" in found["PATH"].split(":")
