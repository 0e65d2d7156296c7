"""Pull requests of branches, from programs that answer in the form of `gh` and `glab`.

Neither can be asked here. The rows have the fields that `gh pr list --json` and GitLab's list of merge
requests are documented to have, with the values of GitHub's GraphQL enums.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.worktrees import requests
from nagomi_tui.worktrees.repository import find
from nagomi_tui.worktrees.requests import pull_requests
from tests.helpers.repository import git, repository

if TYPE_CHECKING:
    from pathlib import Path


def _run(conclusion: str | None, status: str = "COMPLETED") -> dict[str, Any]:
    return {
        "__typename": "CheckRun", "name": "test", "workflowName": "CI", "status": status,
        "conclusion": conclusion, "startedAt": "2026-01-01T00:00:00Z",
        "completedAt": "2026-01-01T00:01:00Z", "detailsUrl": "https://example.org",
    }  # fmt: skip


def _status(state: str) -> dict[str, Any]:
    return {"__typename": "StatusContext", "context": "ci", "state": state, "targetUrl": ""}


def _gh(number: int, branch: str, *checks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "number": number, "headRefName": branch, "state": "OPEN", "isDraft": False,
        "isCrossRepository": False, "mergeable": "UNKNOWN", "statusCheckRollup": list(checks),
        "url": f"https://example.org/pull/{number}", **more,
    }  # fmt: skip


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = repository(tmp_path / "root", a="a\n")
    git(found, "remote", "add", "origin", "https://github.com/x/y.git")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    (tmp_path / "bin").mkdir()
    return found


def _program(root: Path, name: str, body: str) -> None:
    path = root.parent / "bin" / name
    path.write_text(f'#!/bin/sh\necho "$@" >> {root.parent / "asked"}\n{body}\n')
    path.chmod(0o755)


def _answers(root: Path, name: str, rows: object) -> None:
    (root.parent / "rows.json").write_text(json.dumps(rows))
    _program(root, name, f"cat {root.parent / 'rows.json'}")


def _asked(root: Path) -> int:
    path = root.parent / "asked"
    return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.mark.parametrize(
    ("checks", "told"),
    [
        ([], ""),
        ([_run("SUCCESS"), _run("SKIPPED"), _run("NEUTRAL"), _status("SUCCESS")], "passed"),
        ([_run("SUCCESS"), _run("", "IN_PROGRESS")], "running"),
        ([_run(None, "QUEUED")], "running"),
        ([_status("PENDING")], "running"),
        ([_status("EXPECTED"), _run("FAILURE")], "failed"),
        ([_status("ERROR")], "failed"),
        ([_run("TIMED_OUT"), _run("SUCCESS")], "failed"),
        ([_run("ACTION_REQUIRED")], "failed"),
    ],
)
def test_checks_are_told_in_one_word(root: Path, checks: list[dict[str, Any]], told: str) -> None:
    _answers(root, "gh", [_gh(3, "x", *checks)])
    assert pull_requests(find(root))["x"].checks == told


def test_of_several_the_open_one_counts_and_then_the_newest(root: Path) -> None:
    rows = [
        _gh(9, "x", state="MERGED", mergeable="UNKNOWN"), _gh(4, "x", mergeable="CONFLICTING"),
        _gh(11, "x", isCrossRepository=True), _gh(5, "y", isDraft=True, mergeable="MERGEABLE"),
        _gh(6, "z", state="CLOSED", statusCheckRollup=None), _gh(7, "z", state="MERGED"),
    ]  # fmt: skip
    _answers(root, "gh", rows)
    found = pull_requests(find(root))
    assert {branch: (one.number, one.state, one.conflicts) for branch, one in found.items()} == {
        "x": (4, "open", True), "y": (5, "draft", False), "z": (7, "merged", None),
    }  # fmt: skip


def test_it_is_asked_rarely_also_where_nothing_is_told(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(root, "gh", "exit 4")  # as where nobody is logged in
    assert pull_requests(find(root)) == pull_requests(find(root)) == {}
    assert _asked(root) == 1
    assert "statusCheckRollup" in (root.parent / "asked").read_text()
    monkeypatch.setattr(requests, "_RARELY", 0.0)
    _program(root, "gh", "echo '{}'; echo 'not a list'")
    assert pull_requests(find(root)) == {} and _asked(root) == 2
    monkeypatch.setattr(requests, "_SECONDS", 0.3)
    _program(root, "gh", "sleep 600")
    assert pull_requests(find(root)) == {} and _asked(root) == 3


def test_gitlab_is_asked_by_glab(root: Path) -> None:
    row = {
        "iid": 5, "source_branch": "x", "state": "opened", "draft": False, "has_conflicts": True,
        "detailed_merge_status": "conflict", "web_url": "https://gitlab.example.org/x/-/5",
        "source_project_id": 1, "target_project_id": 1, "head_pipeline": {"status": "failed"},
    }  # fmt: skip
    git(root, "remote", "set-url", "origin", "git@gitlab.example.org:x/y.git")
    _program(root, "gh", "exit 1")
    _answers(root, "glab", [row, {**row, "iid": 6, "source_branch": "y", "state": "merged"}])
    found = pull_requests(find(root))
    assert (found["x"].number, found["x"].state, found["x"].checks) == (5, "open", "failed")
    assert (found["x"].conflicts, found["y"].state, found["y"].conflicts) == (True, "merged", None)


def test_without_a_remote_nobody_is_asked(root: Path) -> None:
    git(root, "remote", "remove", "origin")
    _answers(root, "gh", [])
    assert pull_requests(find(root)) == {} and _asked(root) == 0
