"""What `[worktree]` of a repository's nagomi.toml asks for: copies, links, ports."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.system import paths
from nagomi_tui.worktrees.creating import Wish, make
from nagomi_tui.worktrees.git import Fault
from nagomi_tui.worktrees.looks import dangers
from nagomi_tui.worktrees.project import (
    Named,
    Rules,
    approve,
    choose_ports,
    is_approved,
    read,
    variables_at,
)
from nagomi_tui.worktrees.removing import remove, undo
from nagomi_tui.worktrees.repository import at, find, noted
from tests.helpers.repository import git, repository

if TYPE_CHECKING:
    from pathlib import Path


def _root(tmp_path: Path, table: str) -> Path:
    root = repository(tmp_path / "root", a="a\n")
    (root / "nagomi.toml").write_text(f"[worktree]\n{table}\n")
    (root / ".gitignore").write_text("/modules/\n*.env\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "rules")
    return root


def test_files_are_copied_and_folders_linked(tmp_path: Path) -> None:
    root = _root(tmp_path, 'copy = ["*.env"]\nlink = ["modules", "missing"]')
    (root / "modules").mkdir()
    (root / "modules/m").write_text("m")
    (root / "x.env").write_text("x")
    tree = make(Wish(str(root), "x")).worktree
    assert (tree.path / "x.env").read_text() == "x"
    assert (tree.path / "modules").is_symlink() and (tree.path / "modules/m").read_text() == "m"
    assert not (tree.path / "missing").is_symlink()
    assert dangers(tree, tuple) == ()
    (tree.path / "x.env").write_text("changed")
    assert "changed here: x.env" in str(dangers(tree, tuple)[0])


@pytest.mark.requirement("G-5")
def test_ports_are_each_worktrees_own_and_stay_so(tmp_path: Path) -> None:
    root = _root(tmp_path, 'env = { PORT = "port:41000", DB_PORT = "port:41000" }')
    trees = [make(Wish(str(root), name)).worktree for name in ("x", "y")]
    given = [variables_at(one.path) for one in trees]
    assert len({port for ports in given for port in ports.values()}) == 4
    assert all(set(ports) == {"PORT", "DB_PORT"} for ports in given)
    remove(find(root), trees[0].path, tuple)
    third = variables_at(make(Wish(str(root), "z")).worktree.path)
    assert not set(third.values()) & {port for ports in given for port in ports.values()}
    assert variables_at(undo(find(root)).path) == given[0]


def test_plain_variables_count_as_long_as_exactly_they_are_approved(tmp_path: Path) -> None:
    """They can have programs run others, and an agent may change the file."""
    root = _root(tmp_path, 'env = { MODE = "test", PORT = "port:45000" }')
    tree = make(Wish(str(root), "x")).worktree
    assert list(variables_at(tree.path)) == ["PORT"]
    approve(find(root).common, read(root))
    (tree.path / "below").mkdir()
    found = variables_at(tree.path / "below")
    assert (found["MODE"], set(found)) == ("test", {"MODE", "PORT"}) and noted(tree) is not None
    (tree.path / "nagomi.toml").write_text(
        '[worktree]\nenv = { MODE = "test", LD_PRELOAD = "./x.so" }\n'
    )
    assert list(variables_at(tree.path)) == ["PORT"]
    (tree.path / "nagomi.toml").write_text("[worktree]\nenv = 3")
    assert list(variables_at(tree.path)) == ["PORT"] and variables_at(root) == {}


def test_a_port_that_somebody_listens_on_is_left(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        found = choose_ports(Rules(env={"PORT": f"port:{port}"}), tmp_path)
    assert found["PORT"] > port


def test_many_at_once_never_get_the_same(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from nagomi_tui.worktrees.project import *;"
        "print(choose_ports(Rules(env={'PORT': 'port:42000'}), Path(sys.argv[1]))['PORT'])"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    found = [int(one.communicate(timeout=60)[0]) for one in running]
    assert len(set(found)) == 4


def test_a_list_of_ports_that_is_broken_is_put_aside(tmp_path: Path) -> None:
    folder = paths.make_private(paths.state_folder())
    (folder / "ports.json").write_text("no list")
    assert choose_ports(Rules(env={"PORT": "port:43000"}), tmp_path)["PORT"] >= 43000
    assert (folder / "ports.bad.json").exists()
    assert len(json.loads((folder / "ports.json").read_text())) == 1


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ('env = { PORT = "port:x" }', "not of the form"),
        ('env = { PORT = "port:70000" }', "neither a port"),
        ('env = { "a b" = "port:3000" }', "no variable can be called"),
        ('env = { NAGOMI_GUARD = "" }', "no variable can be called"),
        ("sessions = {}", "a table of its own"),
        ("[session.x]", "neither .worktree. nor .sessions.NAME."),
        ('[sessions.x]\nfolder = "a"', "missing required field `command`"),
        ('[sessions.x]\ncommand = " "', "has no command"),
        ('[sessions.x]\ncommand = "a"\nfolder = "../b"', "leads out of"),
        ('[sessions.x]\ncommand = "a"\nguard = "no"', "guard"),
        ('[sessions.-x]\ncommand = "a"', "no session can be called"),
        ('link = ["../x"]', "leads out of"),
        ('copy = ["/etc/x"]', "leads out of"),
        ('coppy = ["x"]', "coppy"),
        ("copy = 3", "array"),
        ("copy = [", "Invalid value"),
        ("copy = " + "[" * 5000, "recursion"),
    ],
)
def test_a_table_that_does_not_fit_is_one_sentence(tmp_path: Path, table: str, reason: str) -> None:
    root = _root(tmp_path, table)
    with pytest.raises(Fault, match=f"does not fit: .*{reason}"):
        make(Wish(str(root), "x"))
    assert len(find(root).worktrees()) == 1


def test_without_ports_nothing_is_told(tmp_path: Path) -> None:
    root = _root(tmp_path, "")
    assert variables_at(root) == variables_at(tmp_path) == {}
    assert variables_at(at(make(Wish(str(root), "x")).worktree.path).path) == {}


def test_an_approval_is_for_these_very_lines(tmp_path: Path) -> None:
    rules = Rules(setup=("npm ci",), teardown=("docker compose down",))
    assert is_approved(tmp_path, Rules(env={"PORT": "port:1"}))
    assert not is_approved(tmp_path, rules)
    approve(tmp_path, rules)
    assert is_approved(tmp_path, rules) and not is_approved(tmp_path / "other", rules)
    assert not is_approved(
        tmp_path, Rules(setup=("npm ci", "curl x | sh"), teardown=rules.teardown)
    )
    assert not is_approved(tmp_path, Rules(setup=rules.setup))
    more = {"x": Named("npm start")}
    assert not is_approved(
        tmp_path, Rules(setup=rules.setup, teardown=rules.teardown, sessions=more)
    )
    assert (
        "session x: npm start, guard hook"
        in Rules(sessions={"x": Named("npm start", guard="hook")}).script
    )
