"""Merging with real git: what moves, what survives, what is refused, and what a kill leaves."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.worktrees.creating import Wish, make
from nagomi_tui.worktrees.git import Fault, version
from nagomi_tui.worktrees.journal import locked
from nagomi_tui.worktrees.looks import SQUASH_NEEDS
from nagomi_tui.worktrees.merging import Conflict, merge, merged_apart, preview, rebase
from nagomi_tui.worktrees.repository import Worktree, at, base_of, find
from tests.helpers.killing import run_until_killed
from tests.helpers.repository import git, hook, repository

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.worktrees.model import How


LONG = "".join(f"{number}\n" for number in range(20))


@pytest.fixture(autouse=True)
def author(monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "test@example.org")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "root", a="1\n2\n3\n", b="b\n", c="c\n")


def _head(folder: Path, name: str = "HEAD") -> str:
    return git(folder, "rev-parse", name).strip()


def _status(folder: Path) -> list[str]:
    return git(folder, "status", "--porcelain", "-uall").splitlines()


def _commit(folder: Path, **texts: str) -> str:
    for name, text in texts.items():
        (folder / name).write_text(text)
        git(folder, "add", "--", name)
    git(folder, "commit", "-qm", f"Change {', '.join(texts)}")
    return _head(folder)


def _tree(root: Path, name: str = "x") -> Worktree:
    return make(Wish(str(root), name)).worktree


def _all(root: Path) -> tuple[object, ...]:
    """Everything that must be as it was where nothing was done."""
    trees = find(root).worktrees()
    return (
        git(root, "for-each-ref"),
        [(one.path, one.head, one.branch, _status(one.path)) for one in trees],
        [(path, path.read_bytes()) for path in sorted(root.glob("*")) if path.is_file()],
    )


def test_a_target_that_has_not_moved_follows(root: Path) -> None:
    tree = _tree(root)
    new = _commit(tree.path, a="one\n2\n3\n")
    done = merge(find(root), tree)
    assert (done.commit, _head(root, "main"), _status(root)) == (new, new, [])
    assert (root / "a").read_text() == "one\n2\n3\n"


@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_both_have_moved(root: Path, how: How) -> None:
    tree = _tree(root)
    _commit(tree.path, a="one\n2\n3\n")
    _commit(tree.path, d="d\n")
    theirs = _commit(root, b="other\n")
    done = merge(find(root), tree, how=how)
    assert _head(root) == done.commit and _status(root) == []
    assert [(root / name).read_text() for name in "abd"] == ["one\n2\n3\n", "other\n", "d\n"]
    parents = git(root, "rev-list", "--parents", "-1", "HEAD").split()[1:]
    subjects = git(root, "log", "--format=%s", f"{theirs}..HEAD").splitlines()
    if how == "merge":
        assert parents == [theirs, _head(tree.path)]
        assert subjects[0] == "Merge branch 'x' into main"
    elif how == "squash":
        assert (parents, subjects) == ([theirs], ["Squash x"])
        assert "* Change a\n* Change d" in git(root, "log", "-1", "--format=%b")
    else:
        assert subjects == ["Change d", "Change a"] and _head(tree.path) == done.commit
    assert _status(tree.path) == []


@pytest.mark.parametrize(
    ("mine", "theirs", "conflicts"),
    [
        ({"long": f"one\n{LONG}", "d": "d\n"}, {"long": f"{LONG}end\n", "b": None}, ()),
        ({"a": "one\n2\n3\n"}, {"a": "1\n2\nthree\n"}, ()),
        ({"a": "one\n2\n3\n"}, {"a": "uno\n2\n3\n"}, ("a",)),
        ({"a": None}, {"a": "1\n2\n3\n4\n"}, ("a",)),
        ({"d": "same\n", "a": None}, {"d": "same\n", "a": None}, ()),
        ({"d": "mine\n"}, {"d": "theirs\n"}, ("d",)),
        ({"é ü": "e\n", "c": "c\r\nd\r\n"}, {"b": "b\n+\n"}, ()),
    ],
)
def test_an_old_git_merges_the_same_in_a_work_tree_that_is_thrown_away(
    root: Path,
    mine: dict[str, str | None],
    theirs: dict[str, str | None],
    conflicts: tuple[str, ...],
) -> None:
    _commit(root, long=LONG)
    tree = _tree(root)
    for folder, texts in ((tree.path, mine), (root, theirs)):
        for name, text in texts.items():
            if text is None:
                git(folder, "rm", "-q", name)
            else:
                (folder / name).write_bytes(text.encode())
                git(folder, "add", name)
        git(folder, "commit", "-qm", "on")
    before = _all(root)
    commits = _head(root), _head(tree.path)
    made, met = merged_apart(str(root), *commits)
    assert met == conflicts and _all(root) == before
    if not conflicts and version() >= SQUASH_NEEDS:
        assert made == git(root, "merge-tree", "--write-tree", *commits).strip()


def test_what_would_come_is_shown_and_nothing_done(root: Path) -> None:
    tree = _tree(root)
    _commit(tree.path, a="one\n2\n3\n4\n", d="d\n")
    _commit(root, b="other\n")
    before = _all(root)
    found = preview(find(root), tree)
    assert (found.target, found.subjects, found.names) == (
        "refs/heads/main", ("Change a, d",), ("a", "d"),
    )  # fmt: skip
    assert (found.added, found.removed, found.conflicts) == (3, 1, ())
    assert found.place is not None and found.place.path == root
    assert _all(root) == before


@pytest.mark.requirement("G-6")
def test_uncommitted_changes_at_the_target_survive(root: Path) -> None:
    tree = _tree(root)
    _commit(tree.path, a="one\n2\n3\n")
    (root / "b").write_text("mine\n")
    (root / "c").write_text("staged\n")
    git(root, "add", "c")
    (root / "new").write_text("new\n")
    before = _status(root)
    merge(find(root), tree)
    assert _status(root) == before and (root / "a").read_text() == "one\n2\n3\n"
    assert [(root / name).read_text() for name in ("b", "c", "new")] == [
        "mine\n", "staged\n", "new\n",
    ]  # fmt: skip


@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
@pytest.mark.parametrize(
    "change",
    ["edited", "staged", "deleted", "truncated", "same", "untracked", "ignored", "assumed"],
)
def test_changes_at_the_target_that_are_in_the_way_stay(root: Path, change: str, how: How) -> None:
    tree = _tree(root)
    _commit(tree.path, a="one\n2\n3\n", d="d\n")
    _commit(root, b="other\n")
    if change == "edited":
        (root / "a").write_text("mine\n")
    elif change == "staged":
        (root / "a").write_text("mine\n")
        git(root, "add", "a")
        (root / "a").write_text("1\n2\n3\n")
    elif change == "deleted":
        (root / "a").unlink()
    elif change == "truncated":
        (root / "a").write_text("")
    elif change == "same":
        (root / "a").write_text("one\n2\n3\n")
    elif change == "untracked":
        (root / "d").write_text("mine\n")
    elif change == "ignored":
        (root / ".git/info").mkdir(exist_ok=True)
        (root / ".git/info/exclude").write_text("d\n")
        (root / "d").write_text("")
    else:
        git(root, "update-index", "--assume-unchanged", "a")
        (root / "a").write_text("mine\n")
    before = _all(root)
    with pytest.raises(Fault, match="has changes of its own in files that the merge changes: [ad]"):
        merge(find(root), tree, how=how)
    assert _all(root) == before


def test_an_untracked_file_where_a_folder_comes_stays(root: Path) -> None:
    tree = _tree(root)
    (tree.path / "d").mkdir()
    _commit(tree.path, **{"d/x": "x\n"})
    (root / "d").write_text("mine\n")
    before = _all(root)
    with pytest.raises(Fault, match="git says"):
        merge(find(root), tree)
    assert _all(root) == before


@pytest.mark.requirement("G-6")
@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_a_conflict_leaves_all_as_it_was_and_says_where(root: Path, how: How) -> None:
    tree = _tree(root)
    _commit(tree.path, b="fine\n")
    _commit(tree.path, a="ours\n")
    _commit(root, a="theirs\n")
    (root / "c").write_text("mine\n")
    before = _all(root)
    assert preview(find(root), tree).conflicts == ("a",)
    with pytest.raises(Conflict, match="x and main meet in a; nothing was done") as caught:
        merge(find(root), tree, how=how)
    assert _all(root) == before
    assert "git merge main" in caught.value.prompt and " a." in caught.value.prompt


def test_a_rebase_that_conflicts_in_one_commit_only_is_taken_back(root: Path) -> None:
    tree = _tree(root)
    _commit(tree.path, a="ours\n")
    _commit(tree.path, a="1\n2\n3\n", d="d\n")
    _commit(root, a="theirs\n")
    before = _all(root)
    assert preview(find(root), tree).conflicts == ()
    with pytest.raises(Conflict, match="meet in a"):
        merge(find(root), tree, how="rebase")
    assert _all(root) == before


def test_a_target_that_nobody_has_checked_out_moves(root: Path) -> None:
    git(root, "branch", "next")
    tree = _tree(root)
    _commit(tree.path, a="one\n2\n3\n")
    done = merge(find(root), tree, into="next")
    assert _head(root, "next") == done.commit and _head(root, "main") != done.commit
    assert _status(root) == []


def test_a_target_in_a_bare_repository_moves(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(root), str(tmp_path / "b.git"))
    tree = _tree(tmp_path / "b.git")
    new = _commit(tree.path, a="one\n2\n3\n")
    assert merge(find(tree.path), tree).commit == new == _head(tmp_path / "b.git", "main")


def test_a_prunable_worktree_does_not_break_a_merge(root: Path, tmp_path: Path) -> None:
    """One that had the target checked out, and whose folder is gone (B38)."""
    git(root, "checkout", "-qb", "elsewhere")
    git(root, "worktree", "add", "-q", str(tmp_path / "gone"), "main")
    tree = make(Wish(str(root), "x", start="main")).worktree
    new = _commit(tree.path, a="one\n2\n3\n")
    shutil.rmtree(tmp_path / "gone")
    assert merge(find(root), tree).commit == new == _head(root, "main")
    git(root, "worktree", "add", "-q", "-b", "y", str(tmp_path / "disk"))
    git(root, "worktree", "lock", str(tmp_path / "disk"))
    shutil.move(tmp_path / "disk", tmp_path / "unplugged")
    with pytest.raises(Fault, match="where it cannot be moved"):
        merge(find(root), tree, into="y")


@pytest.mark.requirement("G-6")
def test_a_target_that_moves_meanwhile_is_left(root: Path) -> None:
    from nagomi_tui.worktrees.merging import _advance
    from nagomi_tui.worktrees.merging import _commit as made

    git(root, "branch", "next")
    tree = _tree(root)
    _commit(tree.path, a="one\n2\n3\n")
    for into in ("next", "main"):
        with locked(find(root)) as work:
            found = preview(find(root), at(tree.path), into=into)
            new = made(work, found, "")
            later = git(root, "commit-tree", "-p", into, "-m", "later", f"{into}^{{tree}}").strip()
            git(root, "update-ref", f"refs/heads/{into}", later)
            with pytest.raises(Fault, match="has moved meanwhile; nothing was done"):
                _advance(work, found, new)
        assert _head(root, into) == later


@pytest.mark.parametrize("what", ["merge", "rebase", "cherry-pick", "revert", "bisect"])
def test_a_target_in_the_middle_of_something_is_refused(root: Path, what: str) -> None:
    tree = _tree(root)
    _commit(tree.path, c="ours\n")
    git(root, "checkout", "-qb", "other")
    _commit(root, a="theirs\n")
    git(root, "checkout", "-q", "main")
    first, last = _commit(root, a="mine\n"), _commit(root, a="mine too\n")
    words = {"bisect": ["start", last, f"{first}~1"], "revert": [first]}.get(what, ["other"])
    if what == "bisect":
        git(root, what, *words)
    else:
        with pytest.raises(subprocess.CalledProcessError):
            git(root, what, *words)
    before = git(root, "for-each-ref"), _status(root)
    with pytest.raises(Fault, match="under way in|being rebased or bisected at"):
        merge(find(root), tree)
    assert (git(root, "for-each-ref"), _status(root)) == before


@pytest.mark.parametrize("how", ["merge", "rebase"])
def test_uncommitted_changes_of_the_worktree_are_not_left_behind_unsaid(
    root: Path, how: How
) -> None:
    tree = _tree(root)
    new = _commit(tree.path, a="one\n2\n3\n")
    (tree.path / "b").write_text("dirty\n")
    with pytest.raises(Fault, match="has uncommitted changes: b"):
        merge(find(root), tree, how=how)
    if how == "merge":
        assert merge(find(root), tree, keep=True).commit == new
        assert (tree.path / "b").read_text() == "dirty\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"into": "nothing"}, "There is no branch nothing"),
        ({"into": "x"}, "x is the worktree's own branch"),
        ({}, "main has all of x already"),
        ({"into": "alone"}, "have nothing in common"),
    ],
)
def test_what_cannot_be_merged_is_one_sentence(
    root: Path, words: dict[str, str], sentence: str
) -> None:
    tree = _tree(root)
    orphan = git(root, "commit-tree", "-m", "alone", "main^{tree}").strip()
    git(root, "branch", "alone", orphan)
    if words.get("into") == "alone":
        _commit(tree.path, a="one\n")
    with pytest.raises(Fault, match=sentence):
        merge(find(root), tree, into=words.get("into", ""))


def test_what_was_squashed_is_not_merged_again(root: Path) -> None:
    tree = _tree(root)
    _commit(tree.path, a="one\n2\n3\n")
    _commit(root, b="other\n")
    merge(find(root), tree, how="squash")
    with pytest.raises(Fault, match="main has all of x already"):
        merge(find(root), tree)


def test_worktrees_that_agents_have_made_are_merged(root: Path) -> None:
    place = root / ".claude/worktrees/x"
    git(root, "worktree", "add", "-q", "-b", "x", str(place))
    new = _commit(place, a="one\n2\n3\n")
    assert merge(find(root), at(place)).commit == new == _head(root, "main")


def test_no_hook_and_no_program_of_the_repository_runs(root: Path) -> None:
    tree = _tree(root)
    _commit(tree.path, a="one\n2\n3\n")
    _commit(root, b="other\n")
    for name in (
        "post-merge",
        "pre-merge-commit",
        "commit-msg",
        "reference-transaction",
        "post-rewrite",
    ):
        hook(root, name, f"touch {root.parent / 'ran'}")
    merge(find(root), tree, how="rebase")
    assert not (root.parent / "ran").exists()


# --- rebase by itself


def test_a_worktree_is_put_onto_its_base(root: Path) -> None:
    tree = _tree(root)
    _commit(tree.path, a="one\n2\n3\n")
    theirs = _commit(root, b="other\n")
    assert rebase(find(root), tree) == "main"
    assert _head(tree.path, "HEAD~1") == theirs == _head(root, "main")
    assert base_of(tree.path) == ("refs/heads/main", theirs, True)


def test_a_rebase_with_a_conflict_or_changes_leaves_all(root: Path) -> None:
    tree = _tree(root)
    _commit(tree.path, a="ours\n")
    _commit(root, a="theirs\n")
    before = _all(root)
    with pytest.raises(Conflict, match="meet in a"):
        rebase(find(root), tree)
    assert _all(root) == before
    (tree.path / "b").write_text("dirty\n")
    with pytest.raises(Fault, match="has uncommitted changes: b"):
        rebase(find(root), tree)
    with pytest.raises(Fault, match="Nothing tells what"):
        rebase(find(root), tree, "nothing")


@pytest.mark.parametrize(
    "what", ["file", "in a folder", "below a file", "between", "hidden", "folder"]
)
def test_a_rebase_writes_over_no_file_that_git_would_write_over(root: Path, what: str) -> None:
    (root / "t").mkdir()
    _commit(root, **{"t/f": "t\n"})
    tree = _tree(root)
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("q\n")
    name = {"in a folder": "q/mine", "hidden": "b"}.get(what, "q")
    if what == "between":
        _commit(tree.path, z="z\n")
        git(tree.path, "commit", "-q", "--allow-empty", "-m", "empty")
        (tree.path / "q").write_text("added\n")
        git(tree.path, "add", "-f", "q")
        git(tree.path, "commit", "-qm", "add")
        git(tree.path, "rm", "-q", "q")
        git(tree.path, "commit", "-qm", "and remove")
        _commit(root, m="m\n")
    else:
        _commit(tree.path, z="z\n")
        if what == "folder":
            git(root, "rm", "-rq", "t")
        theirs = root / {"below a file": "q/theirs", "hidden": "b", "folder": "t"}.get(what, "q")
        theirs.parent.mkdir(exist_ok=True)
        theirs.write_text("theirs\n")
        git(root, "add", "-f", ".")
        git(root, "commit", "-qm", "theirs")
    if what == "folder":  # git replaces what it tracks
        rebase(find(root), tree)
        assert (tree.path / "t").read_text() == "theirs\n"
        return
    mine = tree.path / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine\n")
    if what == "hidden":
        git(tree.path, "update-index", "--assume-unchanged", "b")
    before = _head(tree.path)
    with pytest.raises(Fault, match=f"where the rebase writes: {name}"):
        rebase(find(root), tree)
    assert mine.read_text() == "mine\n" and _head(tree.path) == before


# --- killed

_MERGE = """
from nagomi_tui.worktrees.merging import merge
from nagomi_tui.worktrees.repository import at, find
merge(find({root!r}), at({tree!r}), how={how!r})
"""


def _walk(tmp_path: Path, how: str, kill: str, steps: range) -> int:
    """Kill it at each of these steps and call again; return how many there were."""
    model = tmp_path / "model"
    root = repository(model / "root", a="1\n2\n3\n", b="b\n", c="c\n", gone="gone\n")
    tree = _tree(root).path
    _commit(tree, a="one\n2\n3\n", new="new\n" * 20_000)
    git(tree, "rm", "-q", "gone")
    git(tree, "commit", "-qm", "Remove")
    _commit(root, b="other\n")
    for one in (root, tree):
        git(one, "status")
    (root / "c").write_text("mine\n")
    old, branch = _head(root), _head(tree)
    for at_step in steps:
        place = tmp_path / f"{kill}{at_step}"
        shutil.move(model, place)  # so that the paths in it are these, as git has them
        root, tree = place / "root", place / "root.worktrees/x"
        git(root, "worktree", "repair", str(tree))
        shutil.copytree(place, model, symlinks=True)
        code = _MERGE.format(root=str(root), tree=str(tree), how=how)
        killed = run_until_killed(code, at_step, kill)  # type: ignore[arg-type]
        with locked(find(root)):
            pass
        now = _head(root)
        assert _status(root) == [" M c"], (kill, at_step)
        assert (root / "c").read_text() == "mine\n"
        assert _status(tree) == [] and git(root, "fsck", "--no-dangling") == ""
        locks = [one for one in (root / ".git").rglob("*.lock") if one.parent.name != "nagomi"]
        assert locks == [], (kill, at_step)
        if now == old:
            assert killed.returncode and _head(tree) in (branch, _head(tree))
            merge(find(root), at(tree), how=how)  # type: ignore[arg-type]
        assert (root / "new").exists() and not (root / "gone").exists()
        shutil.rmtree(place)
        if not killed.returncode:
            return at_step
    return steps.stop


def test_killed_now_and_then_a_merge_is_whole_or_none(tmp_path: Path) -> None:
    _walk(tmp_path, "merge", "git", range(33, 44, 10))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kill", ["alone", "git"])
@pytest.mark.parametrize(
    ("how", "every"),
    [
        ("merge", 9),
        pytest.param("squash", 1, marks=pytest.mark.variant),
        pytest.param("merge", 1, marks=pytest.mark.variant),
        pytest.param("rebase", 1, marks=pytest.mark.variant),
    ],
)
def test_killed_at_any_step_a_merge_is_whole_or_none(
    tmp_path: Path, how: str, every: int, kill: str
) -> None:
    assert 20 < _walk(tmp_path, how, kill, range(1, 200, every)) < 199
