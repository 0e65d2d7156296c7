"""Edits on another branch than the task's, in real repositories (DC-22)."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.decide.branches import Checkout, Unknown
from nagomi_tui.guard.decide.documents import Config, Features, Mode, State, Task, Todo, Todos
from nagomi_tui.guard.decide.events import Decision, Target, ToolUse
from nagomi_tui.guard.decide.tools import before_tool
from nagomi_tui.guard.files.project import Project, locate
from nagomi_tui.guard.hook.task_events import checkout_of
from tests.helpers.repository import git, repository

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.shell.words import Verdict


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project on branch `feature/x`, with submodules `lib` (same branch) and `other` (main)."""
    top = tmp_path_factory.mktemp("branches")
    library = repository(top / "library", a="a")
    root = repository(top / "project", a="a")
    for name in ("lib", "other"):
        git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), name)
    git(root, "commit", "-q", "-m", "submodules")
    git(root, "checkout", "-q", "-b", "feature/x")
    git(root / "lib", "checkout", "-q", "-b", "feature/x")
    git(root, "worktree", "add", "-q", "-b", "side", str(root / "trees" / "side"))
    return Project(root)


def _judged(_: str) -> Verdict:
    raise AssertionError("no command is run here")


def _edit(project: Project, path: str, config: Config | None = None, **task: object) -> Decision:
    fields = {
        "name": "h-x",
        "file": "h-x.md",
        "branch": "feature/x",
        "submodules": ("lib",),
        **task,
    }
    state = State(
        mode=Mode.IMPLEMENTATION,
        current_task=Task(**fields),  # type: ignore[arg-type]
        todos=Todos(active=(Todo(content="it"),)),
    )
    use = ToolUse(tool="Write", targets=(locate(project, path, str(project.root)),))
    where = partial(checkout_of, project)
    return before_tool(use, state, config or Config(), _judged, checkout_of=where)


@pytest.mark.parametrize("path", ["a", "new/folder/file.py", "lib/a", "lib/new/b"])
@pytest.mark.requirement("DC-22", "D-47")
def test_edits_on_the_tasks_branch_pass(project: Project, path: str) -> None:
    assert _edit(project, path).denied == ""


@pytest.mark.requirement("DC-22")
def test_four_cases(project: Project) -> None:
    assert _edit(project, "a", branch="fix/y").denied.startswith("[Branch Mismatch] ")
    assert "git checkout fix/y" in _edit(project, "a", branch="fix/y").denied
    wrong = _edit(project, "lib/a", branch="fix/y").denied
    assert wrong.startswith("[Branch Mismatch] ") and "git -C lib checkout fix/y" in wrong
    unnamed = _edit(project, "lib/a", submodules=()).denied
    assert unnamed.startswith("[Submodule Not in Task] ") and "'lib'" in unnamed
    neither = _edit(project, "other/a").denied
    assert neither.startswith("[Submodule Not in Task + Wrong Branch] ") and "'main'" in neither


@pytest.mark.parametrize("branch", [None, "", "none", "None"])
@pytest.mark.requirement("DB-15")
def test_a_task_without_a_branch_is_bound_to_none(project: Project, branch: str | None) -> None:
    assert _edit(project, "other/a", branch=branch).denied == ""


@pytest.mark.requirement("DB-15")
def test_a_worktree_is_no_submodule(project: Project) -> None:
    assert "[Branch Mismatch]" in _edit(project, "trees/side/a").denied
    assert _edit(project, "trees/side/a", branch="side").denied == ""


@pytest.mark.requirement("DB-15")
def test_a_path_outside_the_project_is_not_compared(project: Project, tmp_path: Path) -> None:
    assert _edit(project, str(tmp_path / "a"), branch="fix/y").denied == ""


@pytest.mark.requirement("DB-15")
def test_a_linked_root_is_the_real_one(project: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project.root)
    assert "[Branch Mismatch]" in _edit(project, str(tmp_path / "link/a"), branch="y").denied
    assert _edit(project, str(tmp_path / "link/a")).denied == ""


@pytest.mark.requirement("DB-15")
def test_a_detached_head_is_on_no_branch(tmp_path: Path) -> None:
    root = repository(tmp_path / "project", a="a")
    git(root, "checkout", "-q", "--detach")
    commit = git(root, "rev-parse", "--short", "HEAD").strip()
    assert checkout_of(Project(root), "a") == Checkout("", commit)
    assert f"(@{commit})" in _edit(Project(root), "a").denied
    (root / ".git" / "rebase-merge").mkdir()
    (root / ".git" / "rebase-merge" / "head-name").write_text("refs/heads/feature/x\n")
    assert _edit(Project(root), "a").denied == ""


@pytest.mark.requirement("DC-22")
def test_an_unborn_branch_is_one(tmp_path: Path) -> None:
    assert checkout_of(Project(repository(tmp_path / "new")), "a") == Checkout("main")


@pytest.mark.requirement("D-47")
def test_it_can_be_switched_off(project: Project) -> None:
    config = Config(features=Features(branch_enforcement=False))
    assert _edit(project, "a", config, branch="y").denied == ""


@pytest.mark.requirement("DC-22")
def test_without_a_repository_it_is_told_and_let_through(tmp_path: Path) -> None:
    done = _edit(Project(tmp_path), "a")
    assert done.denied == "" and "no git repository" in done.notices[0]


@pytest.mark.requirement("DC-22")
def test_a_git_that_hangs_is_told_and_let_through(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = tmp_path / "git"
    hanging.write_text("#!/bin/sh\nexec sleep 60\n")
    hanging.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(Unknown, match="in time"):
        checkout_of(project, "a", seconds=0.1)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert "cannot be run" in _edit(project, "a").context[0]


@pytest.mark.requirement("DC-22")
def test_the_environment_leads_git_nowhere_else(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other", a="a")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert checkout_of(project, "a") == Checkout("feature/x")


@pytest.mark.requirement("DC-22")
def test_tools_that_edit_no_file_are_not_compared(project: Project) -> None:
    state = State(mode=Mode.IMPLEMENTATION, current_task=Task(branch="y"))
    done = before_tool(ToolUse(tool="Read"), state, Config(), _judged, checkout_of=None)
    assert done == Decision(state=state)
    target = Target("x", "outside")
    where = partial(checkout_of, project)
    use = ToolUse(tool="Read", targets=(target,))
    assert before_tool(use, state, Config(), _judged, checkout_of=where) == Decision(state=state)
