"""Completion, asked for by real shells."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.raw_shell import Shell

if TYPE_CHECKING:
    from tests.helpers.command import Commands

_BASH = """
eval "$(nagomi completion bash)"
COMP_LINE="$1" COMP_POINT=${#1} COMP_TYPE=9 COMP_WORDS=($1) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_python_argcomplete nagomi
printf '%s\\n' "${COMPREPLY[@]}"
"""
_ZSH = """
PS1='ready> '
unsetopt PROMPT_SP
autoload -Uz compinit && compinit -u -D
eval "$(nagomi completion zsh)"
_print_line() { BUFFER="print -r -- ${(q)BUFFER}" }
zle -N _print_line
bindkey '^X' _print_line
bindkey '^I' complete-word
"""
"""Ctrl+X makes of the line one that prints it."""
_FISH = "nagomi completion fish | source; complete --do-complete $argv[1]"


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_commands_and_sessions_are_completed(nagomi: Commands, shell: str, tmp_path: Path) -> None:
    name = f"completed-in-{shell}"
    nagomi.new("cat", name=name)
    assert _completed(nagomi, shell, "nagomi rest", tmp_path) == ["restart"]
    assert _completed(nagomi, shell, f"nagomi why {name[:-1]}", tmp_path) == [name]
    assert "attention" in _completed(nagomi, shell, f"nagomi correct {name} att", tmp_path)


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_hands_agents_and_terms_are_completed(nagomi: Commands, shell: str, tmp_path: Path) -> None:
    nagomi.ok("hands", "add", "command", "--name", f"far-{shell}", "--yes", "--", "false")

    def completed(line: str) -> list[str]:
        # Bash takes what stands behind a colon for a word of its own.
        found = _completed(nagomi, shell, f"nagomi {line}", tmp_path)
        return [one.rpartition(":")[2] if one[-1] != ":" else one for one in found]

    assert completed("new --worker lo") == ["local"]
    assert completed("new --worker far-" + shell[:2]) == [f"far-{shell}"]
    assert completed("ls --worker lo") == ["local"]
    assert completed("new --agent claud") == ["claude"]
    assert completed("hooks install --agent claud") == ["claude"]
    assert completed("ls --where is:wa") == ["waits"]
    assert completed("stop --where on:lo") == ["local"]
    (tmp_path / "below").mkdir()
    assert completed(f"ls --where in:{tmp_path}/bel") == [f"{tmp_path}/below/"]


def test_zsh_completes_at_the_tab_key(nagomi: Commands, tmp_path: Path) -> None:
    """Its completion runs only within its line editor, so that a user's keys are pressed."""
    if shutil.which("zsh") is None:
        pytest.skip("there is no zsh here")
    name = "completed-in-zsh"
    nagomi.new("cat", name=name)
    (tmp_path / ".zshrc").write_text(_ZSH)
    environment = {**_environment(nagomi, tmp_path), "TERM": "dumb"}
    with Shell("zsh -d -i", environment, tmp_path) as shell:
        shell.prompt()

        def completed(line: str) -> str:
            return shell.enter(f"{line}\t\x18").strip().splitlines()[-1]

        assert completed("nagomi rest") == "nagomi restart"
        assert completed(f"nagomi why {name[:-1]}") == f"nagomi why {name}"
        assert completed(f"nagomi correct {name} att") == f"nagomi correct {name} attention"


def test_fish_says_beside_a_name_how_its_session_stands(nagomi: Commands, tmp_path: Path) -> None:
    nagomi.new("cat", name="described")
    assert re.search(
        r"described\t\(?\w+", _printed(nagomi, "fish", "nagomi why describe", tmp_path)
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_one_that_the_shell_reads(
    nagomi: Commands, shell: str, tmp_path: Path
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    script = tmp_path / "script"
    script.write_text(nagomi.ok("completion", shell))
    subprocess.run([shell, "-n", script], check=True, timeout=30)


def _completed(nagomi: Commands, shell: str, line: str, tmp_path: Path) -> list[str]:
    printed = _printed(nagomi, shell, line, tmp_path).splitlines()
    return [one.split("\t")[0].strip() for one in printed if one.strip()]


def _printed(nagomi: Commands, shell: str, line: str, tmp_path: Path) -> str:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    arguments = ["-c", _FISH, line] if shell == "fish" else ["-c", _BASH, "bash", line]
    environment = _environment(nagomi, tmp_path)
    done = subprocess.run(
        [shell, *arguments], env=environment, capture_output=True, text=True, timeout=30, check=True
    )
    return done.stdout


def _environment(nagomi: Commands, home: Path) -> dict[str, str]:
    """Return variables for a shell that finds this nagomi, and no files of its user."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**nagomi.env, "PATH": path, "HOME": str(home)}
