"""The base of a worktree: what was noted, what follows from it, and what is guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from nagomi_tui.worktrees.git import Fault
from nagomi_tui.worktrees.repository import Note, agent_of, at, base_of, find, write_note
from tests.helpers.repository import git, repository


def _head(folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD").strip()


def _commit(folder: Path, name: str) -> str:
    (folder / name).write_text(f"{name}\n")
    git(folder, "add", "--", name)
    git(folder, "commit", "-qm", name)
    return _head(folder)


def _worktree(tmp_path: Path, name: str = "wt") -> tuple[Path, Path]:
    root = repository(tmp_path / "root", a="1\n")
    git(root, "worktree", "add", "-q", "-b", "topic", str(tmp_path / name))
    return root, tmp_path / name


def test_the_noted_base_is_where_the_branch_left_it(tmp_path: Path) -> None:
    root, tree = _worktree(tmp_path)
    begun = _head(root)
    write_note(at(tree), Note(ref="refs/heads/main", commit=begun))
    _commit(tree, "b")
    later = _commit(root, "c")
    assert base_of(tree) == ("refs/heads/main", begun, True)
    git(tree, "merge", "-q", "--no-edit", "main")
    assert base_of(tree) == ("refs/heads/main", later, True)


def test_a_base_whose_branch_is_gone_is_the_commit_that_was_noted(tmp_path: Path) -> None:
    root, tree = _worktree(tmp_path)
    begun = _head(root)
    write_note(at(tree), Note(ref="refs/heads/gone", commit=begun))
    _commit(tree, "b")
    assert base_of(tree) == ("refs/heads/gone", begun, True)


@pytest.mark.parametrize("name", ["wt", "two words", "umläut", "new\nline", "-dash", "@{x}"])
def test_without_a_note_the_main_worktrees_branch_is_guessed(tmp_path: Path, name: str) -> None:
    root, tree = _worktree(tmp_path, name)
    _commit(tree, "b")
    (tree / "below").mkdir()
    assert base_of(tree / "below") == ("refs/heads/main", _head(root), False)


def test_the_main_worktrees_own_base_is_what_its_branch_follows(tmp_path: Path) -> None:
    far = repository(tmp_path / "far", a="1\n")
    git(tmp_path, "clone", "-q", str(far), str(tmp_path / "near"))
    _commit(tmp_path / "near", "b")
    assert base_of(tmp_path / "near") == ("refs/remotes/origin/main", _head(far), False)
    assert base_of(far) is None


def test_no_base_of_an_unborn_branch_and_none_outside(tmp_path: Path) -> None:
    assert base_of(repository(tmp_path / "unborn")) is None
    with pytest.raises(Fault, match="is in no git repository"):
        base_of(tmp_path)


def test_worktrees_are_found_with_their_git_folders(tmp_path: Path) -> None:
    root, tree = _worktree(tmp_path)
    git(root, "worktree", "lock", "--reason", "on a stick", str(tree))
    main, linked = find(tree).worktrees()
    assert (main.path, main.branch, main.is_main) == (root, "refs/heads/main", True)
    assert (linked.path, linked.git_dir) == (tree, root / ".git/worktrees/wt")
    assert (linked.branch, linked.locked) == ("refs/heads/topic", "on a stick")


def test_worktrees_of_a_bare_repository_are_listed_without_it(tmp_path: Path) -> None:
    root = repository(tmp_path / "root", a="1\n")
    git(tmp_path, "clone", "-q", "--bare", str(root), str(tmp_path / "bare.git"))
    git(tmp_path / "bare.git", "worktree", "add", "-q", "-b", "topic", str(tmp_path / "wt"))
    assert [one.path for one in find(tmp_path / "bare.git").worktrees()] == [tmp_path / "wt"]


@pytest.mark.parametrize(
    ("place", "reason", "agent"),
    [
        ("/r/.claude/worktrees/x", "", "claude"),
        ("/home/u/.codex/worktrees/3fa2/repo", "", "codex"),
        ("/home/u/.cursor/worktrees/repo/x", "", "cursor-agent"),
        ("/home/u/.local/share/opencode/worktree/1/x", "", "opencode"),
        ("/home/u/.factory/worktrees/x", "", "droid"),
        ("/r/elsewhere", "claude agent 12 (pid 3)", "claude"),
        ("/r/worktrees/x", "", ""),
        ("/r/.claude/worktrees", "", ""),
        ("/r.worktrees/claude", "on a stick", ""),
        ("/home/u/code/claude/worktrees/x", "", ""),
    ],
)
def test_worktrees_of_agents_are_known_by_their_place(place: str, reason: str, agent: str) -> None:
    assert agent_of(Path(place), reason) == agent
