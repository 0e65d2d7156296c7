"""Files and folders that may not be read or written: root, who may, gives that away first."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pytest

from tests.helpers.command import NAGOMI, Commands, workplace
from tests.helpers.workplace import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Seen = Callable[[str], None]


@contextmanager
def ordinary() -> Iterator[Commands]:
    """Give a workplace whose processes may do what an ordinary user may with files of its own."""
    with workplace() as nagomi:
        nagomi.env |= {"NAGOMI_LANG": "en"}
        if os.geteuid() == 0:
            if shutil.which("setpriv") is None:
                pytest.skip("needs setpriv, to give root's abilities away")
            nagomi.program = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", *NAGOMI)
        yield nagomi


@contextmanager
def forbidden(path: Path, mode: int = 0) -> Iterator[None]:
    """Take rights away until the block ends."""
    before = path.stat().st_mode
    path.chmod(mode)
    try:
        yield
    finally:
        path.chmod(before)


def works(nagomi: Commands, seen: Seen) -> bool:
    """Start a session; that it cannot be started is one sentence."""
    done = nagomi.run("new", "--name", "another", "--", "cat")
    if done.returncode:
        seen(f"refused: {done.stderr.strip()[:110]}")
        assert done.stderr.startswith("nagomi: ") and done.stderr.count("\n") == 1
    else:
        seen("works")
    return done.returncode == 0


def lists(nagomi: Commands, count: int) -> None:
    """Hold that so many sessions run."""
    done = nagomi.run("ls", "--json")
    states = [one["state"] for one in json.loads(done.stdout)]
    assert states == ["running"] * count, (done.stdout, done.stderr)


FILES: Final = (
    "state/sessions.db", "state/history.db", "state/corrections.db", "state/nagomi.log",
    "state/feeding", "config/settings.json", "config/keymap.toml",
)  # fmt: skip
FOLDERS: Final = {"state": 0o500, "config": 0, ".": 0o500}


@pytest.mark.parametrize("name", FILES)
def test_file(name: str, seen: Seen) -> None:
    """No resident can read or write it: sessions run on, and others can be started."""
    with ordinary() as nagomi:
        assert nagomi.run("new", "--", "cat").returncode == 0
        Place(nagomi.home).end_residents()
        path = nagomi.home / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        with forbidden(path):
            started = works(nagomi, seen)
            if started:
                lists(nagomi, 2)
        assert works(nagomi, seen)
        lists(nagomi, 2 + started)


@pytest.mark.parametrize("name", FOLDERS)
def test_folder(name: str, seen: Seen) -> None:
    """A folder cannot be written: what runs is kept, and all is well when it can be again."""
    with ordinary() as nagomi:
        assert nagomi.run("new", "--", "cat").returncode == 0
        (nagomi.home / "config").mkdir(exist_ok=True)
        Place(nagomi.home).end_residents()
        with forbidden(nagomi.home / name, FOLDERS[name]):
            started = works(nagomi, seen)
        assert works(nagomi, seen)
        lists(nagomi, 2 + started)
