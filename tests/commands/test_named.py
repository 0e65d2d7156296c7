"""`nagomi up` and `down`: the sessions that a repository names, with real git and a real workplace."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.system.outcome import Exit
from nagomi_tui.worktrees import project
from nagomi_tui.worktrees.repository import find
from tests.helpers.repository import git, repository
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.command import Commands

_FILE = """
[worktree]
env = { MODE = "dev", PORT = "port:46000" }

[sessions.server]
command = "echo mode=$MODE; exec cat"
folder = "web"
worktree = "preview"

[sessions.notes]
command = "cat"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    found = repository(tmp_path / "root", a="a\n", **{"nagomi.toml": _FILE})
    (found / "web").mkdir()
    (found / "web/w").write_text("w\n")
    git(found, "add", ".")
    git(found, "commit", "-qm", "web")
    return found


def _approved(nagomi: Commands, root: Path) -> None:
    """Approve as the user does in a terminal outside nagomi."""
    with pytest.MonkeyPatch.context() as here:
        here.setenv("NAGOMI_HOME", str(nagomi.home))
        project.approve(find(root).common, project.read(root))


def _rows(nagomi: Commands, root: Path, *words: str) -> Any:
    done = nagomi.run(words[0], "--json", *words[1:], cwd=root)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _running(nagomi: Commands, root: Path) -> list[str]:
    return sorted(
        one["name"]
        for one in nagomi.json("ls")
        if one["cwd"].startswith(str(root)) and one["state"] == "running"
    )


def test_named_sessions_start_once_and_only_when_they_are_approved(
    nagomi: Commands, root: Path
) -> None:
    said = nagomi.fails(1, "up", cwd=root)
    assert "you have not approved" in said and _running(nagomi, root) == []
    said = nagomi.run("worktree", "approve", cwd=root).stdout
    assert "env: MODE=dev" in said
    assert "session server: echo mode=$MODE; exec cat, folder web, worktree preview" in said
    _approved(nagomi, root)
    first = _rows(nagomi, root, "up")
    assert [(one["name"], one["started"]) for one in first] == [("server", True), ("notes", True)]
    server, notes = (str(one["number"]) for one in first)
    tree = root.parent / "root.worktrees/preview"
    cwd = {str(one["number"]): one["cwd"] for one in nagomi.json("ls")}
    assert (cwd[server], cwd[notes]) == (str(tree / "web"), str(root))
    until(lambda: "mode=dev" in nagomi.ok("capture", server))
    nagomi.ok("rename", notes, "renamed")
    again = _rows(nagomi, root, "up")
    assert [(one["number"], one["started"]) for one in again] == [
        (first[0]["number"], False), (first[1]["number"], False),
    ]  # fmt: skip
    assert f"{notes} renamed runs already." in nagomi.run("up", "notes", cwd=root).stdout
    (root / "nagomi.toml").write_text(_FILE.replace('"cat"', '"cat -u"'))
    assert "have changed since" in nagomi.fails(1, "up", "notes", cwd=root)


def test_two_at_once_start_none_twice(nagomi: Commands, root: Path) -> None:
    _approved(nagomi, root)
    running = [
        subprocess.Popen(
            [*nagomi.program, "up", "--json", "notes"], cwd=root, env=nagomi.env,
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
        )
        for _ in range(3)
    ]  # fmt: skip
    told = [json.loads(one.communicate()[0])[0] for one in running]
    assert sorted(one["started"] for one in told) == [False, False, True]
    assert len({one["number"] for one in told}) == 1
    # Killed before it noted which session it had begun: that is found by what it is.
    (nagomi.home / "state/named.json").unlink(missing_ok=True)
    for path in nagomi.home.rglob("named.json"):
        path.unlink()
    assert not _rows(nagomi, root, "up", "notes")[0]["started"]


def test_what_ended_starts_again_under_its_number(nagomi: Commands, root: Path) -> None:
    _approved(nagomi, root)
    first = _rows(nagomi, root, "up", "notes")[0]
    assert [one["number"] for one in _rows(nagomi, root, "down", "--yes")] == [first["number"]]
    assert _running(nagomi, root) == []
    assert "None of them runs." in nagomi.run("down", cwd=root).stdout
    again = _rows(nagomi, root, "up", "notes")[0]
    assert (again["number"], again["started"]) == (first["number"], True)
    nagomi.ok("stop", str(first["number"]))
    nagomi.ok("remove", str(first["number"]))
    assert _rows(nagomi, root, "up", "notes")[0]["started"]


def test_down_asks_before_it_ends_what_works(nagomi: Commands, root: Path) -> None:
    busy = '[sessions.busy]\ncommand = "while :; do echo x; sleep 0.1; done"\n'
    (root / "nagomi.toml").write_text(busy)
    _approved(nagomi, root)
    number = _rows(nagomi, root, "up")[0]["number"]
    until(
        lambda: (
            next(one for one in nagomi.json("ls") if one["number"] == number)["condition"]
            == "running"
        )
    )
    assert "no terminal to ask on; add --yes" in nagomi.fails(Exit.USAGE, "down", cwd=root)
    assert _running(nagomi, root) == ["busy"]
    (root / "nagomi.toml").write_text("")
    assert f"{number} busy is stopped." in nagomi.run("down", "--yes", cwd=root).stdout
    assert _running(nagomi, root) == []


def test_what_cannot_be_started_is_one_sentence(
    nagomi: Commands, root: Path, tmp_path: Path
) -> None:
    assert "did you mean `notes`?" in nagomi.fails(1, "up", "note", cwd=root)
    assert "there is no session `zzz`" in nagomi.fails(1, "down", "zzz", cwd=root)
    (tmp_path / "no").mkdir()
    assert f"{tmp_path / 'no'} is in no git repository" in nagomi.fails(
        1, "up", cwd=tmp_path / "no"
    )
    other = repository(tmp_path / "other", a="a\n")
    assert "names no sessions" in nagomi.fails(1, "up", cwd=other)
    (other / "nagomi.toml").write_text('[sessions.x]\ncommand = "cat"\nfolder = "gone"\n')
    _approved(nagomi, other)
    assert "there is no folder" in nagomi.fails(1, "up", cwd=other)
    (other / "out").symlink_to(tmp_path)
    (other / "nagomi.toml").write_text('[sessions.x]\ncommand = "cat"\nfolder = "out"\n')
    _approved(nagomi, other)
    assert "leads out of the repository" in nagomi.fails(1, "up", cwd=other)
