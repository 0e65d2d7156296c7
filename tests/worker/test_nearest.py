"""Which program a mistyped name is taken for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.pty.command import StartError, launch, nearest_program, slips
from tests.helpers.worker import start_order

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = ("claude", "docker-compose", "git", "gio", "kubectl", "ls", "python3", "x")


def _program(folder: Path, name: str, mode: int = 0o755) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(mode)


@pytest.fixture
def programs(tmp_path: Path) -> str:
    """A PATH of two folders, the first of which is not there."""
    for name in PROGRAMS:
        _program(tmp_path / "bin", name)
    return f"{tmp_path}/gone{os.pathsep}{tmp_path}/bin"


@pytest.mark.parametrize(
    ("word", "other", "count"),
    [
        ("gti", "git", 1),
        ("claude", "claude", 0),
        ("ab", "", 2),
        ("abc", "axc", 1),
        ("ca", "abc", 3),
    ],
)
def test_slips_are_counted_either_way(word: str, other: str, count: int) -> None:
    assert slips(word, other) == slips(other, word) == count


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("cluade", "claude"), ("claud", "claude"), ("gti", "git"), ("sl", "ls"),
        ("kubctl", "kubectl"), ("pyhton3", "python3"), ("docekr-compsoe", "docker-compose"),
        ("gi", ""), ("clue", ""), ("z", ""), ("no-such-command", ""),
    ],
)  # fmt: skip
def test_a_name_is_proposed_that_is_near(programs: str, word: str, meant: str) -> None:
    assert nearest_program(word, programs) == meant


def test_what_cannot_be_run_or_shown_is_not_proposed(tmp_path: Path) -> None:
    _program(tmp_path / "bin", "claude", mode=0o644)
    _program(tmp_path / "bin", os.fsdecode(b"clau\xffde"))
    (tmp_path / "bin" / "claudes").mkdir()
    assert nearest_program("cluade", str(tmp_path / "bin")) == ""
    assert nearest_program("claudde", str(tmp_path / "bin")) == ""


def test_folders_of_thousands_of_programs_are_looked_through_for_a_moment_only(
    programs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(3000):
        (many / f"program-{number}").touch()
    assert nearest_program("cluade", f"{many}{os.pathsep}{programs}") == "claude"
    monkeypatch.setattr("nagomi_worker.pty.command._SECONDS", -1.0)
    assert nearest_program("cluade", f"{many}{os.pathsep}{programs}") == ""


def test_the_refusal_names_the_program_that_was_meant(programs: str) -> None:
    env = {"PATH": programs}
    with pytest.raises(StartError, match="cluade was not found; did you mean `claude`"):
        launch(start_order("a", "cluade --resume", env=env))
    with pytest.raises(StartError, match=r"Install it, or check PATH\.$"):
        launch(start_order("a", "nothing-like-it", env=env))


def test_path_is_not_looked_through_for_a_program_that_is_there(
    programs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nagomi_worker.pty.command.nearest_program", lambda *_: 1 / 0)
    assert launch(start_order("a", "git status", env={"PATH": programs})).argv[1:] == ("status",)
