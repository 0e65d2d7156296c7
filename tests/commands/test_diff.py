"""`nagomi diff` where nobody can look at a review: it prints what has changed."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.repository import git, repository
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.command import Commands


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = repository(tmp_path / "project", code="one\ntwo\n")
    (made / "code").write_text("one\n2\n")
    (made / "fresh").write_text("new\n")
    return made


def test_it_prints_what_has_changed_here_with_untracked_files(nagomi: Commands, root: Path) -> None:
    done = nagomi.run("diff", cwd=root)
    assert done.returncode == 0, done.stderr
    assert "-two\n+2\n" in done.stdout and "+++ b/fresh" in done.stdout
    assert done.stdout == nagomi.run("diff", str(root)).stdout
    assert git(root, "status", "--porcelain") == " M code\n?? fresh\n"


def test_what_it_prints_can_be_applied(nagomi: Commands, root: Path, tmp_path: Path) -> None:
    (root / "tool").write_text("#!/bin/sh\n")
    (root / "tool").chmod(0o755)
    (root / "no end").write_text("no line end")
    told = nagomi.run("diff", cwd=root).stdout
    (tmp_path / "patch").write_text(told)
    git(root, "stash", "-qu")
    git(root, "apply", str(tmp_path / "patch"))
    assert nagomi.run("diff", cwd=root).stdout == told
    assert os.access(root / "tool", os.X_OK)


def test_json_names_what_it_is_compared_with(nagomi: Commands, root: Path) -> None:
    told = json.loads(nagomi.run("diff", "--json", cwd=root).stdout)
    assert told["root"] == str(root)
    assert told["against"].startswith("main@")
    assert (told["added"], told["removed"]) == (2, 1)
    assert [(one["path"], one["status"]) for one in told["files"]] == [
        ("code", "M"),
        ("fresh", "A"),
    ]


def test_faults_are_one_sentence(nagomi: Commands, root: Path, tmp_path: Path) -> None:
    for arguments, folder, said in (
        (("diff",), tmp_path, "is in no git repository"),
        (("diff", "--since", "turn"), root, "No turn of an agent has begun here"),
        (("diff", "--since", "base"), root, "It is not known where this branch"),
        (("diff", "no-such-session"), root, "nagomi is not running"),
    ):
        done = nagomi.run(*arguments, cwd=folder)
        assert done.returncode != 0
        assert said in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_in_a_terminal_comments_reach_the_session(nagomi: Commands, root: Path) -> None:
    nagomi.new("cat", name="agent", cwd=str(root))
    env = nagomi.env | {"TERM": "xterm-256color"}
    with BareTerminal([*nagomi.program, "diff", "agent"], env, cols=120, rows=36) as terminal:
        terminal.wait(b"Review of agent")
        terminal.wait(b"+2")
        terminal.type(b"njjjc")
        terminal.wait(b"Comment on code")
        terminal.type("two, in words 日本語\r".encode())
        terminal.wait(b"not sent")
        terminal.type(b"S")
        terminal.wait("open · agent".encode())
    seen = until(lambda: "in words" in (told := nagomi.shown("agent")) and told)
    assert "1. code:2" in seen and "> 2" in seen and "日本語" in seen
    assert "open" in nagomi.ok("diff", "agent", "--comments")
    nagomi.ok("quit", "--yes")
