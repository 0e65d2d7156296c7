"""Which agents the user is asked to let tell their state, and what was answered to that."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from nagomi_tui.agents.hooks import files
from nagomi_tui.agents.hooks.formats import OURS, Unfit
from nagomi_tui.agents.hooks.plan import AGENTS
from nagomi_tui.agents.registry import WITH_HOOKS
from nagomi_tui.system import files as disk
from nagomi_tui.system import paths
from nagomi_tui.system.decoding import from_json

LATER: Final = 86400.0
"""Seconds for which an agent is not asked about again."""
_ANSWERS: Final = "hook-answers.json"


def without_hooks(name: str, folder: str) -> bool:
    """Return whether nothing of ours is in an agent's settings, nor in those of a folder.

    What cannot be read is left alone, and so is what somebody else has put there.
    """
    agent = AGENTS[name]
    try:
        if files.status(agent, project=False) != "absent":
            return False
    except Unfit:
        return False
    project = Path(folder) / agent.hooks.project_file
    if not folder or not agent.hooks.project_file or not project.is_file():
        return True
    try:
        return OURS not in disk.read_text(project)
    except (OSError, UnicodeDecodeError):
        return True


def to_offer(names: Iterable[str], folder: str = "") -> tuple[str, ...]:
    """Return those of the agents that are to be asked about now."""
    answers, now = _answers(), time.time()
    due = [name for name in names if name in WITH_HOOKS and _is_due(answers, name, now)]
    return tuple(name for name in due if without_hooks(name, folder))


def put_off(names: Iterable[str], *, for_ever: bool) -> None:
    """Keep that the user does not want this now, or never."""
    until = None if for_ever else time.time() + LATER
    with contextlib.suppress(OSError):
        paths.make_private(paths.state_folder())
        disk.write(_file(), msgspec.json.encode(_answers() | dict.fromkeys(names, until)))


def planned(names: Iterable[str]) -> list[files.Change]:
    """Return the changes of files by which the agents tell their state."""
    parts = [part for name in names for part in AGENTS[name].parts]
    changes = [files.install(part, project=False) for part in parts]
    return [change for change in changes if not change.is_none]


def write(changes: Sequence[files.Change]) -> None:
    """Carry the changes out."""
    for change in changes:
        files.carry_out(change)


def _is_due(answers: dict[str, float | None], name: str, now: float) -> bool:
    until = answers.get(name, 0.0)
    return until is not None and not now <= until <= now + LATER


def _file() -> Path:
    return paths.state_folder() / _ANSWERS


def _answers() -> dict[str, float | None]:
    """Return until when each agent is not asked about; None for never."""
    try:
        return from_json(disk.read(_file()), dict[str, float | None])
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}
