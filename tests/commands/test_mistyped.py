"""What is mistyped is refused with what was meant, in the language of whoever asks."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui import cli
from nagomi_tui.system.outcome import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.helpers.command import Commands


@pytest.fixture
def path(tmp_path: Path) -> dict[str, str]:
    """A PATH that has a program `claude`, too."""
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\nexec cat\n")
    program.chmod(0o755)
    return {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}


def test_a_mistyped_program_is_refused_with_the_one_that_was_meant(
    nagomi: Commands, path: dict[str, str]
) -> None:
    said = nagomi.fails(Exit.USAGE, "new", "--", "cluade", "--resume", env=path)
    assert said == "nagomi: The command cluade was not found; did you mean `claude`?\n"
    said = nagomi.fails(Exit.USAGE, "new", "--", "cluade", env={**path, "NAGOMI_LANG": "ja"})
    assert said == "nagomi: コマンド cluade が見つかりません。`claude` でしょうか。\n"


def test_what_a_worker_refuses_is_translated(nagomi: Commands, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo hello\n")
    script.chmod(0o755)
    said = nagomi.fails(Exit.USAGE, "new", "--", str(script), env={"NAGOMI_LANG": "ja"})
    assert f"{script} はこのシステムのプログラムではありません。" in said
    assert "is not a program" in nagomi.fails(Exit.USAGE, "new", "--", str(script))


@pytest.fixture
def hands(nagomi: Commands) -> Iterator[str]:
    """Two hands, which nobody reaches for; the name of one."""
    for name in ("build-host", "gpu"):
        nagomi.ok("hands", "add", "command", "--name", name, "--yes", "--", "false")
    yield "build-host"
    for name in ("build-host", "gpu"):
        nagomi.ok("hands", "remove", name, "--yes")


@pytest.mark.parametrize(
    "arguments",
    [
        ("new", "--worker", "{}", "--", "cat"),
        ("ls", "--worker", "{}"),
        ("ls", "--where", "on:{}"),
        ("stop", "--where", "on:{}"),
    ],
    ids=" ".join,
)
def test_a_hand_that_there_is_not_is_refused_with_what_there_is(
    nagomi: Commands, hands: str, arguments: tuple[str, ...]
) -> None:
    def refused(name: str) -> str:
        return nagomi.fails(Exit.USAGE, *(one.format(name) for one in arguments))

    nagomi.new("cat")
    assert "did you mean `local`?" in refused("loca")
    assert f"did you mean `{hands}`?" in refused("bild-host")
    assert "There is no hand `nope`, only local, build-host, gpu." in refused("nope")


def test_without_hands_this_machine_is_proposed_or_how_to_make_one(nagomi: Commands) -> None:
    nagomi.new("cat")
    assert "did you mean `local`?" in nagomi.fails(Exit.USAGE, "ls", "--worker", "lcoal")
    assert "`nagomi hands add` makes one" in nagomi.fails(Exit.USAGE, "ls", "--where", "on:nope")


def test_a_hand_without_sessions_has_an_empty_list(nagomi: Commands, hands: str) -> None:
    assert nagomi.json("ls", "--worker", hands) == []
    assert nagomi.json("ls", "--worker", "local") == nagomi.json("ls", "--where", "on:local")


def test_hands_of_a_file_that_cannot_be_read_are_not_refused(nagomi: Commands) -> None:
    file = nagomi.home / "config" / "hands.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{")
    try:
        done = nagomi.run("ls", "--json", "--worker", "build-host")
    finally:
        file.unlink()
    assert (done.returncode, done.stdout) == (Exit.OK, "[]\n")
    assert "could not be understood" in done.stderr


@pytest.mark.requirement("F-1")
@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("daic --help", "guard --help"),
        ("status --help", "ls --help"),
        ("statusline --help", "guard statusline --help"),
        ("setup --claude --help", "hooks install --help"),
        ("digest --help", "history --help"),
    ],
)
def test_the_words_of_the_requirements_are_understood_too(
    words: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words.split()) == 0
    told = capsys.readouterr().out
    assert cli.main(meant.split()) == 0
    assert told == capsys.readouterr().out


@pytest.mark.requirement("F-1")
def test_a_worker_is_started_by_the_command_too() -> None:
    hello = b'{"type":"hello","version":1,"capabilities":[],"pid":1}\n'
    ran = subprocess.run(
        [sys.executable, "-m", "nagomi_tui", "worker", "--stdio"],
        input=hello, capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    assert b'"type":"hello"' in ran.stdout
