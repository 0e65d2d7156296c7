"""`nagomi guard classify` answers each line of JSON with one."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CLASSIFY = [sys.executable, "-m", "nagomi_tui", "guard", "classify"]


def _told(data: bytes) -> list[dict[str, object]]:
    done = subprocess.run(CLASSIFY, input=data, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.requirement("DC-30")
def test_classify_answers_each_line_with_one() -> None:
    lines = [{"command": "ls", "cwd": "/"}, {"command": "ls; rm x"}, {"command": "echo あ\nrm x"}]
    told = _told(b"\n".join(json.dumps(line).encode() for line in lines))
    assert [line["verdict"] for line in told] == ["read", "write", "write"]
    assert [line["at"] for line in told] == [0, 4, 7]
    assert all(line["reason"] for line in told)


@pytest.mark.requirement("DC-30")
def test_what_is_no_command_writes() -> None:
    told = _told(b'x\n{"command": 3}\n\xff\n{"command": "ls\\ud800"}\n{"command": "ls"}\n')
    assert [line["verdict"] for line in told] == ["write"] * 4 + ["read"]
