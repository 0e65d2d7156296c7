"""`ls`, `next`, `why` and `--help` start with next to nothing loaded, and say what they always say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.commands.start import quick
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from tests.helpers.command import Commands

_WHOLE = {"NAGOMI_DEBUG": "1"}
"""With this the command loads all that others do, and puts its output together itself."""
_HEAVY = {"argparse", "asyncio", "hashlib", "inspect", "msgspec", "pathlib", "wcwidth"}


def _loaded(nagomi: Commands, *arguments: str) -> tuple[set[str], subprocess.CompletedProcess[str]]:
    program = [sys.executable, "-X", "importtime", "-m", "nagomi_tui", *arguments]
    done = subprocess.run(program, env=nagomi.env, capture_output=True, text=True, timeout=40)
    return set(re.findall(r"\| +(\S+)$", done.stderr, re.MULTILINE)), done


@pytest.mark.parametrize(
    "arguments", [("ls",), ("ls", "--json"), ("next",), ("why", "1")], ids=" ".join
)
@pytest.mark.requirement("N-64")
def test_a_quick_command_loads_no_library(nagomi: Commands, arguments: tuple[str, ...]) -> None:
    nagomi.new("cat", name="日本語…")
    _, done = until(lambda: _if_without(_HEAVY, nagomi, *arguments))
    assert done.returncode == (3 if arguments == ("next",) else 0)


def _if_without(
    heavy: set[str], nagomi: Commands, *arguments: str
) -> tuple[set[str], subprocess.CompletedProcess[str]] | None:
    """Run the command until it was answered at once; a busy orchestrator may have been replaced."""
    loaded, done = _loaded(nagomi, *arguments)
    return None if heavy & loaded else (loaded, done)


@pytest.mark.requirement("N-64")
def test_help_loads_no_library(nagomi: Commands) -> None:
    loaded, done = _loaded(nagomi, "--help")
    assert not _HEAVY & loaded
    assert done.stdout == nagomi.run("--help", env=_WHOLE).stdout


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.requirement("N-64")
def test_a_quick_command_says_what_it_says_with_all_loaded(nagomi: Commands, language: str) -> None:
    number = nagomi.new("cat", name="both ways")
    until(lambda: json.loads(nagomi.ok("why", number, "--json"))["evidence_detail"])
    for arguments in (["ls"], ["ls", "--json"], ["next"], ["next", "--json"], ["why", number]):
        at_once, whole = (
            _steady(nagomi.run(*arguments, env={"NAGOMI_LANG": language, **env}))
            for env in ({}, _WHOLE)
        )
        assert at_once == whole


def _steady(done: subprocess.CompletedProcess[str]) -> tuple[int, str, str]:
    """Return how a command ended and what it said, without times that go on meanwhile."""
    return (
        done.returncode,
        re.sub(r"\d+:\d\d|\d+(\.\d+)? ?(s ago|秒)|\s+", " ", done.stdout),
        done.stderr,
    )


@pytest.mark.requirement("N-64")
def test_a_quick_command_in_a_session_may_name_it_by_a_dot(nagomi: Commands) -> None:
    session = nagomi.json("new", "--", "cat")
    told = nagomi.run("why", ".", env={"NAGOMI_SESSION_ID": session["session_id"]})
    assert told.stdout.startswith(f"{session['name']}: ")
    assert "runs in none" in nagomi.fails(3, "why", ".", env={"NAGOMI_SESSION_ID": ""})


def test_without_a_stream_to_print_to_all_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert quick.answered(["--help"]) is None
