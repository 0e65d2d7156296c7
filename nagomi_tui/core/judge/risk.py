"""How much a proposed command may change, read from the command itself (NB-20).

It is conservative: only commands that are known to read are `low`, and everything that
cannot be taken apart for certain is `high`.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from nagomi_tui.core.judge.verdict import Risk


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_READERS: Final = _words(
    "ls cat head tail grep egrep fgrep rg wc which whereis type file stat du df pwd echo printf "
    "whoami id uname ps pgrep lsof ss netstat nproc free uptime printenv tree basename dirname "
    "realpath readlink diff cmp md5sum sha256sum jq cut sort tr column true false test"
)
_CHANGERS: Final = _words(
    "mkdir touch cp mv ln chmod pnpm yarn pip3 uv pipx go make pytest python python3 node ruff "
    "mypy black eslint tsc poetry bundle gem mvn gradle cmake ninja cc gcc g++ clang kill pkill "
    "podman find tee tar unzip zip ssh-add export cd uniq date hostname less more man"
)
"""What is in neither list, or runs, deletes or sends whatever it is told to, is `high`."""

_READING: Final = {
    "git": _words("status log diff show branch blame remote describe rev-parse ls-files"),
    "npm": _words("ls list outdated view"),
    "cargo": _words("tree metadata"),
    "pip": _words("list show freeze check"),
    "docker": _words("ps images logs inspect"),
}
_CHANGING: Final = {
    "git": _words("add commit fetch pull merge switch tag init config mv cherry-pick revert"),
    "npm": _words("install ci test run start"),
    "cargo": _words("build check test run add fmt clippy"),
    "pip": _words("install download"),
    "docker": _words("start stop restart build pull"),
}
_CODE: Final = _words("-c -e -p --eval --print -m")
"""Options by which an interpreter takes its program from the command line."""

_ACTS: Final = _words(
    "-D -d -m -M -C -c -f -i -o -ok -P -exec -execdir -okdir -delete -fprint -fprintf -fls "
    "--delete --move --force --exec --in-place --output --pre --pager --ext-diff --textconv "
    "--compress-program --to-command --upload-pack --no-preserve-root add remove rename set-url "
    "set-head prune"
)
"""Options and words by which a reader writes, deletes, or starts something else."""

_BEYOND: Final = re.compile(r"[`\n\r<>]|\$[({]|\$'|(?<!&)&(?!&)|\\$")
_SPLIT: Final = re.compile(r"\s*(?:&&|\|\||\||;)\s*")
_ASSIGNS: Final = re.compile(r"[A-Za-z_]\w*=")
_ORDER: Final = {Risk.LOW: 0, Risk.MID: 1, Risk.HIGH: 2}


def risk_of(command: str) -> Risk:
    """Return the risk of a shell command line; of several parts, that of the worst."""
    if not command.isprintable() or not command.strip() or _BEYOND.search(command):
        return Risk.HIGH
    parts = [_part(part) for part in _SPLIT.split(command) if part]
    return max(parts, key=_ORDER.__getitem__, default=Risk.HIGH)


def _part(part: str) -> Risk:
    try:
        words = shlex.split(part)
    except ValueError:
        return Risk.HIGH
    if not words or _ASSIGNS.match(words[0]):
        return Risk.HIGH
    name, rest = words[0], words[1:]
    acts = bool(_ACTS & {word.split("=", 1)[0] for word in rest})
    if name in _READING:
        return _by_subcommand(name, rest, acts)
    if name in _READERS:
        return Risk.MID if acts and name not in _HARMLESS_OPTIONS else Risk.LOW
    if name not in _CHANGERS or (name in ("find", "tar", "man", "less") and acts):
        return Risk.HIGH
    if name in ("python", "python3", "node") and not _is_module(rest):
        return Risk.HIGH if _CODE & set(rest) else Risk.MID
    return Risk.MID


_HARMLESS_OPTIONS: Final = _words("ls grep egrep fgrep cut head tail stat df du ps id wc lsof diff")
"""Readers whose short options of the same letters only choose what is printed."""


def _is_module(rest: list[str]) -> bool:
    return len(rest) > 1 and rest[0] == "-m" and rest[1] in ("pytest", "pip", "unittest", "venv")


def _by_subcommand(name: str, rest: list[str], acts: bool) -> Risk:
    if not rest or (rest[0] not in _READING[name] and rest[0] not in _CHANGING[name]):
        return Risk.HIGH
    if rest[0] in _READING[name]:
        return Risk.HIGH if acts else Risk.LOW
    return Risk.HIGH if {"--force", "-f"} & set(rest) else Risk.MID


def visible(command: str) -> str:
    """Return the command with control and direction characters escaped, to be shown verbatim."""
    return "".join(char if char.isprintable() else _escaped(char) for char in command)


def _escaped(char: str) -> str:
    return repr(char)[1:-1] if ord(char) < 0x100 else f"\\u{ord(char):04x}"
