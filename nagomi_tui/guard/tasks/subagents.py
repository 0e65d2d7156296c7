"""The texts for subagents in a project's own folder (DC-40)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui import files
from nagomi_tui.core.agents.registry import AGENTS
from nagomi_tui.guard.tasks.templates import shipped_texts, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.guard.files.project import Project


_FOLDERS: Final = tuple(agent.guarded.subagents for agent in AGENTS.values() if agent.guarded)


def install_agents(project: Project) -> tuple[list[str], list[str]]:
    """Write the texts for subagents; return the names of the new ones and of those left as they are.

    Raises:
        OSError: one cannot be written.
    """
    new, kept = [], []
    for name, text in shipped_texts("agents").items():
        path = _agents(project) / f"{name}.md"
        if path.exists():
            kept.append(name)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, text.encode(), mode=0o644)
        new.append(name)
    return new, kept


def remove_agents(project: Project) -> tuple[list[str], list[str]]:
    """Remove those texts that nobody changed; return the names of these, and of those that stay.

    Raises:
        OSError: one cannot be removed.
    """
    gone, kept = [], []
    for name, text in shipped_texts("agents").items():
        path = _agents(project) / f"{name}.md"
        if not path.exists():
            continue
        if text_of(path) == text:
            path.unlink()
            gone.append(name)
        else:
            kept.append(name)
    return gone, kept


def _agents(project: Project) -> Path:
    return project.root / next(folder for folder in _FOLDERS if folder)
