"""What may run in discussion while the kernel holds a project: its tests and builds."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state
from nagomi_tui.guard.hook import events
from nagomi_tui.guard.hook.program import decide
from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.patterns import Patterns

if TYPE_CHECKING:
    from pathlib import Path

RUN = Patterns(tuple(events.runner_lines()))


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q tests", "python -c 'import x'", "cd src && .venv/bin/python -m pytest 2>&1 | tail -3",
        "uv run pytest", "timeout 60 make -j2 test", "npm test", "npm run build", "cargo test --all",
        "npx tsc --noEmit", "./gradlew test", "go test ./...",
    ],
)  # fmt: skip
def test_tests_builds_and_what_is_told_to_python_run(command: str) -> None:
    assert classify(command, RUN).verdict == "read"
    assert classify(command).verdict == "write"


@pytest.mark.parametrize(
    "command",
    [
        "pytest > out", "pytest; rm x", "git push", "npm install", "npm publish", "pip install x", "rm -rf ~",
        "curl -X POST http://x", "python setup.py install", "cargo publish", "python -m pip install x",
    ],
)  # fmt: skip
def test_what_else_writes_does_not(command: str) -> None:
    assert classify(command, RUN).verdict == "write"


def test_it_depends_on_the_mount_that_the_client_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "nagomi"))
    project = Project(tmp_path.resolve())
    with edit_state(project):
        pass
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(project.root),
             "tool_input": {"command": "pytest"}}  # fmt: skip
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project.root))

    def passes() -> bool:
        data = json.dumps(event).encode()
        return b"deny" not in decide("claude", "PreToolUse", data, 0, inside=os.getpid()).data

    assert not passes()
    table = tmp_path / "mountinfo"
    monkeypatch.setattr(events, "_TABLE", str(table))
    place = str(project.root)
    for options, expected in (("ro,relatime", True), ("rw,relatime", False)):
        table.write_text(
            f"1 0 8:1 / / rw - ext4 x rw\n2 1 8:1 {place} {place} {options} - ext4 x rw\n"
        )
        assert passes() is expected
