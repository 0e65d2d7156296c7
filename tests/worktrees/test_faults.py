"""What goes wrong around worktrees is one sentence, and loses nothing: disks, locks, names, numbers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.worktrees import journal
from nagomi_tui.worktrees.creating import Wish, make
from nagomi_tui.worktrees.figures import survey
from nagomi_tui.worktrees.git import Fault
from nagomi_tui.worktrees.journal import Advance, locked
from nagomi_tui.worktrees.merging import merge, preview
from nagomi_tui.worktrees.removing import Unsafe, remove, undo
from nagomi_tui.worktrees.repository import at, find
from tests.helpers.dead_mount import dead_mount, small_disk
from tests.helpers.killing import ROOT
from tests.helpers.repository import git, repository
from tests.worktrees.disk_faults import DEEDS, prepared

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def author(monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "test@example.org")


def _status(folder: Path) -> list[str]:
    return git(folder, "status", "--porcelain", "-uall").splitlines()


def _commit(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text)
        git(folder, "add", "--", name)
    git(folder, "commit", "-qm", f"Change {', '.join(texts)}")


# --- disks


def _on_small_disk(tmp_path: Path, deeds: str, free: str) -> str:
    with small_disk(tmp_path) as inside:
        command = [
            *inside,
            sys.executable,
            "-m",
            "tests.worktrees.disk_faults",
            str(tmp_path),
            deeds,
            free,
        ]
        env = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'worker'}"}
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_read_only_disk_is_one_sentence(tmp_path: Path) -> None:
    told = _on_small_disk(tmp_path, "carry merge remove", "").splitlines()
    assert len(told) == 3 and all("Read-only file system" in line for line in told), told


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "step", [16, pytest.param(4, marks=[pytest.mark.variant, pytest.mark.timeout(3000)])]
)
def test_a_full_disk_loses_nothing(tmp_path: Path, step: int) -> None:
    """Wherever it fills up: what was begun is finished or taken back once there is room again."""
    told = _on_small_disk(tmp_path, "", " ".join(map(str, range(0, 80, step))))
    for deed in ("create", "carry", "merge", "squash", "rebase", "onto"):
        assert any(line.startswith(f"{deed} ") and "Fault" in line for line in told.splitlines()), (
            told
        )


_DEAD = """
import sys, time
from nagomi_tui.worktrees import git
git.SECONDS = 0.5
git.run.__kwdefaults__["seconds"] = 2.0
from nagomi_tui.worktrees.creating import Wish, make
from nagomi_tui.worktrees.repository import find
from nagomi_tui.commands.worktrees import _found
root, tree, free = sys.argv[1:]
for work in (
    lambda: find(root).worktrees(), lambda: find(tree), lambda: _found(tree),
    lambda: make(Wish(free, "x", place=tree)),
):
    try:
        work()
    except git.Fault as exc:
        print(exc)
"""


@pytest.mark.slow
def test_a_dead_disk_is_named_and_not_waited_for(tmp_path: Path) -> None:
    """A worktree on it, and a place for new ones; as a dead NFS or sshfs server."""
    root, free = repository(tmp_path / "root", a="a\n"), repository(tmp_path / "free", a="a\n")
    tree = make(Wish(str(root), "x")).worktree.path
    with dead_mount(tree) as inside:
        command = [*inside, sys.executable, "-c", _DEAD, str(root), str(tree), str(free)]
        env = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'worker'}"}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=120, env=env, cwd="/"
        )
    told = f"The folder {tree} does not answer; is the disk or server there?"
    assert done.stdout.splitlines() == [
        told,
        told,
        told,
        told.replace(str(tree), f"{tree}/free"),
    ], done


# --- locks


@pytest.mark.parametrize("deed", DEEDS)
def test_a_lock_of_another_nagomi_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    root, tree = prepared(tmp_path, deed)
    before = git(root, "for-each-ref"), _status(root), find(root).worktrees()
    monkeypatch.setattr(journal, "PATIENCE", 0.05)
    with locked(find(root)), pytest.raises(Fault, match="Another process is changing worktrees"):
        DEEDS[deed](root, tree)
    assert (git(root, "for-each-ref"), _status(root), find(root).worktrees()) == before


@pytest.mark.parametrize("deed", ["carry", "merge", "squash", "rebase", "onto", "remove"])
def test_an_index_lock_that_was_left_is_one_sentence(tmp_path: Path, deed: str) -> None:
    """Nothing is begun; without the file it works."""
    root, tree = prepared(tmp_path, deed)
    folder = tree if deed in ("onto", "remove") else root
    lock = at(folder).git_dir / "index.lock"
    lock.touch()
    before = git(root, "for-each-ref"), _status(root), _status(tree)
    with pytest.raises(
        Fault, match=r"index\.lock is there: another git works in .*Remove the file"
    ):
        DEEDS[deed](root, tree)
    with locked(find(root)):
        pass
    assert (git(root, "for-each-ref"), _status(root), _status(tree)) == before and lock.exists()
    lock.unlink()
    DEEDS[deed](root, tree)


@pytest.mark.parametrize("deed", ["merge", "squash", "rebase", "onto", "remove"])
def test_a_rebase_under_way_is_one_sentence(tmp_path: Path, deed: str) -> None:
    root, tree = prepared(tmp_path, deed)
    git(root, "stash", "-q")
    _commit(tree, a="ours\n")
    _commit(root, a="theirs\n")
    with pytest.raises(subprocess.CalledProcessError):
        git(tree, "rebase", "main")
    before = git(root, "for-each-ref"), _status(root), _status(tree)
    with pytest.raises(Fault, match="A rebase is under way in"):
        DEEDS[deed](root, tree)
    assert (git(root, "for-each-ref"), _status(root), _status(tree)) == before


# --- names and numbers


def test_branches_that_differ_in_case_alone_are_told_apart_or_refused(tmp_path: Path) -> None:
    """A disk that folds case, as git notes it, has one file for both."""
    root = repository(tmp_path / "root", a="a\n")
    assert make(Wish(str(root), "MAIN")).worktree.path.name == "MAIN"
    git(root, "worktree", "remove", "../root.worktrees/MAIN")
    git(root, "branch", "-D", "MAIN")
    git(root, "config", "core.ignorecase", "true")
    with pytest.raises(Fault, match="Main differs from main in upper and lower case alone"):
        make(Wish(str(root), "Main"))
    tree = make(Wish(str(root), "x")).worktree
    _commit(tree.path, A="not a\n", b="b\n")
    git(root, "branch", "MAIN")
    git(root, "pack-refs", "--all")
    with pytest.raises(Fault, match="There is no branch Main"):
        merge(find(root), tree, into="Main")


_ODD = os.fsdecode(b"caf\xe9\n \xff")


def test_names_that_are_no_text_come_along_home_and_back(tmp_path: Path) -> None:
    root = repository(tmp_path / "root", a="a\n", **{_ODD: "1\n"})
    (root / f"new{_ODD}").write_text("new\n")
    tree = make(Wish(str(root), "x", with_changes=True)).worktree
    assert (tree.path / f"new{_ODD}").read_text() == "new\n" and _status(root) == []
    with pytest.raises(Unsafe, match="Not tracked by git: newcaf"):
        remove(find(root), tree.path, tuple)
    git(tree.path, "add", ".")
    _commit(tree.path, **{_ODD: "ours\n"})
    other = make(Wish(str(root), "y")).worktree
    (other.path / _ODD).write_text("theirs\n")
    rows = {one.branch: one for one in survey(find(root))}
    assert [one.names for one in rows["x"].meets] == [(_ODD,)]
    assert set(preview(find(root), tree).names) == {_ODD, f"new{_ODD}"}
    (root / f"new{_ODD}").write_text("mine\n")
    with pytest.raises(Fault, match="has changes of its own"):
        merge(find(root), tree)
    (root / f"new{_ODD}").unlink()
    merge(find(root), tree)
    assert (root / _ODD).read_text() == "ours\n" and _status(root) == []
    (tree.path / f"more{_ODD}").write_text("more\n")
    remove(find(root), tree.path, tuple, force=True)
    assert (undo(find(root)).path / f"more{_ODD}").read_text() == "more\n"


@pytest.mark.slow
@pytest.mark.variant
@pytest.mark.timeout(1800)
def test_50_000_files_come_along_home_and_back(tmp_path: Path) -> None:
    names = [f"folder{number % 100}/a-file-with-a-longer-name-{number}" for number in range(50_000)]
    root = repository(tmp_path / "root", a="a\n")
    for number in range(100):
        (root / f"folder{number}").mkdir()
    for name in names:
        (root / name).write_text(f"{name}\n")
    tree = make(Wish(str(root), "x", with_changes=True)).worktree
    assert _status(root) == [] and not (root / names[0]).exists()
    assert len(_status(tree.path)) == 50_000
    assert {one.branch: one.files for one in survey(find(root))}["x"] == 50_000
    with pytest.raises(Unsafe, match=r"Not tracked by git: .*\(\+49995\)"):
        remove(find(root), tree.path, tuple)
    git(root, "config", "gc.auto", "0")  # which would go on behind the commit
    git(tree.path, "add", ".")
    git(tree.path, "commit", "-qm", "many")
    old, new = git(root, "rev-parse", "main").strip(), git(root, "rev-parse", "x").strip()
    # As a merge leaves it that was killed while git wrote the files.
    git(root, "read-tree", "-u", "-m", old, new)
    git(root, "read-tree", old)
    (root / names[0]).unlink()
    with locked(find(root)) as work:
        work.note("merge", Advance(str(root), str(root / ".git"), "refs/heads/main", old, new))
    with locked(find(root)):
        assert _status(root) == []
    merge(find(root), tree)
    assert _status(root) == [] and (root / names[-1]).exists()
    remove(find(root), tree.path, tuple)
    assert len(list(undo(find(root)).path.rglob("a-file*"))) == 50_000
    shutil.rmtree(tmp_path)
