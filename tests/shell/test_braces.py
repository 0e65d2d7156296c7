"""Brace lists, which bash and zsh make several words of, and a plain `sh` leaves as they are."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.shell.analysis import Analysis
from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.folders import Reading, Where
from nagomi_tui.shell.parsing import parsed
from nagomi_tui.shell.patterns import Patterns

if TYPE_CHECKING:
    from pathlib import Path

WORDS = [
    "{tf,xf}", "a{b,c}d", "{list,'drop'}", 'p{,"w out"}', "{p,'w out'}", "li{st,x}", "{l,dr}{ist,op}", "a{b,{c,d}e}f",
    "{,x}", "x{,}", "a{b}c,d", "HEAD@{1}", "-{u,r}", "{--list,--}", "src/{a,b}/{c,d}.py", "{a\\,b,c}", "{'a,b',c}",
    "a{b,c}'{d,e}'", "{core.pager=x,log.date=iso}", "{a,b}{", "{é,日本}",
]  # fmt: skip


def printed(shell: list[str], word: str, folder: Path) -> list[str]:
    done = subprocess.run(
        [*shell, f"printf '%s\\n' x {word}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return done.stdout.splitlines()[1:]


def understood(word: str, *, braces: bool) -> list[str] | None:
    """Return the words that are judged; None if it is known that they are not known."""
    root = parsed(f"printf x {word}")
    words = Analysis(root, Patterns(), where=Where(Reading(braces=braces))).words
    command = root.named_children[0]
    found = [one for node in command.named_children[2:] for one in words.of(node)]
    return [one.text for one in found] if all(one.known for one in found) else None


SHELLS = [("bash", ["bash", "-c"], True), ("zsh", ["zsh", "-fc"], True), ("dash", ["dash", "-c"], False)]  # fmt: skip


@pytest.mark.parametrize(("shell", "command", "braces"), SHELLS)
@pytest.mark.requirement("DC-30")
def test_words_of_braces_are_those_that_the_shell_makes(
    shell: str, command: list[str], braces: bool, tmp_path: Path
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    known = {word: understood(word, braces=braces) for word in WORDS}
    asked = {word: found for word, found in known.items() if found is not None}
    assert len(asked) >= len(WORDS) - 3
    differ = {
        word: (found, printed(command, word, tmp_path))
        for word, found in asked.items()
        if found != printed(command, word, tmp_path)
    }
    assert differ == {}


@pytest.mark.parametrize(
    "command",
    ["tar {tf,xf} a", 'git stash {list,"drop"}', "git stash {l,dr}{ist,op}", "git {stash,drop}",
     'sed -n {p,"w out"} f', "sed -n {1,'5w out'} f", "{ls,touch} x", "env {touch,x}", "env {ls,touch} x",
     "npm {ls,install}", "kubectl {get,delete} pod", "docker {ps,rm} x", "sort {-o,x} f", "sort -{o,u}x f",
     "git -c {log.date=iso,core.pager=x} log", "bash -c 'tar {tf,xf} a'", "bash -c \"tar {tf,xf} a\"",
     "git branch {--list,-D} x", "ls; (tar {tf,xf} a)", "x=$(tar {tf,xf} a)", "sh -c 'ls {a,b}'",
     "timeout {5,touch} x", "journalctl {-b,--rotate}", "cp a{,.bak}", "x='w out'; sed -n {p,\"$x\"} f",
     "for c in {ls,touch}; do $c x; done", "xargs {touch,x}", "git remote {-v,add,x,y}"],
)  # fmt: skip
@pytest.mark.requirement("DC-30")
def test_a_list_that_writes_in_any_shell_is_a_write(command: str) -> None:
    assert classify(command).verdict == "write"


@pytest.mark.parametrize(
    "command",
    ["ls {src,tests}", "cat src/{a,b}.py", "git diff HEAD{^,}", "wc -l {a,b}/*.py", "git log --oneline -- {a,b}",
     "grep -rn foo --include=*.{ts,tsx} src", "diff {old,new}/f", "for i in {1..5}; do echo $((i * 2)); done",
     "for d in {src,tests}; do find $d -name x; done", "for f in src/{a,b}.py; do sed -n 1p $f; done",
     "git show HEAD~{1,2}", "head -n 5 {a,b}.md", "rg foo {src,tests}", "awk '{print $1, $2}' f", "stat {a,b}",
     "for f in {a,b}.md; do head -3 \"$f\"; done", "du -sh ./{a,b}", "git show HEAD@{1}", "find {src,tests} -name x"],
)  # fmt: skip
@pytest.mark.requirement("DC-30")
def test_lists_of_places_are_read(command: str) -> None:
    assert classify(command).verdict == "read"
