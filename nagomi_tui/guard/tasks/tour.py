"""The tour that leads newcomers through the guard, chapter by chapter (DC-41)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.guard.tasks.folder import tasks_folder
from nagomi_tui.guard.tasks.shipped_texts import shipped_texts
from nagomi_tui.system import files

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.documents import Own, State
    from nagomi_tui.guard.files.project import Project

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
