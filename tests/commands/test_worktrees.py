"""Worktrees by commands: with real git, a real workplace and real sessions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.system.outcome import Exit
from tests.helpers.repository import git, repository
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.command import Commands


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "root", a="a\n")


def _session(nagomi: Commands, number: int) -> Any:
    return next(one for one in nagomi.json("ls") if one["number"] == number)


def test_a_session_begins_in_a_worktree_of_its_own(nagomi: Commands, root: Path) -> None:
    (root / "a").write_text("mine\n")
    (root / "new").write_text("new\n")
    done = nagomi.run(
        "new", "--json", "--worktree", "fix/x", "--with-changes", "--", "sh", "-c",
        "git status --short; exec cat", cwd=root,
    )  # fmt: skip
    made = json.loads(done.stdout)
    tree = root.parent / "root.worktrees/fix-x"
    assert (made["worktree"], made["name"]) == (str(tree), "fix/x")
    until(lambda: "M a\n?? new" in nagomi.ok("capture", str(made["number"])))
    until(lambda: _session(nagomi, made["number"])["branch"] == "fix/x")
    assert git(root, "status", "--short") == ""


def test_without_a_branch_one_is_proposed(nagomi: Commands, root: Path) -> None:
    assert nagomi.run("new", "--worktree", "--", "cat", cwd=root).returncode == 0
    assert nagomi.run("new", "--worktree", "--name", "Do it", "--", "cat", cwd=root).returncode == 0
    branches = git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
    assert branches == ["cat", "do-it", "main"]


def test_a_dry_run_only_says_it(nagomi: Commands, root: Path) -> None:
    before = len(nagomi.json("ls"))
    (root / "new").write_text("new\n")
    done = nagomi.run(
        "new", "--worktree", "x", "--with-changes", "--dry-run", "--", "cat", cwd=root
    )
    assert done.stdout.splitlines()[0] == f"worktree: {root.parent}/root.worktrees/x"
    assert "branch: x, new at main (" in done.stdout and "comes along: new" in done.stdout
    assert not (root.parent / "root.worktrees").exists() and len(nagomi.json("ls")) == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--from", "main"), "`--from` goes with `--worktree`"),
        (("--pr", "3"), "`--pr` goes with `--worktree`"),
        (("--with-changes",), "`--with-changes` goes with `--worktree`"),
        (("--dry-run",), "`--dry-run` goes with `--worktree`"),
        (("--worktree", "--pr", "0"), "`0` is no number of a pull request"),
        (("--worktree", "x", "--pr", "1", "--from", "a"), "not allowed with"),
        (("--worktree", "x", "--worker", "far"), "on this machine only"),
    ],
)
def test_what_does_not_go_together_is_said(
    nagomi: Commands, root: Path, words: tuple[str, ...], sentence: str
) -> None:
    assert sentence in nagomi.fails(Exit.USAGE, "new", *words, "--", "cat", cwd=root)


def test_what_cannot_be_made_is_one_sentence(nagomi: Commands, root: Path, tmp_path: Path) -> None:
    before = len(nagomi.json("ls"))
    assert "No branch can be called" in nagomi.fails(1, "new", "--worktree", "a b", cwd=root)
    (tmp_path / "no").mkdir()
    said = nagomi.fails(1, "new", "--worktree", "--", "cat", cwd=tmp_path / "no")
    assert "is in no git repository" in said
    said = nagomi.run("new", "--worktree", "main", cwd=root, env={"NAGOMI_LANG": "ja"}).stderr
    assert "ブランチ main" in said
    assert len(nagomi.json("ls")) == before
