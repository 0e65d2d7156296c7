"""Worktrees are taken away with real git: only what loses nothing goes, and it comes back."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.worktrees.creating import Wish, make
from nagomi_tui.worktrees.git import Fault
from nagomi_tui.worktrees.journal import locked
from nagomi_tui.worktrees.looks import Inside, dangers, is_in
from nagomi_tui.worktrees.merging import merge
from nagomi_tui.worktrees.removing import Unsafe, clear, gone, kept, remove, undo
from nagomi_tui.worktrees.repository import Worktree, at, base_of, find
from tests.helpers.killing import run_until_killed
from tests.helpers.repository import git, repository

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.fixture(autouse=True)
def author(monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "test@example.org")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "root", a="1\n2\n3\n", b="b\n")


@pytest.fixture
def tree(root: Path) -> Path:
    return make(Wish(str(root), "x")).worktree.path


def _nobody() -> Sequence[Inside]:
    return ()


def _remove(tree: Path, **how: Any) -> str:
    return remove(find(tree), tree, how.pop("sessions", _nobody), **how)


def _commit(folder: Path, **texts: str) -> str:
    for name, text in texts.items():
        (folder / name).write_text(text)
        git(folder, "add", "--", name)
    git(folder, "commit", "-qm", f"Change {', '.join(texts)}")
    return git(folder, "rev-parse", "HEAD").strip()


def _status(folder: Path) -> list[str]:
    return git(folder, "status", "--porcelain", "-uall").splitlines()


def _stays(tree: Path, sentence: str, **how: Any) -> None:
    """Hold that a worktree is not taken away, says so, and is as it was."""
    before = _all(tree)
    with pytest.raises(Unsafe) as caught:
        _remove(tree, **how)
    assert any(sentence in str(one) for one in caught.value.reasons), caught.value.reasons
    assert _all(tree) == before


def _all(tree: Path) -> tuple[object, ...]:
    names = [one for one in sorted(tree.rglob("*")) if ".git" not in one.parts]
    return names, git(tree, "for-each-ref"), _status(tree)


def _ignore(root: Path, pattern: str) -> None:
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text(f"{pattern}\n")


# --- what goes, and comes back


def _left_by_reset(root: Path, tree: Path) -> str:
    lost = _commit(tree, new="n\n")
    git(tree, "reset", "-q", "--hard", "HEAD~1")
    return lost


def _left_detached(root: Path, tree: Path) -> str:
    git(tree, "checkout", "-q", "--detach")
    lost = _commit(tree, new="n\n")
    git(tree, "checkout", "-q", "x")
    return lost


def _amended(root: Path, tree: Path) -> str:
    lost = _commit(tree, new="n\n")
    git(tree, "commit", "-q", "--amend", "-m", "Other words")
    git(root, "merge", "-q", "x")
    return lost


def _staged(root: Path, tree: Path) -> str:
    (tree / "new").write_text("staged\n")
    git(tree, "add", "new")
    (tree / "new").unlink()
    return git(tree, "rev-parse", ":new").strip()


def _merged(root: Path, tree: Path) -> str:
    lost = _commit(tree, new="n\n")
    git(root, "merge", "-q", "--squash", "x")
    git(root, "commit", "-qm", "All in one")
    return lost


@pytest.mark.requirement("G-9")
@pytest.mark.parametrize("with_branch", [False, True])
def test_what_nothing_else_names_outlives_a_clean_up_of_git(
    tmp_path: Path, with_branch: bool
) -> None:
    """Its reflog and index name commits and files that git prunes once its registration is away."""
    for number, leave in enumerate((_left_by_reset, _left_detached, _amended, _staged, _merged)):
        root = repository(tmp_path / str(number), a="1\n2\n3\n", b="b\n")
        tree = make(Wish(str(root), "x")).worktree.path
        lost = leave(root, tree)
        _remove(tree, force=leave is _staged, with_branch=with_branch)
        git(root, "reflog", "expire", "--expire=now", "--all")
        git(root, "gc", "-q", "--prune=now")
        assert git(root, "cat-file", "-t", lost), leave
        undo(find(root))
        assert git(tree, "status", "--porcelain") == ("AD new\n" if leave is _staged else "")
        assert git(root, "for-each-ref", "refs/nagomi") == ""


def test_a_clean_worktree_goes_and_its_branch_stays(root: Path, tree: Path) -> None:
    _remove(tree)
    assert not tree.exists()
    assert [one.path for one in find(root).worktrees()] == [root]
    assert git(root, "branch", "--list", "x").strip() == "x"
    assert git(root, "worktree", "prune", "-v") == ""


def test_a_branch_is_deleted_where_that_is_asked_for(root: Path, tree: Path) -> None:
    _remove(tree, with_branch=True)
    assert git(root, "branch", "--list", "x") == ""


@pytest.mark.parametrize("with_branch", [False, True])
def test_it_comes_back_as_it_was(root: Path, tree: Path, with_branch: bool) -> None:
    (tree / ".git-not").write_text("untracked\n")
    (tree / "a").write_text("staged\n")
    git(tree, "add", "a")
    before, base = _status(tree), base_of(tree)
    _remove(tree, force=True, with_branch=with_branch)
    back = undo(find(root))
    assert (back.path, back.branch) == (tree, "refs/heads/x")
    assert _status(tree) == before and base_of(tree) == base
    assert kept(find(root)) == () and not (tree.parent / ".nagomi-removed").exists()
    with pytest.raises(Fault, match="No worktree that was taken away"):
        undo(find(root))


def test_one_of_several_comes_back_by_its_name(root: Path, tree: Path) -> None:
    other = make(Wish(str(root), "y")).worktree.path
    for one in (tree, other):
        _remove(one)
    undo(find(root), "x")
    assert tree.exists() and not other.exists()


def test_it_comes_back_though_its_registration_is_taken(root: Path, tree: Path) -> None:
    _remove(tree)
    git(root, "worktree", "add", "-q", "-b", "z", str(root.parent / "x"))
    undo(find(root))
    assert _status(tree) == [] and git(tree, "symbolic-ref", "HEAD").strip() == "refs/heads/x"


def test_it_does_not_come_back_over_something(root: Path, tree: Path) -> None:
    _remove(tree)
    git(root, "worktree", "add", "-q", str(root.parent / "w"), "x")
    with pytest.raises(Fault, match="x is checked out at .*/w by now"):
        undo(find(root))
    tree.mkdir(parents=True)
    with pytest.raises(Fault, match="is there already"):
        undo(find(root))


def test_what_was_kept_long_enough_is_deleted(root: Path, tree: Path) -> None:
    _remove(tree)
    clear(find(root), 1)
    assert len(kept(find(root))) == 1
    clear(find(root), 0)
    assert kept(find(root)) == () and list(tree.parent.rglob("a")) == []


# --- what must stay


@pytest.mark.requirement("G-8")
def test_what_is_not_committed_stays(tree: Path) -> None:
    (tree / "a").write_text("dirty\n")
    _stays(tree, "Not committed: a")


def test_what_is_staged_stays(tree: Path) -> None:
    (tree / "a").write_text("dirty\n")
    git(tree, "add", "a")
    (tree / "a").write_text("1\n2\n3\n")
    _stays(tree, "Not committed: a")


def test_what_is_not_tracked_stays_whatever_is_configured(tree: Path) -> None:
    (tree / "deep").mkdir()
    (tree / "deep/ü\n").write_text("new\n")
    for name, value in (("status.showUntrackedFiles", "no"), ("core.untrackedCache", "true")):
        git(tree, "config", name, value)
    with pytest.raises(Unsafe) as caught:
        _remove(tree)
    assert "Not tracked by git: deep/ü\n" in str(caught.value.reasons[0])


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_what_the_index_does_not_look_at_stays(tree: Path, flag: str) -> None:
    git(tree, "update-index", flag, "a", "b")
    (tree / "a").write_text("dirty\n")
    _stays(tree, "Not committed: a")


def test_a_sparse_checkout_goes(tree: Path) -> None:
    git(tree, "sparse-checkout", "set", "--no-cone", "/b")
    assert not (tree / "a").exists()
    _remove(tree)


def test_an_ignored_file_that_was_copied_and_changed_stays(root: Path) -> None:
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("*.env\nbuild/\n")
    (root / ".worktreeinclude").write_text("*.env\n")
    git(root, "add", ".worktreeinclude")
    git(root, "commit", "-qm", "include")
    (root / "x.env").write_text("1")
    tree = make(Wish(str(root), "x")).worktree.path
    (tree / "build").mkdir()
    (tree / "build/x").write_text("made anew by any build")
    assert dangers(at(tree), _nobody) == ()
    (tree / "x.env").write_text("2")
    _stays(tree, "Ignored by git, and changed here: x.env")
    (tree / "x.env").write_text("1")
    (tree / "y.env").write_text("only here")
    _stays(tree, "Ignored by git, and changed here: y.env")


@pytest.mark.parametrize("ignored", [False, True])
def test_a_repository_within_it_stays(root: Path, tree: Path, ignored: bool) -> None:
    if ignored:
        (root / ".git/info").mkdir(exist_ok=True)
        (root / ".git/info/exclude").write_text("vendor/\n")
    repository(tree / "vendor/one", c="c\n")
    sentence = "A repository of its own, ignored by git: vendor/one" if ignored else "vendor/one/"
    _stays(tree, sentence)


def test_a_repository_without_files_that_git_ignores_stays(root: Path, tree: Path) -> None:
    _ignore(root, "kept/")
    git(root, "init", "-q", "--bare", str(tree / "kept/backup.git"))
    _stays(tree, "A repository of its own, ignored by git: kept/backup.git")


def test_commits_of_a_branch_that_was_deleted_under_it_stay(root: Path, tree: Path) -> None:
    lost = _commit(tree, new="n\n")
    git(root, "update-ref", "-d", "refs/heads/x")
    _stays(tree, f"its newest commit is {lost[:8]}.", force=True)


def test_a_change_that_neither_size_nor_time_tells_stays(root: Path, tree: Path) -> None:
    git(root, "config", "core.trustctime", "false")
    git(root, "config", "core.checkStat", "minimal")
    before = (tree / "a").stat()
    (tree / "a").write_text("1\n2\n4\n")
    os.utime(tree / "a", ns=(before.st_atime_ns, before.st_mtime_ns))
    _stays(tree, "Not committed: a")


@pytest.mark.requirement("G-8")
def test_commits_that_nobody_else_has_stay_whatever_is_forced(tree: Path) -> None:
    _commit(tree, a="ours\n")
    _stays(tree, "neither pushed nor in main: 1")
    _stays(tree, "neither pushed nor in main: 1", force=True)


def test_commits_of_a_detached_head_stay(tree: Path) -> None:
    git(tree, "checkout", "-q", "--detach")
    _commit(tree, a="ours\n")
    _stays(tree, "neither pushed nor in")


def test_references_of_its_own_stay(root: Path, tree: Path) -> None:
    commit = git(root, "commit-tree", "-m", "alone", "main^{tree}").strip()
    git(tree, "update-ref", "refs/worktree/mine", commit)
    _stays(tree, "nowhere but in its refs/worktree/mine", force=True)


def test_pushed_commits_go(root: Path, tree: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "far.git"))
    git(root, "remote", "add", "origin", str(tmp_path / "far.git"))
    _commit(tree, a="ours\n")
    _stays(tree, "neither pushed nor in main: 1")
    git(tree, "push", "-q", "origin", "x")
    _remove(tree)


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("how", ["merge", "squash", "rebase", "picked"])
def test_merged_commits_go(root: Path, tree: Path, how: Any, later: bool) -> None:
    """Also when they were squashed (B39), and when the target has changed the same lines since."""
    _commit(tree, a="one\n2\n3\n")
    _commit(tree, d="d\n")
    _commit(root, b="other\n")
    if how == "picked":
        git(root, "cherry-pick", "main..x")
    else:
        merge(find(root), at(tree), how=how)
    if later:
        _commit(root, a="one\nand\nmore\n", d="e\n")
    _remove(tree)


def test_a_patch_that_differs_in_blanks_alone_stays(root: Path, tree: Path) -> None:
    _commit(tree, a="1\n    2\n3\n")
    _commit(root, a="1\n\t2\n3\n")
    _commit(root, a="1\n\t2\n3\n4\n")
    assert git(root, "cherry", "main", "x").startswith("-")
    assert not is_in(root, "x", "main")
    _stays(tree, "neither pushed nor in main")


def test_a_part_of_a_branch_in_the_target_is_not_enough(root: Path, tree: Path) -> None:
    first = _commit(tree, a="one\n2\n3\n")
    _commit(tree, d="d\n")
    _commit(root, b="other\n")  # or what is picked in the same second is the same commit
    git(root, "cherry-pick", first)
    _stays(tree, "neither pushed nor in main: 2")


@pytest.mark.parametrize("what", ["rebase", "merge", "cherry-pick", "revert", "bisect"])
def test_one_in_the_middle_of_something_stays(root: Path, tree: Path, what: str) -> None:
    first = _commit(tree, a="ours\n")
    _commit(tree, a="ours again\n")
    _commit(root, a="theirs\n")
    words = {"bisect": ["start"], "revert": [first]}.get(what, ["main"])
    if what == "bisect":
        git(tree, what, *words)
    else:
        with pytest.raises(subprocess.CalledProcessError):
            git(tree, what, *words)
    _stays(tree, f"A {what} is under way in it", force=True)


def test_a_locked_one_stays(root: Path, tree: Path) -> None:
    git(root, "worktree", "lock", "--reason", "in use", str(tree))
    _stays(tree, "It is locked: in use", force=True)


def test_the_main_worktree_stays(root: Path) -> None:
    _stays(root, "It is the main worktree", force=True)


@pytest.mark.parametrize("place", [".claude/worktrees/x", ".codex/worktrees/1/root"])
def test_what_an_agent_has_made_for_itself_stays(root: Path, place: str) -> None:
    git(root, "worktree", "add", "-q", "-b", "x", str(root / place))
    _stays(root / place, "has made it for itself", force=True)


def test_another_repository_at_its_place_stays(root: Path, tree: Path) -> None:
    """The registration points at a path where another clone lives (B40)."""
    shutil.move(tree, tree.with_name("moved"))
    git(root.parent, "clone", "-q", str(root), str(tree))
    with pytest.raises(Unsafe, match="do not name each other"):
        remove(find(root), tree, _nobody, force=True)
    shutil.rmtree(tree)
    other = repository(root.parent / "other", a="a\n")
    git(other, "worktree", "add", "-q", "-b", "x", str(tree))
    with pytest.raises(Unsafe, match="do not name each other"):
        remove(find(root), tree, _nobody, force=True)
    assert (tree / "a").read_text() == "a\n"


def test_one_whose_files_git_looks_for_elsewhere_stays(root: Path, tree: Path) -> None:
    git(root, "config", "extensions.worktreeConfig", "true")
    git(tree, "config", "--worktree", "core.worktree", str(root))
    (tree / "a").write_text("mine\n")
    _stays(tree, "git looks at the files in", force=True)


@pytest.mark.skipif(os.getuid() != 0, reason="only root mounts")
def test_one_with_a_file_system_mounted_in_it_stays(root: Path, tree: Path) -> None:
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("data\n")
    (tree / "data").mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tree / "data"))
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount")
    try:
        (tree / "data/mine").write_text("mine\n")
        _stays(tree, "File systems are mounted in it", force=True)
    finally:
        subprocess.run(("umount", "-l", str(tree / "data")), check=True)
    removed = _remove(tree, force=True)
    aside = kept_aside(root, removed)
    subprocess.run((*mount[:-1], str(aside / "data")), check=True)
    try:
        (aside / "data/mine").write_text("mine\n")
        clear(find(root), 0)
        assert (aside / "data/mine").read_text() == "mine\n"
    finally:
        subprocess.run(("umount", "-l", str(aside / "data")), check=True)
    clear(find(root), 0)
    assert not aside.exists()


def kept_aside(root: Path, name: str) -> Path:
    return Path(next(record.aside for one, record in kept(find(root)) if one == name))


def test_a_link_at_its_place_stays(root: Path, tree: Path) -> None:
    shutil.move(tree, tree.with_name("moved"))
    tree.symlink_to(tree.with_name("moved"))
    with pytest.raises(Unsafe, match="do not name each other"):
        remove(find(root), tree, _nobody)


def test_a_folder_that_is_gone_is_said(root: Path, tree: Path) -> None:
    shutil.rmtree(tree)
    with pytest.raises(Unsafe, match="Its folder is not there"):
        remove(find(root), tree, _nobody)


def test_a_session_in_it_is_named(tree: Path) -> None:
    """Two sessions in one folder: who removes it is told of the other (B44)."""
    (tree / "below").mkdir()
    inside = (Inside(3, "claude", str(tree / "below")), Inside(4, "codex", str(tree)))
    outside = (Inside(5, "zsh", f"{tree}-2"),)
    _stays(tree, "The session 3 claude is in it", sessions=lambda: inside + outside, force=True)
    _stays(tree, "The session 4 codex is in it", sessions=lambda: inside + outside)
    _remove(tree, sessions=lambda: outside)


def test_a_process_in_it_is_named(tree: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], cwd=tree, stdin=subprocess.PIPE
    ) as process:
        _stays(tree, f"({process.pid})", force=True)
        process.communicate(b"\n")
    _remove(tree)


@pytest.mark.skipif(sys.platform != "linux", reason="what is open elsewhere is slow to ask for")
def test_a_process_with_a_file_of_it_open_is_named(root: Path, tree: Path) -> None:
    _ignore(root, "*.log")
    (tree / "x.log").write_text("one\n")
    with subprocess.Popen(
        ["tail", "-f", str(tree / "x.log")], cwd="/", stdout=subprocess.PIPE
    ) as tail:
        assert tail.stdout is not None and tail.stdout.readline() == b"one\n"
        _stays(tree, f"Processes are in it: tail ({tail.pid})")
        tail.terminate()


def test_sessions_that_cannot_be_asked_for_are_unsafe(tree: Path) -> None:
    def silent() -> Sequence[Inside]:
        raise Fault("nobody answers")

    _stays(
        tree, "It cannot be seen whether something would be lost: nobody answers", sessions=silent
    )


def _broken(tree: Path, what: str) -> None:
    admin = at(tree).git_dir
    if what == "index":
        (admin / "index").write_bytes(b"no index")
    elif what == "head":
        (admin / "HEAD").write_text("ref: refs/heads/../x\n")
    elif what == "objects":
        shutil.rmtree(tree.parent.parent / "root/.git/objects")
    else:
        (admin / "gitdir").unlink()
        (admin / "gitdir").mkdir()


@pytest.mark.requirement("G-8")
@pytest.mark.parametrize("what", ["index", "head", "objects", "gitdir"])
def test_a_look_that_fails_is_unsafe(root: Path, tree: Path, what: str) -> None:
    repository_, worktree = find(root), at(tree)
    _broken(tree, what)
    assert dangers(worktree, _nobody)
    with pytest.raises(Fault):
        remove(repository_, tree, _nobody)
    assert (tree / "a").exists() and worktree.git_dir.exists()


def test_what_happens_after_it_was_looked_at_counts(root: Path, tree: Path) -> None:
    """All is looked at again under the lock: here by a session that begins there meanwhile."""
    assert dangers(at(tree), _nobody) == ()
    (tree / "new").write_text("new\n")
    _stays(tree, "Not tracked by git: new")


# --- submodules (B42)


def _with_submodule(root: Path, tmp_path: Path) -> tuple[Path, Path]:
    inner = repository(tmp_path / "inner", i="i\n")
    allowed = ("-c", "protocol.file.allow=always")
    git(root, *allowed, "submodule", "add", "-q", str(inner), "sub")
    git(root, "commit", "-qm", "sub")
    tree = make(Wish(str(root), "x")).worktree.path
    git(tree, *allowed, "submodule", "update", "-q", "--init")
    return tree, tree / "sub"


def test_a_worktree_with_a_clean_submodule_goes_and_comes_back(root: Path, tmp_path: Path) -> None:
    tree, sub = _with_submodule(root, tmp_path)
    _remove(tree)
    undo(find(root))
    assert _status(sub) == [] and _status(tree) == []


@pytest.mark.parametrize("what", ["dirty", "untracked", "commit", "branch", "stash", "ignoring"])
def test_what_is_only_in_a_submodule_stays(root: Path, tmp_path: Path, what: str) -> None:
    tree, sub = _with_submodule(root, tmp_path)
    sentence = "Not committed: sub"
    if what == "untracked":
        (sub / "new").write_text("new\n")
    else:
        (sub / "i").write_text("dirty\n")
    if what == "ignoring":
        git(tree, "config", "submodule.sub.ignore", "all")
        git(tree, "config", "diff.ignoreSubmodules", "all")
    if what == "stash":
        git(sub, "stash", "-q")
        sentence = "The submodule sub has a stash"
    if what in ("commit", "branch"):
        git(sub, "checkout", "-q", "-b", "mine")
        git(sub, "commit", "-qam", "inner")
        sentence = "Commits of the submodule sub are not pushed: 1"
    if what == "branch":
        git(sub, "checkout", "-q", "--detach", "origin/main")
    for force in (False, what in ("commit", "branch", "stash")):
        with pytest.raises(Unsafe) as caught:
            _remove(tree, force=force)
        assert any(sentence in str(one) for one in caught.value.reasons), caught.value.reasons
    assert (sub / "i").exists()


# --- bare, and from within


def test_one_of_a_bare_repository_goes(root: Path, tmp_path: Path) -> None:
    """Its first worktree, from within the repository, which prunes nothing else (B37)."""
    bare = tmp_path / "b.git"
    git(tmp_path, "clone", "-q", "--bare", str(root), str(bare))
    first, second = (make(Wish(str(bare), name)).worktree.path for name in "xy")
    _remove(first)
    assert [one.path for one in find(bare).worktrees()] == [second]


def test_a_full_or_read_only_folder_is_one_sentence(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree.parent / ".nagomi-removed").write_text("in the way\n")
    with pytest.raises(Fault, match="The system refused"):
        _remove(tree)
    assert _status(tree) == [] and kept(find(tree)) == ()


# --- those whose work is done


def test_gone_are_those_that_are_merged_or_deleted_at_the_remote(
    root: Path, tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "far.git"))
    git(root, "remote", "add", "origin", str(tmp_path / "far.git"))
    git(root, "push", "-q", "origin", "main")
    trees: dict[str, Worktree] = {
        name: make(Wish(str(root), name)).worktree
        for name in ("fresh", "merged", "squashed", "open", "deleted", "lost", "dirty")
    }
    for name in ("merged", "squashed", "open", "deleted", "lost", "dirty"):
        _commit(trees[name].path, **{name: f"{name}\n"})
    for name in ("merged", "squashed", "dirty"):
        merge(find(root), trees[name], how="squash" if name == "squashed" else "merge")
    (trees["dirty"].path / "new").write_text("new\n")
    for name in ("deleted", "lost"):
        git(trees[name].path, "push", "-q", "-u", "origin", name)
    merge(find(root), trees["deleted"], how="squash")
    for name in ("deleted", "lost"):
        git(root, "push", "-q", "origin", "--delete", name)
    found = {one.worktree.name: one for one in gone(find(root), _nobody)}
    assert sorted(found) == ["deleted", "dirty", "lost", "merged", "squashed"]
    assert str(found["merged"].why) == "its branch is merged into main"
    assert str(found["deleted"].why) == "its branch was deleted at the remote"
    assert sorted(name for name, one in found.items() if one.reasons) == ["dirty", "lost"]


def test_agents_own_are_never_gone(root: Path) -> None:
    place = root / ".claude/worktrees/x"
    git(root, "worktree", "add", "-q", "-b", "x", str(place))
    _commit(place, a="ours\n")
    merge(find(root), at(place))
    assert gone(find(root), _nobody) == ()


# --- killed

_REMOVE = """
from pathlib import Path
from nagomi_tui.worktrees.removing import remove, undo
from nagomi_tui.worktrees.repository import find
repository = find({root!r})
if {undo!r}:
    undo(repository)
else:
    remove(repository, Path({tree!r}), tuple, force=True, with_branch=True)
"""


def _walk(tmp_path: Path, what: str, kill: str, steps: range) -> int:
    for step in steps:
        root = repository(tmp_path / f"{kill}{step}/root", a="1\n")
        tree = make(Wish(str(root), "x")).worktree.path
        (tree / "a").write_text("dirty\n")
        (tree / "new").write_text("new\n")
        before = _status(tree)
        if what == "undo":
            _remove(tree, force=True, with_branch=True)
        code = _REMOVE.format(root=str(root), tree=str(tree), undo=what == "undo")
        killed = run_until_killed(code, step, kill)  # type: ignore[arg-type]
        with locked(find(root)):
            pass
        if not tree.exists():
            assert git(root, "branch", "--list", "x") == "" or what == "undo", (kill, step)
            assert len(find(root).worktrees()) == 1
            undo(find(root))
        assert _status(tree) == before, (kill, step)
        assert (tree / "new").read_text() == "new\n"
        assert git(root, "branch", "--list", "x") and kept(find(root)) == ()
        assert git(root, "fsck", "--no-dangling") == ""
        shutil.rmtree(root.parent)
        if not killed.returncode:
            return step
    return steps.stop


@pytest.mark.requirement("G-10")
@pytest.mark.parametrize("what", ["remove", "undo"])
def test_killed_now_and_then_it_is_there_or_can_be_brought_back(tmp_path: Path, what: str) -> None:
    _walk(tmp_path, what, "alone", range(6, 30, 9))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kill", ["alone", "git"])
@pytest.mark.parametrize(
    ("what", "every"),
    [
        ("remove", 5),
        pytest.param("undo", 1, marks=pytest.mark.variant),
        pytest.param("remove", 1, marks=pytest.mark.variant),
    ],
)
def test_killed_at_any_step_it_is_there_or_can_be_brought_back(
    tmp_path: Path, what: str, every: int, kill: str
) -> None:
    assert 8 < _walk(tmp_path, what, kill, range(1, 100, every)) < 99
