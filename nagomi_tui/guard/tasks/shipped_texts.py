"""Texts of protocols, tour and subagents: the shipped ones, or a project's own in their place."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from nagomi_tui.agents.registry import GUARDED
from nagomi_tui.guard.decide.documents import Own, Protocol, State
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.tasks.folder import tasks_folder
from nagomi_tui.system import files
from nagomi_tui.system.paths import listed, shipped

_LARGEST: Final = 64 * 1024


def protocol_template(project: Project, protocol: Protocol) -> str:
    """Return the text of a protocol: the project's own, or the shipped one; empty if neither is there.

    A project from cc-sessions has them in folders; there the one of the protocol's own name counts.
    """
    own = project.sessions / "protocols"
    name = f"{protocol.value}.md"
    for path in (own / name, own / protocol.value / name, _shipped("protocols") / name):
        if text := text_of(path):
            return text
    return ""


def shipped_texts(folder: str) -> dict[str, str]:
    """Return the shipped texts of a folder by name, in order: `agents` or `onboarding`."""
    place = _shipped(folder)
    return {path.stem: text_of(path) for path in listed(place, "*.md")}


def text_of(path: Path) -> str:
    """Return a file's text; empty where it cannot be read."""
    try:
        return files.read_text(path, _LARGEST)
    except (OSError, UnicodeDecodeError):
        return ""


def _shipped(folder: str) -> Path:
    return shipped("config") / "guard" / folder


_FOLDERS: Final = tuple(agent.subagents for agent in GUARDED.values())


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


TOUR_TASK: Final = "h-kickstart-setup.md"
_SHORT: Final = "01-agents-only"
_TOUR_TEXT: Final = """\
---
name: h-kickstart-setup
branch: none
status: pending
created: {day}
---
# Look around in the guard

## Problem/Goal
A task of the tour, to look at. `nagomi guard kickstart complete` removes it.

## Success Criteria
- [ ] The user has seen a write refused, and approved one
- [ ] The user has stopped the agent once

## Context Manifest

## User Notes

## Work Log
"""


def chapters() -> list[str]:
    """Return the names of the tour's chapters in order."""
    return [name for name in shipped_texts("onboarding") if name != _SHORT]


def chapter(number: int) -> str:
    """Return a chapter's text, counted from 1; behind the last the last again."""
    names = chapters()
    return shipped_texts("onboarding")[names[min(max(number, 1), len(names)) - 1]]


def short_tour() -> str:
    """Return the text about the helpers alone."""
    return shipped_texts("onboarding")[_SHORT]


def at_chapter(state: State, number: int) -> State:
    """Return the state with the tour at a chapter; 0 is no tour."""
    own: Own = msgspec.structs.replace(state.own, chapter=number)
    return state.with_own(own)


def make_tour_task(project: Project, day: str) -> None:
    """Write the task of the tour, unless there is one.

    Raises:
        OSError: it cannot be written.
    """
    path = tasks_folder(project) / TOUR_TASK
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, _TOUR_TEXT.replace("{day}", day).encode(), mode=0o644)


def remove_tour_task(project: Project) -> None:
    """Remove the task of the tour.

    Raises:
        OSError: it cannot be removed.
    """
    (tasks_folder(project) / TOUR_TASK).unlink(missing_ok=True)
