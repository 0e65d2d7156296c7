"""The guard's hook in a client's settings, put there as `nagomi guard install` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.agents.hooks import files
from nagomi_tui.guard.install.hooks import GuardHooks

if TYPE_CHECKING:
    from pathlib import Path


def install_hook(folder: Path, agent: str = "claude") -> None:
    """Put the hook into the settings of a project."""
    files.carry_out(files.install(GuardHooks(agent, str(folder.resolve())), project=True))
