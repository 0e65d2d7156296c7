"""One folder that sessions run in: which guarded project it belongs to, and how that stands."""

from __future__ import annotations

import os
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final

from nagomi_tui import deadline_thread
from nagomi_tui.core.session.session import GuardStanding
from nagomi_tui.guard.decide.state import Mode
from nagomi_tui.guard.files.documents import Broken
from nagomi_tui.guard.files.project import find
from nagomi_tui.guard.files.state import read_state

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.state import State
    from nagomi_tui.guard.files.project import Project

_SECONDS: Final = 0.5
"""How long a look may take; a disk that sleeps is asked again later."""
_Stamp = tuple[int, int, int]


class GuardedFolder:
    """Looking again costs a few `stat` while nothing changed; only one look is under way at a time."""

    def __init__(self, path: str) -> None:
        self.project: Project | None = None
        """The guarded project; None where there is none."""
        self.standing: GuardStanding | None = None
        """How it stands; None where nothing guards it."""
        self._path = path
        self._slots = BoundedSemaphore()
        self._stamp: _Stamp | None = None

    async def look(self) -> None:
        """Read how the project stands, if its state has changed.

        Of a folder that does not answer it stays as it was.
        """
        try:
            self.project, self.standing, self._stamp = await deadline_thread.run(
                self._read, seconds=_SECONDS, slots=self._slots
            )
        except (OSError, ValueError):
            return

    def _read(self) -> tuple[Project | None, GuardStanding | None, _Stamp | None]:
        project = find(self._path, {})
        if not is_set_up(project):
            return None, None, None
        stamp = _stamp(project)
        if stamp == self._stamp and project == self.project:
            return self.project, self.standing, stamp
        return project, _standing(project), stamp


def is_set_up(project: Project) -> bool:
    """Tell whether the guard has its files there."""
    return project.state_file.is_file() or project.config_file.is_file()


def told(state: State) -> GuardStanding:
    """Return what a session's summary tells of a state."""
    active = state.todos.active
    in_discussion = state.mode is Mode.NO
    return GuardStanding(
        mode=state.mode.value,
        done=sum(todo.status == "completed" for todo in active),
        total=len(active),
        proposed=len(state.own.proposal) if in_discussion else 0,
        protocol=state.active_protocol.value if state.active_protocol else "",
        bypassed=state.flags.bypass_mode,
    )


def _standing(project: Project) -> GuardStanding:
    """Return how a project stands; a state that nobody can read is discussion, as for the hook."""
    try:
        return told(read_state(project).state)
    except Broken:
        return GuardStanding()


def _stamp(project: Project) -> _Stamp | None:
    try:
        found = os.stat(project.state_file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
