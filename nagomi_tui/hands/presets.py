"""The commands of the usual hands (ssh, docker, podman, WSL and others), as a table."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from typing import Final

from nagomi_tui.hands.hand import BadHand
from nagomi_tui.system.environment import line_of

_SSH: Final = (
    *("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15"),
    *("-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"),
)
"""Nobody is there to be asked. A dead line is noticed within a minute."""


def _folder(target: str, options: Sequence[str]) -> tuple[str, ...]:
    return ("devcontainer", "exec", *options, "--workspace-folder", target)


# Behind `--exec`, wsl.exe hands words on as they are; behind `--`, a shell there reads them again.
_MAKERS: Final[dict[str, Callable[[str, Sequence[str]], tuple[str, ...]]]] = {
    "ssh": lambda host, options: (*_SSH, *options, "--", host),
    "wsl": lambda distribution, options: (
        "wsl.exe", *(("-d", distribution) if distribution else ()), *options, "--exec",
    ),
    "docker": lambda container, options: ("docker", "exec", "-i", *options, container),
    "podman": lambda container, options: ("podman", "exec", "-i", *options, container),
    "kubectl": lambda pod, options: ("kubectl", "exec", "-i", pod, *options, "--"),
    "devcontainer": _folder,
    "slurm": lambda _, options: ("srun", "--quiet", "--unbuffered", *options),
    "command": lambda program, words: (program, *words),
}  # fmt: skip
_WITHOUT_TARGET: Final = ("wsl", "slurm")
"""Kinds that know a place by themselves: the default distribution, whatever node is free."""
KINDS: Final = tuple(_MAKERS)
"""The presets, and `command` for any other."""


def command(kind: str, target: str, options: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the command of a preset: its target, and options for the program that reaches it.

    Raises:
        BadHand: there is no target.
    """
    if kind == "command" and not target and options:
        target, *options = options
    if not target and kind not in _WITHOUT_TARGET:
        raise BadHand("Say where: `nagomi hands add {kind} TARGET`.", kind=kind)
    return _MAKERS[kind](target, options)


def name_for(kind: str, target: str, options: Sequence[str] = ()) -> str:
    """Return the name that such a hand has unless it is given another."""
    if kind in ("ssh", "wsl"):
        return target or kind
    if kind == "command":
        target = target or next(iter(options), "")
    return target.rstrip("/").rpartition("/")[2] or kind


def brief(made: Sequence[str]) -> str:
    """Return a hand's command as users would type it, without what its preset has added."""
    begun = len(_SSH)
    if tuple(made[:begun]) == _SSH:
        made = ["ssh", *(word for word in made[begun:] if word != "--")]
    return shlex.join(made)


def login_command(name: str) -> str:
    """Return the line that logs in to a hand of this name."""
    return line_of([sys.executable, "-P", "-m", "nagomi_tui", "hands", "login", name])
