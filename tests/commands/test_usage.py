"""Arguments, help and faults that need nobody to run."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from nagomi_tui import __version__, cli
from nagomi_tui.commands import sessions, talk
from nagomi_tui.commands.parser import Parser
from nagomi_tui.system.outcome import CommandError, Exit
from tests.helpers.command import NAGOMI, Commands

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMANDS = [
    "new",
    "ls",
    "stop",
    "restart",
    "rename",
    "remove",
    "send",
    "keys",
    "wait",
    "capture",
    "detach",
    "reload",
    "quit",
    "uninstall",
    "doctor",
    "api",
]


_INTERRUPTS = """
import os, signal, sys


class Finder:
    def find_spec(self, name, path, target=None):
        if name == "nagomi_tui.cli":
            os.kill(os.getpid(), signal.SIGINT)


sys.meta_path.insert(0, Finder())
"""
"""Presses Ctrl+C while the command is being loaded."""


def each(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a parser and those of its commands, at any depth."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in dict.fromkeys(action.choices.values()):
                yield from each(below)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_help_shows_what_is_hidden(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAGOMI_LANG", language)
    helps = {one.prog: one.format_help() for one in each(cli.parser())}
    assert {"nagomi", "nagomi wait", "nagomi restart", "nagomi hands add"} <= helps.keys()
    assert [name for name, told in helps.items() if argparse.SUPPRESS in told] == []
    hidden = {
        option
        for one in each(cli.parser())
        for action in one._actions
        if action.help == argparse.SUPPRESS
        for option in action.option_strings
    }
    assert "--pattern" in hidden
    assert "--pattern" not in helps["nagomi wait"] and "--literally" not in helps["nagomi restart"]


@pytest.fixture
def nobody(nagomi_home: Path) -> Commands:
    """A workplace in which nothing runs."""
    return Commands(nagomi_home, os.environ)


@pytest.mark.requirement("N-115")
def test_version_is_the_package_version(nobody: Commands) -> None:
    assert nobody.ok("--version") == f"nagomi {__version__}\n"


def test_help_names_every_command_and_the_exit_codes(nobody: Commands) -> None:
    shown = nobody.ok("--help")
    assert [name for name in COMMANDS if f"\n  {name} " not in shown] == []
    assert "4 nagomi is not running" in " ".join(shown.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself(nobody: Commands, command: str) -> None:
    assert f"usage: nagomi {command}" in nobody.ok(command, "--help")


@pytest.mark.parametrize(
    "arguments",
    [
        ["unheard-of"],
        ["new", "--unheard-of"],
        ["send", "1"],
        ["keys", "1"],
        ["wait"],
        ["wait", "1", "--until", "never"],
        ["wait", "1", "--until", "output"],
        ["wait", "1", "--until", "output", "("],
        ["wait", "1", "--pattern", "x"],
        ["wait", "1", "--timeout", "soon"],
        ["wait", "1", "--timeout", "-1"],
        ["wait", "1", "--timeout", "nan"],
        ["new", "--", ""],
        ["new", "--", "   "],
        ["new", "--env", "NAME", "--", "true"],
        ["new", "--env", "=x", "--", "true"],
        ["new", "--size", "10000x30", "--", "true"],
        ["new", "--size", "0x30", "--", "true"],
        ["new", "--size", "wide", "--", "true"],
        ["rename", "1", " "],
        ["quit", "now"],
    ],
)
def test_wrong_usage_is_one_sentence_and_code_2(nobody: Commands, arguments: list[str]) -> None:
    nobody.fails(Exit.USAGE, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["send", "1", "text"],
        ["keys", "1", "Enter"],
        ["wait", "1"],
        ["capture", "1"],
        ["stop", "1"],
        ["restart", "1"],
        ["rename", "1", "name"],
        ["remove", "1"],
        ["detach"],
        ["reload"],
        ["quit", "--yes"],
    ],
)
def test_without_anybody_running_code_4(nobody: Commands, arguments: list[str]) -> None:
    assert "not running" in nobody.fails(Exit.NOBODY, *arguments)
    assert list(nobody.home.iterdir()) == [], "looking must not make folders"


def test_ls_without_anybody_running_is_empty(nobody: Commands) -> None:
    assert nobody.ok("ls") == ""
    assert nobody.json("ls") == []


def test_without_a_terminal_plain_nagomi_says_so(nobody: Commands) -> None:
    assert "needs a terminal" in nobody.fails(Exit.FAILED)


def test_own_session_needs_a_session(nobody: Commands) -> None:
    nobody.fails(Exit.NO_SESSION, "capture", ".")


def test_sentences_follow_the_language_of_the_user(nobody: Commands) -> None:
    english = nobody.run("capture", "1").stderr
    japanese = nobody.run("capture", "1", env={"NAGOMI_LANG": "ja"}).stderr
    assert english != japanese
    assert "nagomi" in japanese


def test_bytes_that_are_no_text_are_named(nobody: Commands) -> None:
    assert "\\udcff" in nobody.fails(Exit.USAGE, "send", "1", b"caf\xff")


def test_stdin_that_is_no_text_is_refused(nobody: Commands) -> None:
    assert "UTF-8" in nobody.fails(Exit.USAGE, "send", "1", "-", stdin=b"\xff\xfe")


def test_a_text_beyond_the_limit_is_refused(nobody: Commands) -> None:
    nobody.fails(Exit.USAGE, "send", "1", "-", stdin=b"x" * (8 * 1024 * 1024 + 2))


def test_a_fault_in_a_locale_without_its_characters_is_still_told(nobody: Commands) -> None:
    env = {"NAGOMI_LANG": "ja", "PYTHONIOENCODING": "ascii"}
    assert nobody.run("capture", "1", env=env).returncode == Exit.NOBODY


def test_a_reader_that_goes_away_is_no_fault(nobody: Commands) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*NAGOMI, "ls", "--json"], stdout=write, stderr=subprocess.PIPE, env=nobody.env, timeout=30
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (Exit.BROKEN_PIPE, b"")


def _redirected(nobody: Commands, where: str, *arguments: str) -> tuple[int, bytes]:
    """Run a command with a stream of its own elsewhere; return its code, and what stderr got."""
    line = f'exec "$@" {where}'
    done = subprocess.run(
        ["sh", "-c", line, "sh", *NAGOMI, *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env=nobody.env, timeout=30,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "arguments", [["ls", "--json"], ["--help"], ["ls", "--help"], ["--version"], ["characters"]]
)
def test_a_full_disk_under_the_output_is_told(nobody: Commands, arguments: list[str]) -> None:
    told = b"nagomi: the system refused: No space left on device.\n"
    assert _redirected(nobody, ">/dev/full", *arguments) == (Exit.FAILED, told)


def test_a_full_disk_under_a_fault_leaves_its_sentence_alone(nobody: Commands) -> None:
    code, told = _redirected(nobody, ">/dev/full", "capture", "1")
    assert code == Exit.NOBODY
    assert told.startswith(b"nagomi: nagomi is not running; ") and told.count(b"\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["ls"], Exit.OK), (["capture", "1"], Exit.NOBODY), (["unheard-of"], Exit.USAGE)],
)
def test_a_full_disk_under_stderr_changes_no_code(
    nobody: Commands, arguments: list[str], code: Exit
) -> None:
    assert _redirected(nobody, "2>/dev/full", *arguments) == (code, b"")


def test_interrupted_while_it_is_loaded_it_ends_without_a_word(
    nobody: Commands, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(_INTERRUPTS)
    done = nobody.run("ls", env={"PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stdout, done.stderr) == (Exit.INTERRUPTED, "", "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_streams_are_no_fault(nobody: Commands, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *NAGOMI, "ls"],
        capture_output=True,
        env=nobody.env,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_tracebacks_are_shown_on_request_only(nobody: Commands) -> None:
    done = subprocess.run(
        [*NAGOMI, "capture", "1"],
        capture_output=True,
        text=True,
        env=nobody.env | {"NAGOMI_DEBUG": "1"},
        timeout=30,
    )
    assert "Traceback" in done.stderr


def test_an_expression_may_begin_with_a_dash() -> None:
    arranged = talk.arrange(["wait", "1", "--until", "output", "--done--", "--json"])
    assert arranged == ["wait", "1", "--until", "output", "--pattern=--done--", "--json"]


def test_arguments_of_other_commands_are_left_alone() -> None:
    given = ["new", "--", "wait", "--until", "output", "x"]
    assert talk.arrange(given) == given


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], ""),
        (["make test | tee log"], "make test | tee log"),
        (["printf", "%s\n", "a b"], "printf '%s\n' 'a b'"),
        (["--", "ls", "-la"], "ls -la"),
        (["echo", "--", "x"], "echo -- x"),
    ],
)
def test_a_command_of_words_is_quoted_and_a_line_is_not(words: list[str], line: str) -> None:
    assert sessions._command(words) == line


def test_a_size_has_an_upper_bound() -> None:
    assert sessions._size("1000x500") == (1000, 500)
    with pytest.raises(CommandError, match="1001x1"):
        sessions._size("1001x1")


def test_what_is_misspelt_is_told_with_the_nearest(nobody: Commands) -> None:
    assert "did you mean `restart`?" in nobody.fails(2, "restrat", "x")
    assert "did you mean `silence`?" in nobody.fails(2, "wait", "x", "--until", "silent")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("new", "-n", "api"), "there is no `-n`; did you mean `--name`? `nagomi new --help`"),
        (("new", "--nmae=api"), "there is no `--nmae`; did you mean `--name`?"),
        (("ls", "--jsn"), "did you mean `--json`? `nagomi ls --help`"),
        (("ls", "api"), "unrecognized arguments: api. `nagomi ls --help`"),
        (("guard", "mode", "--zzz"), "unrecognized arguments: --zzz. `nagomi guard mode --help`"),
        (("--verson",), "did you mean `--version`? `nagomi --help`"),
    ],
)
def test_a_command_refuses_what_it_does_not_take_by_its_own_name(
    nobody: Commands, arguments: tuple[str, ...], told: str
) -> None:
    assert told in nobody.fails(2, *arguments)


def test_help_shows_nothing_that_is_not_for_users(nobody: Commands) -> None:
    assert "SUPPRESS" not in nobody.ok("wait", "--help")
    assert "--pattern" not in nobody.ok("wait", "--help")


def test_each_module_of_commands_is_named_with_the_commands_that_it_has() -> None:
    for module, names in cli.GROUPS.items():
        commands = Parser(prog="x").add_subparsers(parser_class=Parser)
        name, _, function = module.partition(".")
        getattr(import_module(f"nagomi_tui.commands.{name}"), function or "register")(commands)
        assert tuple(commands.choices) == names


def test_a_command_loads_neither_other_commands_nor_tables_of_widths() -> None:
    code = (
        "import sys; from nagomi_tui import cli; cli.parser('ls'); import nagomi_tui.text.cells;"
        "print(*sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(told.stdout.split())
    assert "nagomi_tui.commands.sessions" in loaded
    assert not loaded & {"nagomi_tui.commands.guard", "nagomi_tui.commands.hooks", "wcwidth"}
