"""How an interactive shell is started so that it marks its prompts and commands (OSC 133)."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAIN: Final = re.compile(r"\s*[\w./+-]+(?:\s+-[\w-]+)*\s*", re.ASCII)
"""A program with options only: what starts a shell that somebody types into."""
_LOGIN: Final = frozenset({"-l", "--login", "-il", "-li"})
_INTERACTIVE: Final = _LOGIN | {"-i", "--interactive"}


class Start(NamedTuple):
    """What is run, and the variables that it needs more."""

    cmd: str
    env: dict[str, str]


def integrated(cmd: str, env: Mapping[str, str], scripts: str) -> Start:
    """Return how to start the shell of `cmd` with our integration from the folder `scripts`.

    Any other command, and a shell with options that we do not know, is started as it is.
    """
    if not _PLAIN.fullmatch(cmd):
        return Start(cmd, {})
    program, *options = cmd.split()
    if not set(options) <= _INTERACTIVE:
        return Start(cmd, {})
    match program.rpartition("/")[2]:
        case "bash" if _LOGIN & set(options):
            # A login shell has no --rcfile; in POSIX mode it reads ENV and nothing else.
            more = {"ENV": f"{scripts}/bash.sh", "NAGOMI_BASH_LOGIN": "1"}
            kept = {"NAGOMI_BASH_ENV": env["ENV"]} if "ENV" in env else {}
            return Start(shlex.join([program, "--posix", *options]), {**more, **kept})
        case "bash":
            rcfile = ["--rcfile", f"{scripts}/bash.sh"]
            return Start(shlex.join([program, *rcfile, *options]), {})
        case "zsh":
            kept = {"NAGOMI_ZDOTDIR": env["ZDOTDIR"]} if "ZDOTDIR" in env else {}
            return Start(cmd, {"ZDOTDIR": f"{scripts}/zsh", **kept})
        case "fish":
            source = f"source {_fish_quoted(f'{scripts}/fish.fish')}"
            return Start(shlex.join([program, *options, "--init-command", source]), {})
        case _:
            return Start(cmd, {})


def _fish_quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
