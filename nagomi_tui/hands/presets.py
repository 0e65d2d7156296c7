"""Makes the commands of the usual hands: ssh, WSL, containers, clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.hands.hand import BadHand
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SSH: Final = (
    *("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15"),
    *("-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"),
)
"""Nobody is there to be asked. A dead line is noticed within a minute."""


def _ssh(words: Sequence[str]) -> tuple[str, ...]:
    # The last word is the host; options of ssh may stand before it.
    return (*_SSH, *words[:-1], "--", words[-1])


# Behind `--exec`, wsl.exe hands words on as they are; behind `--`, a shell there reads them again.
_MAKERS: Final[dict[str, Callable[[Sequence[str]], tuple[str, ...]]]] = {
    "ssh": _ssh,
    "wsl": lambda words: ("wsl.exe", "-d", words[-1], *words[:-1], "--exec"),
    "docker": lambda words: ("docker", "exec", "-i", *words),
    "podman": lambda words: ("podman", "exec", "-i", *words),
    "kubectl": lambda words: ("kubectl", "exec", "-i", *words, "--"),
    "devcontainer": lambda words: ("devcontainer", "exec", "--workspace-folder", *words),
    "slurm": lambda words: ("srun", "--quiet", "--unbuffered", *words),
    "command": tuple,
}
KINDS: Final = tuple(_MAKERS)
"""The presets, and `command` for any other."""


def command(kind: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the command of a preset: `words` are its target, and options for the program.

    Raises:
        BadHand: there is no target.
    """
    if not words and kind != "slurm":
        raise BadHand(translatable("Say where: `nagomi hands add {kind} TARGET`."), kind=kind)
    return _MAKERS[kind](words)


def name_for(kind: str, words: Sequence[str]) -> str:
    """Return the name that such a hand has unless it is given another."""
    if kind in ("ssh", "wsl"):
        return words[-1] if words else kind
    targets = [word for word in words if not word.startswith("-")]
    target = (targets or [kind])[0].rstrip("/").rpartition("/")[2]
    return kind if kind == "slurm" else target
