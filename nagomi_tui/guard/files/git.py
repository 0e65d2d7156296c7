"""Runs git to ask about a folder, without what its settings would have git run."""

from __future__ import annotations

import os
import time
from pathlib import Path

from nagomi_tui.guard.decide.branches import Unknown
from nagomi_tui.system.git import NO_PROGRAMS, GitFault, Late, run_git


class Git:
    """Runs git in a folder, with one deadline for all commands together."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder = folder
        self._until = time.monotonic() + seconds

    def lines(self, *arguments: str) -> list[str]:
        """Return what git prints; nothing where it says no."""
        return (self.output(*arguments) or "").splitlines()

    def output(self, *arguments: str) -> str | None:
        """Return what git prints; None where it says no.

        Raises:
            Unknown: there is no git, or it takes too long.
        """
        try:
            code, out, _ = run_git(
                ["--no-optional-locks", "-C", str(self._folder), *arguments], cwd=None, env=_environment(),
                settings=NO_PROGRAMS, seconds=max(self._until - time.monotonic(), 0.001),
            )  # fmt: skip
        except Late as exc:
            raise Unknown("git does not answer in time") from exc
        except GitFault as exc:
            reason = getattr(exc.__cause__, "strerror", exc)
            raise Unknown(f"git cannot be run ({reason})") from exc
        return None if code else out.decode("utf-8", "surrogateescape")

    def line(self, *arguments: str) -> str:
        """Return the first line of what git prints; empty where it says no."""
        return next(iter(self.lines(*arguments)), "")


def _environment() -> dict[str, str]:
    """Return the environment without variables that point git to another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
