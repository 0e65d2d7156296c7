"""Runs git to ask about a folder, without what its settings would have git run."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Final

from nagomi_tui.guard.decide.branches import Unknown

SECONDS: Final = 2.0
"""Seconds that all git commands about one file may take together."""
_SAFE: Final = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "--no-optional-locks",
)


class Git:
    """Runs git in a folder, with one deadline for all commands together."""

    def __init__(self, folder: Path, seconds: float = SECONDS) -> None:
        self._folder = folder
        self._until = time.monotonic() + seconds

    def lines(self, *arguments: str) -> list[str]:
        """Return what git prints; nothing where it says no.

        Raises:
            Unknown: there is no git, or it takes too long.
        """
        return (self.output(*arguments) or "").splitlines()

    def output(self, *arguments: str) -> str | None:
        """Return what git prints; None where it says no.

        Raises:
            Unknown: there is no git, or it takes too long.
        """
        command = ["git", *_SAFE, "-C", str(self._folder), *arguments]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                timeout=max(self._until - time.monotonic(), 0.001),
            )
        except subprocess.TimeoutExpired as exc:
            raise Unknown("git does not answer in time") from exc
        except OSError as exc:
            raise Unknown(f"git cannot be run ({exc.strerror})") from exc
        return None if done.returncode else done.stdout.decode("utf-8", "surrogateescape")

    def line(self, *arguments: str) -> str:
        """Return the first line of what git prints; empty where it says no."""
        return next(iter(self.lines(*arguments)), "")


def _environment() -> dict[str, str]:
    """Return the environment without variables that point git to another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
