"""A change that nobody approved is noticed, shown and undone; the project's repository sees nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.decide.documents import BlockedActions, Config
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.watch import watch
from nagomi_tui.review.git import Shadow
from tests.helpers.repository import git

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.guard.watch import TreeWatch


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    (made / "src").mkdir(parents=True)
    git(tmp_path, "init", "-q", str(made))
    (made / ".gitignore").write_text("ignored\n")
    (made / ".gitattributes").write_text("* text=auto\n*.bin filter=program\n")
    (made / "src/code").write_bytes(b"one\r\ntwo\n")
    (made / "src/link").symlink_to("code")
    git(made, "add", ".")
    git(made, "commit", "-qm", "first")
    (made / "untracked").write_text("before\n")
    return made


@pytest.fixture
def tree(root: Path) -> TreeWatch:
    return _watch(root)


def _watch(root: Path, *allowed: str) -> TreeWatch:
    config = Config(blocked_actions=BlockedActions(discussion_allowed_paths=allowed))
    found = watch(Project(root), config)
    assert found is not None
    return found


def _contents(root: Path) -> dict[str, bytes]:
    found = (path for path in sorted(root.rglob("*")) if ".git" not in path.parts)
    return {
        str(path.relative_to(root)): os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in found
        if not path.is_dir()
    }  # fmt: skip


def _repository(root: Path) -> dict[str, bytes]:
    files = (path for path in sorted((root / ".git").rglob("*")) if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def test_nothing_is_told_before_it_began_nor_without_a_change(tree: TreeWatch) -> None:
    assert tree.look() is None
    tree.begin()
    assert tree.look() is None


def test_every_kind_of_change_is_noticed_and_undone(root: Path, tree: TreeWatch) -> None:
    tree.begin()
    before = _contents(root)
    (root / "src/code").write_bytes(b"one\ntwo\n")
    (root / "untracked").unlink()
    (root / "new/deep").mkdir(parents=True)
    (root / "new/deep/file").write_text("new\n")
    (root / "src/link").unlink()
    (root / "src/link").symlink_to("/etc/passwd")
    change = tree.look()
    assert change is not None
    assert change.paths == ("new/deep/file", "src/code", "src/link", "untracked")
    shown = tree.diff(change)
    assert "+new" in shown and "-before" in shown
    undone = tree.undo(change)
    assert undone == (change.paths, ())
    assert _contents(root) == before
    assert not (root / "new").exists()
    assert tree.look() is None


def test_a_file_in_place_of_a_folder_is_undone(root: Path, tree: TreeWatch) -> None:
    tree.begin()
    before = _contents(root)
    (root / "src/code").unlink()
    (root / "src/link").unlink()
    (root / "src").rmdir()
    (root / "src").write_text("a file\n")
    (root / "untracked").unlink()
    (root / "untracked").mkdir()
    (root / "untracked/inner").write_text("x")
    change = tree.look()
    assert change is not None
    tree.undo(change)
    assert _contents(root) == before


def test_what_has_changed_once_more_is_left(root: Path, tree: TreeWatch) -> None:
    tree.begin()
    (root / "src/code").write_text("an agent's\n")
    (root / "untracked").write_text("an agent's\n")
    change = tree.look()
    assert change is not None
    (root / "src/code").write_text("the user's own\n")
    assert tree.undo(change) == (("untracked",), ("src/code",))
    assert (root / "src/code").read_text() == "the user's own\n"
    assert (root / "untracked").read_text() == "before\n"


def test_what_an_undo_takes_away_is_kept(root: Path, tree: TreeWatch) -> None:
    tree.begin()
    (root / "work").write_text("hours of it\n")
    change = tree.look()
    assert change is not None
    tree.undo(change)
    shadow = Shadow(root, root / ".git")
    assert shadow.run("cat-file", "blob", f"{change.after}:work") == b"hours of it\n"


def test_what_may_be_written_is_not_told(root: Path) -> None:
    tree = _watch(root, "notes", "a [b].md")
    tree.begin()
    for name in ("ignored", "notes/x", "a [b].md", "sessions/tasks/one.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    assert tree.look() is None
    (root / "a b.md").write_text("x")
    change = tree.look()
    assert change is not None and change.paths == ("a b.md",)


def test_a_link_does_not_lead_an_undo_out_of_the_project(
    root: Path, tree: TreeWatch, tmp_path: Path
) -> None:
    (root / "src/made").mkdir()
    tree.begin()
    (root / "src/made/file").write_text("x")
    change = tree.look()
    assert change is not None
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("x")
    (root / "src/made/file").unlink()
    (root / "src/made").rmdir()
    (root / "src/made").symlink_to(outside)
    tree.undo(change)
    assert (outside / "file").exists()


def test_the_project_s_repository_is_not_touched(root: Path, tree: TreeWatch) -> None:
    (root / "big.bin").write_text("x")
    git(root, "config", "filter.program.clean", f"touch {root.parent}/ran; cat")
    before = _repository(root)
    tree.begin()
    (root / "src/code").write_text("other\n")
    assert tree.look() is not None
    assert _repository(root) == before
    assert not (root.parent / "ran").exists()


def test_a_worktree_has_a_watch_of_its_own(root: Path, tree: TreeWatch, tmp_path: Path) -> None:
    tree.begin()
    other = tmp_path / "other"
    git(root, "worktree", "add", "-q", str(other))
    second = _watch(other)
    second.begin()
    (other / "src/code").write_text("changed\n")
    assert second.look() is not None
    assert tree.look() is None


def test_a_project_without_a_repository_is_not_watched(tmp_path: Path) -> None:
    assert watch(Project(tmp_path), Config()) is None


def test_a_repository_inside_does_not_keep_the_rest_from_being_seen(
    root: Path, tree: TreeWatch
) -> None:
    git(root, "init", "-q", str(root / "inner"))
    tree.begin()
    (root / "new").write_text("x")
    change = tree.look()
    assert change is not None and change.paths == ("new",)
