"""Worktrees are made with real git: what they begin at, what comes along, and what is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from nagomi_tui.worktrees.creating import Wish, make, plan, proposed
from nagomi_tui.worktrees.git import Fault
from nagomi_tui.worktrees.journal import Carry, locked
from nagomi_tui.worktrees.repository import base_of, find
from tests.helpers.killing import run_until_killed
from tests.helpers.repository import git, repository


def _head(folder: Path, name: str = "HEAD") -> str:
    return git(folder, "rev-parse", name).strip()


def _status(folder: Path) -> list[str]:
    return git(folder, "status", "--porcelain", "-uall").splitlines()


def _branch(folder: Path) -> str:
    return git(folder, "symbolic-ref", "--short", "HEAD").strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "root", a="1\n2\n3\n", b="b\n")


@pytest.mark.requirement("G-1")
def test_a_worktree_stands_beside_the_repository_on_a_new_branch(root: Path) -> None:
    made = make(Wish(str(root), "fix/it"))
    assert made.worktree.path == root.parent / "root.worktrees/fix-it"
    assert _branch(made.worktree.path) == "fix/it"
    assert base_of(made.worktree.path) == ("refs/heads/main", _head(root), True)
    assert find(root).worktrees() == (find(root).worktrees()[0], made.worktree)
    assert _status(root) == []


def test_a_plan_writes_nothing(root: Path) -> None:
    (root / "c").write_text("c")
    before = sorted(one.relative_to(root) for one in root.rglob("*"))
    found = plan(Wish(str(root), "x", with_changes=True))
    assert (found.branch, found.changed) == ("refs/heads/x", ("c",))
    assert sorted(one.relative_to(root) for one in root.rglob("*")) == before
    assert not found.folder.parent.exists()


@pytest.mark.parametrize(
    ("setting", "place"),
    [
        ("", "root.worktrees/x"),
        ("trees", "trees/x"),
        ("root/.trees", "root/.trees/x"),
        ("{tmp}/far", "far/{name}/x"),
    ],
)
def test_the_place_can_be_set(root: Path, setting: str, place: str) -> None:
    found = plan(Wish(str(root), "x", place=setting.format(tmp=root.parent)))
    assert found.folder == root.parent / place.format(name=root.name)


def test_a_folder_or_branch_that_is_there_gets_a_number(root: Path) -> None:
    first = make(Wish(str(root), name="Fix the Bug"))
    assert _branch(first.worktree.path) == "fix-the-bug"
    git(root, "branch", "fix/the-bug")
    second = make(Wish(str(root), "fix/the-bug"))
    assert second.worktree.path.name == "fix-the-bug-2"
    assert proposed(root, "fix THE bug") == "fix-the-bug-2"


@pytest.mark.parametrize(
    "name", ["ä/ö", "日本語", "a'b", 'q"uote', "do$lar", "x&y", "(a)", "a,b;c|d"]
)
def test_a_branch_may_have_odd_characters(root: Path, name: str) -> None:
    made = make(Wish(str(root), name))
    assert _branch(made.worktree.path) == name
    assert "/" not in made.worktree.path.name and _status(made.worktree.path) == []


@pytest.mark.parametrize(
    "name", ["-x", "a b", "a..b", "x.lock", "a~1", "a^", "a:b", ".a", "@{", "a\n"]
)
def test_what_no_branch_can_be_called_is_one_sentence(root: Path, name: str) -> None:
    with pytest.raises(Fault, match="No branch can be called"):
        make(Wish(str(root), name))
    assert not (root.parent / "root.worktrees").exists()


@pytest.mark.parametrize("name", ["-x", "x y", "..", "a.lock", "///", "*", "", "ä b"])
def test_from_any_name_a_branch_is_proposed_that_git_takes(root: Path, name: str) -> None:
    assert make(Wish(str(root), name=name)).worktree.branch


def test_a_repository_below_odd_folders_works(tmp_path: Path) -> None:
    root = repository(tmp_path / "new\nline ü '\"", a="1\n")
    made = make(Wish(str(root), "x"))
    assert _status(made.worktree.path) == [] and base_of(made.worktree.path) is not None


def test_a_folder_whose_name_is_no_text_works(tmp_path: Path) -> None:
    root = repository(Path(os.fsdecode(os.fsencode(tmp_path) + b"/r\xff")), a="1\n")
    made = make(Wish(str(root), "x"))
    assert made.worktree.path.is_dir() and base_of(made.worktree.path) is not None


# --- what it begins at


def test_it_begins_at_what_is_named(root: Path) -> None:
    git(root, "branch", "old")
    git(root, "tag", "v1")
    git(root, "commit", "-qm", "second", "--allow-empty")
    of_branch = make(Wish(str(root), "x", start="old")).worktree.path
    assert base_of(of_branch) == ("refs/heads/old", _head(root, "old"), True)
    of_tag = make(Wish(str(root), "y", start="v1")).worktree.path
    assert base_of(of_tag) == ("refs/tags/v1", _head(root, "v1"), True)
    of_commit = make(Wish(str(root), "z", start=_head(root, "old"))).worktree.path
    assert base_of(of_commit) == ("", _head(root, "old"), True)


def test_it_begins_where_one_is(root: Path) -> None:
    first = make(Wish(str(root), "x")).worktree.path
    git(first, "commit", "-qm", "second", "--allow-empty")
    (first / "below").mkdir()
    (first / "below/f").write_text("f")
    git(first, "add", ".")
    git(first, "commit", "-qm", "third")
    second = make(Wish(str(first / "below"), "y"))
    assert base_of(second.cwd) == ("refs/heads/x", _head(first), True)
    assert second.cwd == root.parent / "root.worktrees/y/below"


@pytest.mark.requirement("G-2")
def test_beside_an_agents_worktree_it_begins_where_that_has_begun(root: Path) -> None:
    first = make(Wish(str(root), "first")).worktree.path
    for folder in (first, root):
        git(folder, "commit", "-qm", "on", "--allow-empty")
    found = plan(Wish(str(first), "second", beside=True))
    assert (found.base, found.commit) == ("refs/heads/main", _head(root))
    assert plan(Wish(str(first), "second")).base == "refs/heads/first"
    assert plan(Wish(str(first), "x", start="first", beside=True)).base == "refs/heads/first"
    (first / "mine").write_text("mine\n")
    along = plan(Wish(str(first), "second", with_changes=True, beside=True))
    assert (along.base, along.changed) == ("refs/heads/first", ("mine",))


def test_it_begins_at_a_detached_head(root: Path) -> None:
    git(root, "checkout", "-q", "--detach")
    assert base_of(make(Wish(str(root), "x")).worktree.path) == ("", _head(root), True)


def test_a_branch_that_is_there_is_used(root: Path) -> None:
    git(root, "branch", "x")
    begun = _head(root)
    git(root, "commit", "-qm", "second", "--allow-empty")
    made = make(Wish(str(root), "x")).worktree.path
    assert (_branch(made), _head(made)) == ("x", begun)
    assert base_of(made) == ("refs/heads/main", begun, True)
    with pytest.raises(Fault, match="The branch x is there already"):
        plan(Wish(str(root), "x", start="main"))


def test_a_branch_of_the_remote_is_followed(root: Path, tmp_path: Path) -> None:
    git(root, "branch", "x")
    git(tmp_path, "clone", "-q", str(root), str(tmp_path / "near"))
    made = make(Wish(str(tmp_path / "near"), "x")).worktree.path
    assert git(made, "rev-parse", "--abbrev-ref", "@{u}").strip() == "origin/x"
    assert base_of(made) == ("refs/remotes/origin/main", _head(root), True)


@pytest.mark.parametrize("place", ["pull/7/head", "merge-requests/7/head", "pull-requests/7/from"])
def test_it_begins_at_a_pull_request(root: Path, tmp_path: Path, place: str) -> None:
    git(tmp_path, "clone", "-q", str(root), str(tmp_path / "near"))
    git(root, "checkout", "-q", "-b", "theirs")
    git(root, "commit", "-qm", "theirs", "--allow-empty")
    git(root, "update-ref", f"refs/{place}", "theirs")
    git(root, "checkout", "-q", "main")
    git(root, "branch", "-qD", "theirs")
    found = make(Wish(str(tmp_path / "near"), request=7))
    assert _branch(found.worktree.path) == "pr-7"
    assert _head(found.worktree.path) == _head(root, f"refs/{place}")
    assert base_of(found.worktree.path) == ("refs/remotes/origin/main", _head(root), True)
    with pytest.raises(Fault, match="origin has no pull request 8"):
        plan(Wish(str(tmp_path / "near"), request=8))
    with pytest.raises(Fault, match="no remote"):
        plan(Wish(str(root), request=7))


# --- what is refused


def test_a_branch_of_another_worktree_is_refused_with_its_place(root: Path) -> None:
    make(Wish(str(root), "x"))
    with pytest.raises(Fault, match=r"checked out at .*root.worktrees/x already"):
        make(Wish(str(root), "x"))
    with pytest.raises(Fault, match=r"checked out at .*root already"):
        make(Wish(str(root), "main"))


def test_a_branch_that_is_being_rebased_is_refused(root: Path) -> None:
    tree = make(Wish(str(root), "x")).worktree.path
    for folder in (root, tree):
        (folder / "a").write_text(f"{folder}\n")
        git(folder, "commit", "-qam", "change")
    with pytest.raises(subprocess.CalledProcessError):
        git(tree, "rebase", "main")
    with pytest.raises(Fault, match=r"x is being rebased or bisected at .*/x"):
        make(Wish(str(root), "x"))


def test_an_unborn_branch_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="has no commit yet"):
        make(Wish(str(repository(tmp_path / "r")), "x"))


def test_what_is_no_commit_is_one_sentence(root: Path) -> None:
    for start in ("nothing", "-x", "HEAD:a", ""):
        if start:
            with pytest.raises(Fault, match="There is no commit"):
                make(Wish(str(root), "x", start=start))


def test_no_repository_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="in no git repository"):
        make(Wish(str(tmp_path), "x"))


def test_a_branch_below_another_one_leaves_nothing_behind(root: Path) -> None:
    git(root, "branch", "x")
    with pytest.raises(Fault, match="git says: .*x/y"):
        make(Wish(str(root), "x/y"))
    assert not (root.parent / "root.worktrees").exists() and len(find(root).worktrees()) == 1


def test_bare_repositories_have_worktrees(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(root), str(tmp_path / "b.git"))
    git(tmp_path, "clone", "-q", "--bare", str(root), str(tmp_path / "p/.bare"))
    made = make(Wish(str(tmp_path / "b.git"), "x"))
    assert made.worktree.path == tmp_path / "b.worktrees/x"
    assert base_of(made.worktree.path) == ("refs/heads/main", _head(root), True)
    assert make(Wish(str(tmp_path / "p/.bare"), "x")).worktree.path == tmp_path / "p/x"
    with pytest.raises(Fault, match="A bare repository has no changes"):
        make(Wish(str(tmp_path / "b.git"), "y", with_changes=True))


def test_a_submodule_is_one_sentence_and_what_holds_one_works(root: Path, tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer", o="o\n")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(root), "sub")
    git(outer, "commit", "-qm", "sub")
    with pytest.raises(Fault, match="sub is a submodule"):
        make(Wish(str(outer / "sub"), "x"))
    assert _status(make(Wish(str(outer), "x")).worktree.path) == []
    (outer / "sub/a").write_text("dirty\n")
    with pytest.raises(Fault, match="sub is a repository of its own"):
        make(Wish(str(outer), "y", with_changes=True))
    assert (outer / "sub/a").read_text() == "dirty\n"


def test_a_lock_that_is_held_is_one_sentence(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nagomi_tui.worktrees import journal

    monkeypatch.setattr(journal, "PATIENCE", 0.1)
    with journal.locked(find(root)), pytest.raises(Fault, match="Another process is changing"):
        make(Wish(str(root), "x"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_repository_is_one_sentence(root: Path) -> None:
    (root / ".git").chmod(0o555)
    try:
        with pytest.raises(Fault, match="cannot be written"):
            make(Wish(str(root), "x"))
    finally:
        (root / ".git").chmod(0o755)


def test_a_program_that_a_repository_names_is_not_run(root: Path) -> None:
    from tests.helpers.repository import hook

    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        hook(root, name, f"touch {root.parent / 'ran'}")
    git(root, "config", "core.fsmonitor", f"touch {root.parent / 'ran'};")
    (root / "c").write_text("c")
    make(Wish(str(root), "x", with_changes=True))
    assert not (root.parent / "ran").exists()


# --- what comes along


def test_files_named_in_worktreeinclude_are_copied(root: Path) -> None:
    (root / ".gitignore").write_text("*.env\nbuild/\n")
    (root / ".worktreeinclude").write_text("*.env\n!no.env\n/build/keep\n")
    (root / "build").mkdir()
    for name in ("x.env", "no.env", "build/keep", "build/rest"):
        (root / name).write_text(name)
    (root / "x.env").chmod(0o700)
    (root / "l.env").symlink_to("/nowhere")
    git(root, "add", ".gitignore", ".worktreeinclude")
    git(root, "commit", "-qm", "ignore")
    made = make(Wish(str(root), "x")).worktree.path
    assert sorted(one.name for one in made.glob("*.env")) == ["l.env", "x.env"]
    assert (made / "x.env").stat().st_mode & 0o777 == 0o700
    assert os.readlink(made / "l.env") == "/nowhere"
    assert [one.name for one in (made / "build").iterdir()] == ["keep"]
    assert _status(made) == []


def test_included_files_are_not_written_through_a_link(root: Path) -> None:
    (root.parent / "outside").mkdir()
    (root / "d").symlink_to(root.parent / "outside")
    git(root, "add", "d")
    git(root, "commit", "-qm", "link")
    git(root, "branch", "linked")
    git(root, "rm", "-q", "d")
    git(root, "commit", "-qm", "no link")
    (root / "d").mkdir()
    (root / "d/secret").write_text("s")
    (root / ".worktreeinclude").write_text("d/secret\n")
    make(Wish(str(root), "linked"))
    assert list((root.parent / "outside").iterdir()) == []


def _dirty(root: Path) -> list[str]:
    (root / "a").write_text("staged\n")
    git(root, "add", "a")
    (root / "a").write_text("staged\nand more\n")
    (root / "b").unlink()
    (root / "new ü\n").write_text("new\n")
    (root / "deep/er").mkdir(parents=True)
    (root / "deep/er/f").write_text("deep\n")
    (root / "added").write_text("added\n")
    git(root, "add", "added")
    (root / "link").symlink_to("a")
    return _status(root)


@pytest.mark.requirement("G-3")
def test_changes_come_along_as_they_were_and_leave_the_origin(root: Path) -> None:
    before = _dirty(root)
    made = make(Wish(str(root), "x", with_changes=True)).worktree.path
    assert _status(made) == before
    assert (
        git(made, "show", ":a") == "staged\n" and (made / "a").read_text() == "staged\nand more\n"
    )
    assert os.readlink(made / "link") == "a"
    assert _status(root) == [] and not (root / "deep").exists()
    assert ((root / "a").read_text(), (root / "b").read_text()) == ("1\n2\n3\n", "b\n")


def test_changes_come_along_onto_another_commit(root: Path) -> None:
    git(root, "branch", "old")
    (root / "c").write_text("c\n")
    git(root, "add", "c")
    git(root, "commit", "-qm", "second")
    (root / "a").write_text("1\n2\nthree\n")
    (root / "n").write_text("n\n")
    made = make(Wish(str(root), "x", start="old", with_changes=True)).worktree.path
    assert _status(made) == [" M a", "?? n"] and not (made / "c").exists()
    assert _status(root) == []


def test_changes_that_do_not_fit_stay_where_they_were(root: Path) -> None:
    git(root, "branch", "old")
    (root / "a").write_text("other\n")
    git(root, "commit", "-qam", "second")
    (root / "a").write_text("other still\n")
    with pytest.raises(Fault, match="do not fit onto old"):
        make(Wish(str(root), "x", start="old", with_changes=True))
    assert _status(root) == [" M a"] and (root / "a").read_text() == "other still\n"
    assert len(find(root).worktrees()) == 1 and git(root, "branch", "--list", "x") == ""


def test_changes_with_a_conflict_or_within_a_merge_stay(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "other")
    (root / "a").write_text("theirs\n")
    git(root, "commit", "-qam", "theirs")
    git(root, "checkout", "-q", "main")
    (root / "a").write_text("ours\n")
    git(root, "commit", "-qam", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        git(root, "merge", "other")
    before = _status(root)
    with pytest.raises(Fault, match="A merge is under way"):
        make(Wish(str(root), "x", with_changes=True))
    assert _status(root) == before


def test_a_file_as_a_full_disk_leaves_it_is_taken_back(root: Path, tmp_path: Path) -> None:
    """What a program of git's own cannot write ends it as a full disk does."""
    (root / ".gitattributes").write_text("a filter=full\n")
    git(root, "add", ".gitattributes")
    git(root, "commit", "-qm", "filter")
    git(root, "config", "filter.full.smudge", "exit 1")
    git(root, "config", "filter.full.required", "true")
    with pytest.raises(Fault, match="git says"):
        make(Wish(str(root), "x"))
    assert len(find(root).worktrees()) == 1 and git(root, "branch", "--list", "x") == ""


@pytest.mark.parametrize("what", ["staged", "filter"])
def test_changes_that_would_not_arrive_as_they_are_stay(root: Path, what: str) -> None:
    git(root, "branch", "old")
    (root / "c").write_text("c\n")
    git(root, "config", "filter.strip.clean", "sed s/SECRET//")
    (root / ".gitattributes").write_text("s filter=strip\n" if what == "filter" else "")
    git(root, "add", ".")
    git(root, "commit", "-qm", "c")
    if what == "staged":
        (root / "a").write_text("1\nstaged\n3\n")
        git(root, "add", "a")
        (root / "a").write_text("1\nlater\n3\n")
    else:
        (root / "s").write_text("my SECRET\n")
    before = _status(root), git(root, "ls-files", "--stage")
    with pytest.raises(Fault, match="what is staged differs" if what == "staged" else "not arrive"):
        make(Wish(str(root), "x", start="old" if what == "staged" else "", with_changes=True))
    assert (_status(root), git(root, "ls-files", "--stage")) == before
    assert len(find(root).worktrees()) == 1


# --- killed


_MAKE = """
from nagomi_tui.worktrees.creating import Wish, make
make(Wish({folder!r}, "x", with_changes=True))
"""


def _walk(tmp_path: Path, how: str, steps: range) -> int:
    """Kill it at each of these steps and call again; return how many there were."""
    model = tmp_path / "model"
    root = repository(model / "root", a="1\n2\n3\n", b="b\n")
    (root / ".gitignore").write_text("*.env\n")
    git(root, "add", ".gitignore")
    git(root, "commit", "-qm", "ignore")
    (root / ".worktreeinclude").write_text("*.env\n")
    (root / "x.env").write_text("secret")
    before = _dirty(root)
    for at in steps:
        place = tmp_path / f"{how}{at}"
        shutil.copytree(model, place, symlinks=True)
        root = place / "root"
        killed = run_until_killed(_MAKE.format(folder=str(root)), at, how)  # type: ignore[arg-type]
        with locked(find(root)):
            linked = [one.path for one in find(root).worktrees()[1:]]
        locks = [one for one in (root / ".git").rglob("*.lock") if one.parent.name != "nagomi"]
        assert locks == [], (how, at)
        if linked:
            assert _status(linked[0]) == before, (how, at)
            assert _status(root) == [], (how, at)
            assert (linked[0] / "x.env").read_text() == "secret"
        else:
            assert _status(root) == before, (how, at)
            assert git(root, "branch", "--list", "x") == "", (how, at)
            assert killed.returncode
            assert make(Wish(str(root), "x", with_changes=True)).worktree.path.is_dir()
        assert git(root, "fsck", "--no-dangling") == ""
        shutil.rmtree(place)
        if not killed.returncode:
            return at
    return steps.stop


def test_a_file_that_git_has_only_begun_to_put_back_is_put_back_whole(root: Path) -> None:
    (root / "a").write_text("1\n2\nchanged\n")
    tree = make(Wish(str(root), "x", with_changes=True)).worktree.path
    git(tree, "add", ".")
    (keep,) = (root / ".git/nagomi/carried").iterdir()
    step = Carry(str(root), str(keep), _head(root), git(tree, "write-tree").strip(), ("a", "b"))
    for text, left in (("", "1\n2\n3\n"), ("1\n2", "1\n2\n3\n"), ("mine\n", "mine\n")):
        (root / "a").write_text(text)
        (root / "b").write_text("")  # nothing of it was taken along: the user has emptied it
        with locked(find(root)) as work:
            step.do(work)
        assert (root / "a").read_text() == left and (root / "b").read_text() == ""
    assert (keep / "a").read_text() == "1\n2\nchanged\n"


def test_a_deleted_file_that_git_has_only_begun_to_put_back_is_put_back_whole(root: Path) -> None:
    (root / "a").unlink()
    tree = make(Wish(str(root), "x", with_changes=True)).worktree.path
    git(tree, "add", "--all")
    keep = str(root / ".git/nagomi/carried/x")
    step = Carry(str(root), keep, _head(root), git(tree, "write-tree").strip(), ("a",))
    for text, left in (("", "1\n2\n3\n"), ("1\n2", "1\n2\n3\n"), ("mine\n", "mine\n")):
        (root / "a").write_text(text)
        with locked(find(root)) as work:
            step.do(work)
        assert (root / "a").read_text() == left


def test_killed_now_and_then_nothing_is_lost(tmp_path: Path) -> None:
    _walk(tmp_path, "alone", range(40, 60, 9))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("how", "steps"),
    [
        pytest.param("alone", range(3, 200, 7), id="alone"),
        pytest.param("git", range(5, 200, 7), id="git"),
        pytest.param("alone", range(1, 200), id="alone-all", marks=pytest.mark.variant),
        pytest.param("git", range(1, 200), id="git-all", marks=pytest.mark.variant),
    ],
)
def test_killed_at_any_step_nothing_is_lost(tmp_path: Path, how: str, steps: range) -> None:
    assert 20 < _walk(tmp_path, how, steps) < 199
