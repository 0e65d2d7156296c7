"""`nagomi` is found where its user was told so: in sessions, and in the shell that it leaves to."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.command import Commands, workplace
from tests.helpers.outer import Outer

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).parents[2]
_BIN = Path(sys.executable).parent
_PLAIN = "/usr/local/bin:/usr/bin:/bin"


@pytest.fixture
def own() -> Iterator[Commands]:
    with workplace() as commands:
        yield commands


def _printed(own: Commands, line: str, **env: str) -> list[str]:
    own.env = {**own.env, **env}
    number = own.new(line)
    own.ok("wait", number, "--timeout", "30")
    return own.ok("capture", number).split()


def test_sessions_find_the_program_last_and_nothing_else_beside_it(own: Commands) -> None:
    names = _printed(own, 'nagomi ls --json | wc -l; echo "$PATH"', PATH=_PLAIN)
    assert names[0] == "1"
    folder = names[1].removeprefix(_PLAIN + ":")
    assert os.listdir(folder) == ["nagomi"]
    assert Path(folder, "nagomi").resolve() == (_BIN / "nagomi").resolve()


def test_a_path_that_has_the_program_grows_no_longer(own: Commands) -> None:
    inside = shlex.join(["nagomi", "new", "--json", "--", 'echo "in $PATH"; sleep 600'])
    _printed(own, f"{inside}; nagomi wait 2 --until output in", PATH=_PLAIN)
    shown = own.ok("capture", "2").replace("\n", "")
    assert shown == f"in {_PLAIN}:{own.home / 'state' / 'bin'}"


def test_without_a_path_there_is_none_to_be_longer(own: Commands) -> None:
    own.env = {name: value for name, value in own.env.items() if name != "PATH"}
    assert _printed(own, "env | grep -c ^PATH= ; true") in (["0"], ["1"])
    assert str(own.home) not in own.ok("capture", "1")


def _left(own: Commands, folder: Path, line: str, path: str) -> str:
    """Run a line in an outer shell, leave the workplace, and return what the shell then shows."""
    env = {**own.env, "PATH": path, "TERM": "xterm-256color", "PS1": "shell$ "}
    argv = ["sh", "-c", f"cd {shlex.quote(str(folder))} && {line}"]
    with Outer(argv, env, cols=100, rows=30) as outer:
        outer.wait("shell$")
        outer.keys("C-]", "d")
        return outer.wait("[left 0]")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the Makefile in which everything is installed already."""
    for name in ("Makefile", "requirements.txt", "requirements-build.txt", "pyproject.toml"):
        shutil.copy(_ROOT / name, tmp_path)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "nagomi"):
        (programs / name).symlink_to(_BIN / name)
    (tmp_path / ".venv" / "run.stamp").touch()
    return tmp_path


def test_make_run_says_how_to_come_back_to_who_has_no_nagomi(own: Commands, checkout: Path) -> None:
    assert "`make run` brings you back." in _left(own, checkout, "make run", _PLAIN)
    again = f"make -C {checkout} run"
    shown = _left(own, Path("/"), again, _PLAIN).replace("\n", "")
    assert f"`{again}` brings you back." in shown


def test_the_way_back_is_what_the_shell_finds(own: Commands, checkout: Path) -> None:
    shown = _left(own, checkout, ".venv/bin/nagomi", _PLAIN)
    assert "`.venv/bin/nagomi` brings you back." in shown
    path = f"{checkout}/.venv/bin:{_PLAIN}"
    assert "`nagomi` brings you back." in _left(own, Path("/"), "nagomi", path)
