"""Worktrees by commands: with real git, a real workplace and real sessions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.system.outcome import Exit
from nagomi_tui.worktrees.model import Figures, Meeting, in_words
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
    until(lambda: "M a\n?? new" in nagomi.shown(str(made["number"])))
    until(lambda: nagomi.session(made["number"])["branch"] == "fix/x")
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


# --- `nagomi worktree`

_ENV = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Test"), ("EMAIL", "test@example.org"))
}


def _tree(nagomi: Commands, root: Path, branch: str, *, stop: bool = True) -> Path:
    """Begin a session in a worktree, and end it again."""
    done = nagomi.run("new", "--json", "--worktree", branch, "--", "cat", cwd=root)
    made = json.loads(done.stdout)
    if stop:
        nagomi.ok("stop", str(made["number"]))
    return root.parent / "root.worktrees" / branch


def _commit(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text)
        git(folder, "add", name)
    git(folder, "commit", "-qm", f"Change {', '.join(texts)}")


def _told(nagomi: Commands, root: Path, *words: str, code: int = 0) -> Any:
    done = nagomi.run("worktree", *words, cwd=root, env=_ENV)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout) if "--json" in words else done.stdout + done.stderr


def test_worktrees_are_listed_with_figures_sessions_and_what_meets(
    nagomi: Commands, root: Path
) -> None:
    one, other = (_tree(nagomi, root, name, stop=name == "y") for name in "xy")
    (one / "a").write_text("x\n")
    _commit(other, a="y\n", b="1\n2\n")
    (root / ".claude").mkdir()
    git(root, "worktree", "add", "-q", "-b", "z", str(root / ".claude/worktrees/z"))
    rows = {row["branch"]: row for row in _told(nagomi, root, "list", "--json")}
    assert list(rows) == ["main", "x", "y", "z"] or set(rows) == {"main", "x", "y", "z"}
    assert (rows["x"]["files"], rows["x"]["added"], rows["x"]["removed"]) == (1, 1, 1)
    assert (rows["x"]["uncommitted"], len(rows["x"]["sessions"])) == (1, 1)
    assert (rows["y"]["files"], rows["y"]["added"], rows["y"]["ahead"]) == (2, 3, 1)
    assert [one["branch"] for one in rows["x"]["meets"]] == ["y"]
    assert rows["x"]["meets"][0]["names"] == ["a"] and rows["z"]["agent"] == "claude"
    text = _told(nagomi, root, "list")
    assert "x and y conflict in a" in text and "made by claude" in text
    assert "y  ../root.worktrees/y  main ↑1 ↓0  2 files +3 −1" in text


def test_many_worktrees_that_meet_are_told_in_a_sentence() -> None:
    met = [Meeting(f"/w/{n}", f"b{n}", ("a", f"f{n}"), n % 2 == 0) for n in range(30)]
    told = list(in_words(Figures(path="/w", name="w", branch="x"), met, str.format))
    assert told == [
        "⚠ x and b0, b2, b4, b6, b8, … (+10) conflict in a, f0, f10, f12, f14, … (+11)",
        "⚠ x and b1, b3, b5, b7, b9, … (+10) both change a, f1, f11, f13, f15, … (+11)",
    ]


def test_a_session_is_opened_in_a_worktree(nagomi: Commands, root: Path) -> None:
    tree = _tree(nagomi, root, "x")
    made = _told(nagomi, root, "open", "x", "--json", "--", "cat")
    assert _session(nagomi, made["number"])["cwd"] == str(tree)
    said = _told(nagomi, root, "open", "xx", "--", "cat", code=1)
    assert "There is no worktree `xx`" in said


def test_a_merge_is_shown_done_and_taken_back(nagomi: Commands, root: Path) -> None:
    tree = _tree(nagomi, root, "x")
    _commit(tree, b="b\n")
    said = _told(nagomi, root, "merge", "x", "--dry-run")
    assert "x into main (commits: 1, files: 1) +1 −0\n  Change b" in said
    assert "there is no terminal to ask on; add --yes" in _told(nagomi, root, "merge", "x", code=2)
    told = _told(nagomi, root, "merge", "x", "--yes", "--json")
    assert (told["target"], told["kept"], (root / "b").read_text()) == ("main", False, "b\n")
    assert not tree.exists()
    assert _told(nagomi, root, "undo", "--json")["worktree"] == str(tree)
    assert tree.exists()


def test_a_merged_worktree_stays_as_long_as_a_session_is_in_it(
    nagomi: Commands, root: Path
) -> None:
    tree = _tree(nagomi, root, "x", stop=False)
    _commit(tree, b="b\n")
    said = _told(nagomi, root, "merge", "x", "--yes")
    assert "x is merged into main" in said and "is in it" in said and tree.exists()


def test_a_conflict_is_handed_to_the_session_of_the_worktree(nagomi: Commands, root: Path) -> None:
    tree = _tree(nagomi, root, "x", stop=False)
    _commit(tree, a="ours\n")
    _commit(root, a="theirs\n")
    head = git(root, "rev-parse", "main")
    told = _told(nagomi, root, "merge", "x", "--yes", "--json", code=1)
    assert (told["conflicts"], told["target"]) == (["a"], "main")
    number = str(told["sessions"][0])
    said = _told(nagomi, root, "merge", "x", "--yes", code=1)
    assert "x and main meet in a; nothing was done. `nagomi worktree merge --hand-over`" in said
    said = _told(nagomi, root, "merge", "x", "--yes", "--hand-over", code=1)
    assert f"Session {number} was asked to resolve it" in said
    until(lambda: "git merge main" in nagomi.shown(number))
    assert git(root, "rev-parse", "main") == head and git(tree, "status", "--short") == ""


def test_a_worktree_is_rebased(nagomi: Commands, root: Path) -> None:
    tree = _tree(nagomi, root, "x")
    _commit(tree, b="b\n")
    _commit(root, c="c\n")
    assert "x stands on main now" in _told(nagomi, root, "rebase", "x")
    assert (tree / "c").exists()


def test_worktrees_are_removed_each_only_where_nothing_is_lost(
    nagomi: Commands, root: Path
) -> None:
    free, dirty, used = (
        _tree(nagomi, root, "free"), _tree(nagomi, root, "dirty"), _tree(nagomi, root, "used", stop=False)
    )  # fmt: skip
    (dirty / "new").write_text("new\n")
    told = _told(nagomi, root, "remove", "free", "dirty", "used", "--dry-run", "--json", code=1)
    assert [row["removed"] for row in told] == [False] * 3 and free.exists()
    assert [bool(row["why"]) for row in told] == [False, True, True]
    told = _told(nagomi, root, "remove", "free", "dirty", "used", "--json", code=1)
    assert [one.exists() for one in (free, dirty, used)] == [False, True, True]
    assert told[1]["why"] == ["Not tracked by git: new"] and "is in it" in told[2]["why"][0]
    assert "the branch dirty stays" in _told(nagomi, root, "remove", "dirty", "--force")
    assert "is in it" in _told(nagomi, root, "remove", "used", "--force", code=1)


def test_the_sessions_in_a_worktree_are_stopped_only_where_it_then_goes(
    nagomi: Commands, root: Path
) -> None:
    used = _tree(nagomi, root, "used", stop=False)
    (used / "new").write_text("new\n")
    assert "new" in _told(nagomi, root, "remove", "used", "--stop", code=1)
    (row,) = [one for one in nagomi.json("ls") if one["cwd"] == str(used)]
    assert row["state"] == "running"
    (used / "new").unlink()
    assert "is taken away" in _told(nagomi, root, "remove", "used", "--stop")
    (row,) = [one for one in nagomi.json("ls") if one["cwd"] == str(used)]
    assert row["state"] != "running" and not used.exists()


def test_those_that_are_gone_are_taken_away_after_a_dry_run(nagomi: Commands, root: Path) -> None:
    merged, fresh = _tree(nagomi, root, "merged"), _tree(nagomi, root, "fresh")
    _commit(merged, b="b\n")
    _told(nagomi, root, "merge", "merged", "--yes", "--keep")
    told = _told(nagomi, root, "gone", "--dry-run", "--json")
    assert [(row["branch"], row["removed"]) for row in told] == [("merged", False)]
    assert "its branch is merged into main" in told[0]["gone"] and merged.exists()
    assert _told(nagomi, root, "gone", "--yes", "--json")[0]["removed"]
    assert (merged.exists(), fresh.exists()) == (False, True)
    assert "No branch is merged" in _told(nagomi, root, "gone", "--yes")


@pytest.mark.slow  # what conflicts is looked for once a minute
def test_ls_tells_how_the_worktree_of_a_session_stands(nagomi: Commands, root: Path) -> None:
    trees = [_tree(nagomi, root, name, stop=False) for name in ("one", "other")]
    (number,) = (one["number"] for one in nagomi.json("ls") if one["cwd"] == str(trees[0]))
    for tree in trees:
        (tree / "a").write_text(f"{tree.name}\n")
    _commit(trees[0], b="b\n")
    _commit(root, c="c\n")

    def standing() -> Any:
        found = nagomi.session(number)["worktree"]
        return found if found and found["meets"] and found["behind"] else None

    until(standing, patience=90)
    rows = {row["cwd"]: row["worktree"] for row in nagomi.json("ls")}
    found = rows[str(trees[0])]
    assert (found["base"], found["ahead"], found["behind"]) == ("main", 1, 1)
    assert (found["files"], found["added"], found["removed"]) == (2, 2, 1)
    assert found["meets"] == ["other"]


def test_agents_list_and_merge_by_the_socket(nagomi: Commands, root: Path) -> None:
    from nagomi_tui.api.client import Connection, open_socket
    from nagomi_tui.api.messages import ListWorktrees, MergeWorktree, hello

    tree = _tree(nagomi, root, "x")
    _commit(tree, b="b\n")
    with pytest.MonkeyPatch.context() as here:
        here.setenv("NAGOMI_HOME", str(nagomi.home))
        with Connection(open_socket(), hello=hello()) as client:
            rows = client.request(ListWorktrees(id=1, folder=str(root))).worktrees
            assert [row.branch for row in rows] == ["main", "x"]
            done = client.request(MergeWorktree(id=2, folder=str(tree)))
            assert (done.merged, done.target, done.kept) == (True, "main", False)
            with pytest.raises(Exception, match="in no git repository"):
                client.request(ListWorktrees(id=3, folder="/"))
    assert (root / "b").exists() and not tree.exists()


def test_a_session_in_a_worktree_has_its_port_also_after_a_restart(
    nagomi: Commands, root: Path
) -> None:
    _commit(root, **{"nagomi.toml": '[worktree]\nenv = { PORT = "port:44000" }\n'})
    done = nagomi.run(
        "new", "--json", "--worktree", "x", "--", "sh", "-c", "echo port=$PORT; exec cat", cwd=root
    )
    number = str(json.loads(done.stdout)["number"])
    rows = {row["branch"]: row for row in _told(nagomi, root, "list", "--json")}
    port = rows["x"]["ports"]["PORT"]
    until(lambda: f"port={port}" in nagomi.shown(number))
    nagomi.ok("restart", number)
    until(lambda: f"port={port}" in nagomi.shown(number))


@pytest.mark.requirement("G-4")
def test_commands_of_a_repository_run_only_once_they_are_approved(
    nagomi: Commands, root: Path
) -> None:
    from nagomi_tui.worktrees import project
    from nagomi_tui.worktrees.repository import find

    def approved() -> None:
        with pytest.MonkeyPatch.context() as here:
            here.setenv("NAGOMI_HOME", str(nagomi.home))
            project.approve(find(root).common, project.read(root))

    table = '[worktree]\nsetup = ["echo made > .git-made"]\nteardown = ["test ! -e stop"]\n'
    _commit(root, **{"nagomi.toml": table, ".gitignore": ".git-made\nstop\n"})
    said = nagomi.run("new", "--worktree", "x", "--", "cat", cwd=root)
    assert "you have not approved" in said.stderr and said.returncode == 1
    tree = root.parent / "root.worktrees/x"
    assert tree.exists() and not (tree / ".git-made").exists()
    assert "you have not approved" in _told(nagomi, root, "remove", "x", code=1) and tree.exists()
    said = _told(nagomi, root, "approve", code=1)
    assert "setup: echo made > .git-made\nteardown: test ! -e stop" in said
    assert "only the user may run" in said
    approved()
    other = _tree(nagomi, root, "y")
    assert (other / ".git-made").read_text() == "made\n"
    remote = root.parent / "remote.git"
    git(root, "clone", "-q", "--bare", str(root), str(remote))
    git(remote, "update-ref", "refs/pull/5/head", "HEAD")
    git(root, "remote", "add", "origin", str(remote))
    said = nagomi.run("new", "--worktree", "--pr", "5", "--", "cat", cwd=root)
    assert "Not run, as it would run what" in said.stderr and said.returncode == 0
    theirs = root.parent / "root.worktrees/pr-5"
    assert not (theirs / ".git-made").exists()
    (theirs / "stop").write_text("")  # by which the tear-down would fail
    _told(nagomi, root, "remove", "pr-5", "--stop")
    assert not theirs.exists()
    (other / "stop").write_text("")
    assert "tear-down of y" in _told(nagomi, root, "remove", "y", code=1) and other.exists()
    (other / "stop").unlink()
    _told(nagomi, root, "remove", "y")
    assert not other.exists()
    _commit(root, **{"nagomi.toml": table.replace("echo made", "echo more")})
    said = nagomi.run("new", "--worktree", "z", "--", "cat", cwd=root)
    assert "have changed since" in said.stderr


def test_pull_requests_stand_in_the_list_where_that_is_set(nagomi: Commands, root: Path) -> None:
    """Without the setting nobody is asked."""
    (root.parent / "bin").mkdir()
    program = root.parent / "bin/gh"
    row = {
        "number": 12, "headRefName": "main", "state": "OPEN", "isDraft": False, "mergeable": "CONFLICTING",
        "statusCheckRollup": [{"conclusion": "FAILURE"}], "url": "https://example.org/12",
    }  # fmt: skip
    program.write_text(f"#!/bin/sh\ntouch {root.parent}/asked\necho '{json.dumps([row])}'\n")
    program.chmod(0o755)
    git(root, "remote", "add", "origin", "https://github.com/x/y.git")
    path = {"PATH": f"{program.parent}:{nagomi.env['PATH']}"}
    done = nagomi.run("worktree", "list", cwd=root, env=path)
    assert "#12" not in done.stdout and not (root.parent / "asked").exists()
    (nagomi.home / "config").mkdir(exist_ok=True)
    (nagomi.home / "config/settings.json").write_text('{"worktree_requests": true}')
    done = nagomi.run("worktree", "list", cwd=root, env=path)
    assert "#12 not merged, checks failed, conflicts" in done.stdout, done.stderr
    done = nagomi.run("worktree", "list", "--json", cwd=root, env=path)
    (nagomi.home / "config/settings.json").unlink()
    assert json.loads(done.stdout)[0]["request"]["checks"] == "failed"


def test_what_an_agent_has_made_is_listed_opened_read_and_merged_and_never_taken_away(
    nagomi: Commands, root: Path
) -> None:
    place = root / ".claude/worktrees/z"
    git(root, "worktree", "add", "-q", "-b", "z", str(place))
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text(".claude\n")
    _commit(place, b="b\n")
    assert "made by claude" in _told(nagomi, root, "list")
    number = str(_told(nagomi, root, "open", "z", "--json", "--", "cat")["number"])
    assert _session(nagomi, int(number))["cwd"] == str(place)
    told = nagomi.run("diff", number, "--since", "base", cwd=root)
    assert "+b" in told.stdout, told.stderr
    nagomi.ok("stop", number)
    told = _told(nagomi, root, "merge", "z", "--yes", "--json")
    assert told["kept"] and "made it for itself" in told["why"][0] and (root / "b").exists()
    for words in (("remove", "z"), ("remove", "z", "--force", "--branch")):
        assert "made it for itself" in _told(nagomi, root, *words, code=1)
    assert "No branch is merged" in _told(nagomi, root, "gone", "--yes")
    assert (place / "b").read_text() == "b\n" and git(root, "branch", "--list", "z")
