"""What could be done next, and how much a command may change.

What only reads is told by the guard's reader of commands, the one that decides over agents' tools;
it is `low`. Of what writes, the well known is `mid`. What cannot be taken apart for certain is
`high`, and so is what shells other than bash might take for something else.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from nagomi_tui.judge.patterns import compiled
from nagomi_tui.judge.verdict import NextAction, Risk, State
from nagomi_tui.shell.classifier import classify
from nagomi_tui.text.cells import visible


def _named(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CHANGERS: Final = _named(
    "mkdir touch cp mv ln chmod pnpm yarn pip3 uv pipx go make pytest python python3 node ruff "
    "mypy black eslint tsc poetry bundle gem mvn gradle cmake ninja cc gcc g++ clang kill pkill "
    "podman find tar unzip zip ssh-add export cd uniq date hostname less more man"
)
"""What is not here, or runs, deletes or sends whatever it is told to, is `high`."""

_CHANGING: Final = {
    "git": _named("add commit fetch pull merge switch tag init config mv cherry-pick revert"),
    "npm": _named("install ci test run start"),
    "cargo": _named("tree metadata build check test run add fmt clippy"),
    "pip": _named("install download"),
    "docker": _named("start stop restart build pull"),
}
_AT_LEAST: Final = {
    "find": Risk.MID,  # it may walk over whole disks
    **dict.fromkeys(
        _named(
            "env time nice ionice nohup timeout stdbuf setsid watch xargs sudo doas command builtin "
            "exec busybox awk gawk mawk nawk sed gsed bash sh dash zsh ksh"
        ),
        Risk.HIGH,  # they run what they are told to, and shells differ over some of them
    ),
    **dict.fromkeys(_named("curl openssl"), Risk.HIGH),  # they reach out
}
"""What counts for more than a read even where it only reads."""

_CODE: Final = _named("-c -e -p --eval --print -m")
"""Options by which an interpreter takes its program from the command line."""

_STARTS: Final = {
    "find": "delete exec execdir ok okdir fprint fprint0 fprintf fls",
    "tar": "I F checkpoint-action use-compress-program to-command info-script new-volume-script "
    "rsh-command rmt-command remove-files",
    "man": "P H pager html",
    "less": "o O k log-file LOG-FILE lesskey-file",
    "git": "f u force upload-pack receive-pack exec strategy template edit config global system",
    "zip": "T TT m unzip-command move",
    "go": "exec toolexec vettool",
    "make": "f C I E eval file directory",
    "pkill": "u U",
    "export": "n f",
    "rg": "z search-zip",
    "git diff": "o",
}
"""Options with which a program deletes, or starts something else: letters, and long names."""

_BEYOND: Final = re.compile(r"[`\n\r<>]|\$[({\['\"]|(?<!&)&(?!&)|\\$|'[^']*\\[^']*'")
"""Substitutions, redirections, background; shells differ over a backslash in single quotes."""
_QUOTED: Final = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.")
_SYNTAX: Final = re.compile(r"[(){}]")
"""Subshells and braces; in zsh and fish parentheses run commands within words."""
_PROGRAM: Final = re.compile(r"[A-Za-z][\w.+-]*")
"""A program by its name alone: neither a variable that is set before it, nor a path."""
_SINGLE: Final = re.compile(r"%\d+|[1-9]\d+|[2-9]")
_SPLIT: Final = re.compile(r"\s*(?:&&|\|\||\||;)\s*")
_ORDER: Final = {Risk.LOW: 0, Risk.MID: 1, Risk.HIGH: 2}


def risk_of(command: str) -> Risk:
    """Return the risk of a shell command line; of several parts, that of the worst."""
    if not command.isprintable() or not command.strip() or _BEYOND.search(command):
        return Risk.HIGH
    if _SYNTAX.search(_QUOTED.sub("", command)) or "!" in _expandable(command):
        return Risk.HIGH
    parts = [_part(part) for part in _SPLIT.split(command) if part]
    return max(parts, key=_ORDER.__getitem__, default=Risk.HIGH)


def _expandable(text: str) -> str:
    """Return what the shell puts variables and old commands into: double quotes do not hinder it."""
    return _QUOTED.sub(lambda found: found[0] if found[0][0] == '"' else "", text)


def _part(part: str) -> Risk:
    try:
        words = shlex.split(part)
    except ValueError:
        return Risk.HIGH
    name, rest = (words[0], words[1:]) if words else ("", [])
    if not _PROGRAM.fullmatch(name):
        return Risk.HIGH
    if classify(part).verdict == "read" and not _is_doubtful(name, rest):
        return _AT_LEAST.get(name, Risk.LOW)
    return Risk.MID if _is_known_change(name, rest) else Risk.HIGH


def _is_doubtful(name: str, rest: list[str]) -> bool:
    """Tell whether a read has an option that starts another program, or that nobody knows."""
    if name in _CHANGING and rest not in (["--version"], ["--help"]):
        return rest[:1] == [] or rest[0].startswith("-") or _starts(f"{name} {rest[0]}", rest[1:])
    return name == "rg" and _starts(name, rest)


def _is_known_change(name: str, rest: list[str]) -> bool:
    """Tell whether a command that writes is a well known one, and starts nothing else."""
    if name in _CHANGING:
        return rest[0:1] != [] and rest[0] in _CHANGING[name] and not _starts(name, rest[1:])
    if name not in _CHANGERS or _starts(name, rest):
        return False
    if name in ("python", "python3", "node") and not _is_module(rest):
        return not any(_is_code(word) for word in rest)
    return name != "kill" or _kills_some(rest)


def _starts(name: str, words: list[str]) -> bool:
    """Tell whether an option of these is one that starts or deletes, or may be short for one."""
    listed = _STARTS.get(name, "").split()
    letters = {one for one in listed if len(one) == 1}
    for word in (word for word in words if word.startswith("-") and word != "--"):
        option = word.lstrip("-").partition("=")[0]
        if word.startswith("--"):
            found = any(one.startswith(option) for one in listed)
        else:
            found = option in listed or bool(letters & set(option))
        if found:
            return True
    return False


def _is_code(word: str) -> bool:
    return word[:2] in _CODE or word.partition("=")[0] in _CODE


def _kills_some(words: list[str]) -> bool:
    """Tell whether `kill` means single processes or jobs: -1 and 0 are all there are."""
    targets = words[1:] if words[0:1] and words[0].startswith("-") else words
    return bool(targets) and all(_SINGLE.fullmatch(target) for target in targets)


def _is_module(rest: list[str]) -> bool:
    return len(rest) > 1 and rest[0] == "-m" and rest[1] in ("pytest", "pip", "unittest", "venv")


LIMIT: Final = 3
_NAME: Final = re.compile(r"\{(\w+)\}")
_PLAIN: Final = re.compile(r"[\w@%+=:,./~^-]+")


class ActionRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """If a line matches, propose a command; `{name}` stands for the pattern's group."""

    name: str
    match: str
    title: str
    command: str
    states: tuple[State, ...] = (State.FAILURE, State.ATTENTION)
    ran: str = ""
    """The command line of the turn must match this too."""


def next_actions(
    rules: Iterable[ActionRule],
    state: State,
    lines: tuple[str, ...],
    command: str = "",
    say: Callable[[str], str] = str,
) -> tuple[NextAction, ...]:
    """Return proposals, those of the latest line first, each command once.

    `say` translates their titles.
    """
    found: dict[str, NextAction] = {}
    for line in reversed(lines):
        for rule in rules:
            action = _proposed(rule, state, line, command, say)
            if action is not None:
                found.setdefault(action.command, action)
    return tuple(found.values())[:LIMIT]


def _proposed(
    rule: ActionRule, state: State, line: str, command: str, say: Callable[[str], str]
) -> NextAction | None:
    if state not in rule.states:
        return None
    ran = compiled(rule.ran).search(command) if rule.ran else None
    hit = compiled(rule.match).search(line)
    if hit is None or (rule.ran and ran is None):
        return None
    groups = {**(ran.groupdict() if ran else {}), **hit.groupdict()}
    values = {name: value or "" for name, value in groups.items()}
    if any(not _PLAIN.fullmatch(values.get(name, "")) for name in _NAME.findall(rule.command)):
        return None
    filled = _filled(rule.command, values)
    return NextAction(
        _filled(say(rule.title), values, quote=False), visible(filled), risk_of(filled)
    )


def _filled(text: str, values: dict[str, str], *, quote: bool = True) -> str:
    """Put the groups in; words out of a log are quoted, and odd ones were refused before."""
    return _NAME.sub(
        lambda found: _quoted(values[found[1]]) if quote else visible(values[found[1]]), text
    )


def _quoted(value: str) -> str:
    """Quote a word for a shell, but for a home folder at its beginning."""
    if not value.startswith("~/"):
        return shlex.quote(value)
    rest = value.removeprefix("~/")
    return f"~/{shlex.quote(rest)}" if rest else value
