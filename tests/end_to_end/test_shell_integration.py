"""Real bash, zsh and fish in sessions: they mark their commands, and are otherwise as ever."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.system.paths import shipped
from nagomi_worker.pty.command import integrated
from tests.helpers.raw_shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

SHELLS: Final = ("bash", "bash -l", "zsh", "zsh -l", "fish", "fish -l")
PROMPT: Final = "ready> "

RC: Final = {
    "bash": (".bashrc", f"PS1='{PROMPT}'\n"),
    "bash -l": (".bash_profile", f"PS1='{PROMPT}'\n"),
    "zsh": (".zshrc", f"PS1='{PROMPT}'\nunsetopt PROMPT_SP\n"),
    "zsh -l": (".zshrc", f"PS1='{PROMPT}'\nunsetopt PROMPT_SP\n"),
    "fish": (".config/fish/config.fish", f"function fish_prompt; echo -n '{PROMPT}'; end\n"),
    "fish -l": (".config/fish/config.fish", f"function fish_prompt; echo -n '{PROMPT}'; end\n"),
}


def start(home: Path, cmd: str, more: str = "", **env: str) -> Shell:
    """Start a shell as nagomi does, with settings of its own and `more` at their end."""
    if not shutil.which(cmd.split()[0]):
        pytest.skip(f"{cmd} is not installed")
    name, text = RC[cmd]
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(text + more)
    variables = {
        "PATH": os.environ["PATH"], "HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8",
        "fish_greeting": "", **env,
    }  # fmt: skip
    found = integrated(cmd, variables, str(shipped("config") / "shell"))
    return Shell(found.cmd, variables | found.env, cwd=home)


def marks(shell: Shell) -> list[str]:
    """Return the marks so far, A and B as they alternate with the others."""
    found = re.findall(r"\x1b\]133;([ABCD](?:;\d+)?)\x07", shell.output)
    return [mark for mark in found if mark != "B"]


@pytest.mark.parametrize("cmd", SHELLS)
def test_commands_are_marked_with_how_they_ended(tmp_path: Path, cmd: str) -> None:
    with start(tmp_path, cmd) as shell:
        shell.prompt()
        for line in ("true", "false", "", "sh -c 'exit 42'"):
            shell.enter(line)
        assert marks(shell) == ["A", "C", "D;0", "A", "C", "D;1", "A", "A", "C", "D;42", "A"]


@pytest.mark.parametrize("cmd", SHELLS)
def test_a_command_s_end_is_what_the_user_sees(tmp_path: Path, cmd: str) -> None:
    with start(tmp_path, cmd) as shell:
        shell.prompt()
        shell.enter("false")
        status = "$status" if "fish" in cmd else "$?"
        assert shell.enter(f"echo was {status}").splitlines()[0] == "was 1"
        assert shell.enter("echo 'no  change'").splitlines()[0] == "no  change"


@pytest.mark.parametrize("cmd", ["bash", "bash -l", "zsh"])
def test_nothing_of_ours_is_handed_down(tmp_path: Path, cmd: str) -> None:
    """A shell within the shell is started by the user and is as the user wants it."""
    with start(tmp_path, cmd, ENV="", ZDOTDIR=str(tmp_path)) as shell:
        shell.prompt()
        inner = shell.enter("env | grep -E '^(NAGOMI|ZDOTDIR|ENV|PROMPT_COMMAND|PS[01])' | sort")
        assert inner.splitlines() == ["ENV=", f"ZDOTDIR={tmp_path}"]
        shell.enter("true; true")
        assert marks(shell)[-3:] == ["C", "D;0", "A"]


def test_bash_keeps_what_the_user_does_around_the_prompt(tmp_path: Path) -> None:
    """PROMPT_COMMAND with the command's end, a DEBUG trap, `set -u`, a prompt made each time."""
    more = (
        "set -u\ntrap 'traps=$((${traps-0}+1))' DEBUG\nPS0='go '\n"
        "PROMPT_COMMAND='last=$?; PS1=\"[$last] ready> \";'\n"
    )
    with start(tmp_path, "bash", more) as shell:
        shell.prompt()
        assert shell.enter("(exit 3)").startswith("go ")
        assert shell.screen.endswith("[3] ready> ")
        assert shell.enter("echo $((traps > 2)) $last").startswith("go 1 3\n")
        assert marks(shell) == ["A", "C", "D;3", "A", "C", "D;0", "A"]


def test_bash_without_our_prompt_command_marks_no_more(tmp_path: Path) -> None:
    """A C without a D would tell of a command that never ends."""
    with start(tmp_path, "bash") as shell:
        shell.prompt()
        shell.enter("PROMPT_COMMAND=")
        shell.enter("true")
        shell.enter("true")
        assert marks(shell) == ["A", "C"]


def test_bash_login_reads_what_a_login_shell_reads(tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text("echo bashrc\n")
    (tmp_path / ".profile").write_text("echo profile\n")
    with start(tmp_path, "bash -l", "echo bash_profile\n") as shell:
        assert shell.prompt().split() == ["bash_profile"]
        shown = shell.enter(
            "shopt -p login_shell; shopt -po posix; echo $HISTFILE; echo ${ENV-none}"
        )
        assert shown.splitlines() == [
            "shopt -s login_shell", "set +o posix", f"{tmp_path}/.bash_history", "none",
        ]  # fmt: skip


def test_zsh_finds_the_user_s_own_folder(tmp_path: Path) -> None:
    folder = tmp_path / "z"
    folder.mkdir()
    (tmp_path / ".zshenv").write_text(f"export ZDOTDIR={folder}\n")
    (folder / ".zshrc").write_text(
        f"PS1='{PROMPT}'\nunsetopt PROMPT_SP\nsetopt no_unset ksh_arrays\n"
        'precmd() { seen=$?; }\npreexec() { print -r -- "pre:$1"; }\n'
    )
    with start(tmp_path, "zsh") as shell:
        shell.prompt()
        assert shell.enter("(exit 3)").splitlines() == ["pre:(exit 3)"]
        assert shell.enter("echo $seen $ZDOTDIR").splitlines()[1:] == [f"3 {folder}"]
        assert marks(shell) == ["A", "C", "D;3", "A", "C", "D;0", "A"]


@pytest.mark.parametrize(
    ("cmd", "own"),
    [
        ("bash", "PROMPT_COMMAND='printf \"\\e]133;A\\a\"'\n"),
        ("zsh", "precmd() { print -n '\\e]133;A\\a'; }\n"),
        ("fish", "function fish_prompt; printf '\\e]133;A\\a'; echo -n 'ready> '; end\n"),
    ],
)
def test_marks_of_the_user_s_own_are_not_doubled(tmp_path: Path, cmd: str, own: str) -> None:
    with start(tmp_path, cmd, own) as shell:
        shell.prompt()
        shell.enter("true")
        assert marks(shell) == ["A", "A"]
