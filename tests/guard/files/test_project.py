"""Where the guarded project is, and where paths lie in it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.files.project import Project, find, locate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "real" / "project"
    (root / ".claude").mkdir(parents=True)
    (root / "sessions" / "tasks").mkdir(parents=True)
    (root / "sessions" / "sessions-state.json").write_text("{}")
    (root / ".claude" / "settings.json").write_text("{}")
    return Project(root)


def _place(project: Project, path: str) -> str:
    return locate(project, path, str(project.root)).place


@pytest.mark.requirement("DC-5")
def test_the_client_names_the_project(project: Project, tmp_path: Path) -> None:
    assert find(str(tmp_path), {"CLAUDE_PROJECT_DIR": str(project.root)}) == project


@pytest.mark.requirement("DC-5")
def test_the_nearest_folder_upwards_is_the_project(project: Project) -> None:
    deep = project.root / "a" / "b"
    deep.mkdir(parents=True)
    assert find(str(deep), {}) == project


@pytest.mark.requirement("DC-5")
def test_nothing_above_a_repository_counts(project: Project) -> None:
    inner = project.root / "vendor" / "inner"
    (inner / "deep").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", inner], check=True)
    assert find(str(inner), {}).root == inner == find(str(inner / "deep"), {}).root
    assert find(str(project.root), {"CLAUDE_PROJECT_DIR": str(inner / "deep")}).root == inner
    (inner / "deep" / ".claude").mkdir()
    assert find(str(inner / "deep"), {}).root == inner / "deep"


@pytest.mark.requirement("DC-5")
def test_outside_of_a_repository_only_the_guard_s_own_files_count(
    project: Project, tmp_path: Path
) -> None:
    bare = tmp_path / "loose" / "bare"
    bare.mkdir(parents=True)
    (tmp_path / "loose" / ".claude").mkdir()
    assert find(str(bare), {}).root == bare


@pytest.mark.requirement("DC-5")
def test_a_guard_in_a_folder_of_all_users_is_nobody_s(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 4711)
    os.chown(project.state_file, 4712, -1) if os.getuid() == 0 else pytest.skip("needs root")
    bare = project.root / "bare"
    bare.mkdir()
    assert find(str(bare), {}).root == bare


@pytest.mark.requirement("DC-5")
def test_a_folder_without_any_is_a_project_itself(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    assert find(str(tmp_path / "bare"), {}).root == tmp_path / "bare"


@pytest.mark.requirement("DC-5")
def test_the_users_own_settings_make_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".claude").mkdir()
    (tmp_path / "work").mkdir()
    assert find(str(tmp_path / "work"), {}).root == tmp_path / "work"


@pytest.mark.requirement("DB-15")
def test_a_linked_root_is_the_real_one(project: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project.root)
    linked = find(str(tmp_path / "link"), {"CLAUDE_PROJECT_DIR": str(tmp_path / "link")})
    assert linked == project
    target = locate(linked, str(tmp_path / "link" / "new" / "file.py"), str(tmp_path / "link"))
    assert (target.place, target.relative) == ("inside", "new/file.py")


@pytest.mark.requirement("DB-15")
def test_a_worktree_goes_by_the_folder_that_the_client_names(
    project: Project, tmp_path: Path
) -> None:
    git = ["git", "-C", str(project.root), "-c", "user.name=n", "-c", "user.email=n@n"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    named = find(str(tmp_path / "tree"), {"CLAUDE_PROJECT_DIR": str(project.root)})
    assert named == project
    assert locate(named, "x.py", str(tmp_path / "tree")).place == "outside"


@pytest.mark.parametrize("path", ["../../elsewhere.py", "/tmp/x", "~/notes", "out/x"])
@pytest.mark.requirement("DB-15")
def test_a_path_outside_is_outside(project: Project, tmp_path: Path, path: str) -> None:
    (project.root / "out").symlink_to(tmp_path)
    assert _place(project, path) == "outside"


@pytest.mark.parametrize("path", ["x.py", "a/b/c.py", "sessions/tasks/h-fix-it.md", ".claude/x"])
@pytest.mark.requirement("DB-15")
def test_a_path_inside_need_not_exist(project: Project, path: str) -> None:
    assert _place(project, path) == "inside"


@pytest.mark.parametrize(
    "path",
    [
        "sessions/sessions-state.json",
        "Sessions/SESSIONS-STATE.json",
        "./a/../sessions/sessions-state.json",
        "sessions/tasks/../sessions-config.json",
        "sessions/sessions-state.lock",
        "sessions/protocols/new.md",
        "sessions",
        "sessions/tasks",
        "linked/sessions-state.json",
        "soft.json",
        "hard.json",
        "hard-settings.json",
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude/Settings.local.json",
        ".codex/hooks.json",
        ".git/hooks/pre-commit",
        ".git/config",
        ".git/config.worktree",
        ".git/modules/libs/one/config",
        ".git/modules/one/modules/two/hooks/post-checkout",
        "inner/.git/config",
        "~/.claude/settings.json",
        "~/.codex/config.toml",
    ],
)
@pytest.mark.requirement("DB-5", "DC-21")
def test_what_holds_the_guard_is_protected(project: Project, path: str) -> None:
    (project.root / "linked").symlink_to("sessions")
    (project.root / "soft.json").symlink_to("sessions/sessions-state.json")
    os.link(project.state_file, project.root / "hard.json")
    os.link(project.root / ".claude/settings.json", project.root / "hard-settings.json")
    assert _place(project, path) == "protected"
