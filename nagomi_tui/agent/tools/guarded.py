"""Applies a project's guard to the tools of the resident agent, as to any other agent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nagomi_tui.agent.tools.interface import ToolFault
from nagomi_tui.guard.decide.events import ToolUse
from nagomi_tui.guard.decide.tools import before_tool
from nagomi_tui.guard.files.config import read_config
from nagomi_tui.guard.files.documents import Broken
from nagomi_tui.guard.files.project import find, locate
from nagomi_tui.guard.files.state import read_state
from nagomi_tui.guard.shell import classify

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.core.session.session import Session


def check_write(path: Path) -> None:
    """Check that the guard of a file's project, if there is one, allows writing the file.

    Raises:
        ToolFault: the guard denies it, or the guard's files cannot be read.
    """
    folder = os.path.dirname(path)
    project = find(folder, {})
    if not (project.state_file.is_file() or project.config_file.is_file()):
        return
    target = locate(project, str(path), folder)
    use = ToolUse(tool="Write", input={"file_path": str(path)}, targets=(target,), cwd=folder)
    try:
        config, state = read_config(project), read_state(project).state
    except (OSError, Broken) as exc:
        raise ToolFault(
            f"The guard of {project.root} cannot be read, so nothing is written.", str(exc)
        ) from exc
    if denied := before_tool(use, state, config, classify).denied:
        raise ToolFault(denied)


def is_in_discussion(session: Session) -> bool:
    """Tell whether a session has a guard in force that now forbids its agent to write."""
    guard = session.guard
    return guard is not None and guard.mode != "implementation" and not guard.bypassed
