"""One folder that sessions run in: which guarded project it belongs to, and how that stands."""

from __future__ import annotations

import os
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui import deadline_thread
from nagomi_tui.core.session.session import GuardStanding
from nagomi_tui.guard.decide.state import Mode
from nagomi_tui.guard.files import switches
from nagomi_tui.guard.files.documents import Broken
from nagomi_tui.guard.files.project import find
from nagomi_tui.guard.files.state import read_state
from nagomi_tui.guard.install.hook_set import is_installed, looked_at

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.guard.decide.state import State
    from nagomi_tui.guard.files.project import Project

_SECONDS: Final = 0.5
"""How long a look may take; a disk that sleeps is asked again later."""
_PAUSE: Final = 0.02
_Stamp = tuple[int, int, int]


class GuardedFolder:
    """Looking again costs a few `stat` while nothing changed; only one look is under way at a time."""

    def __init__(self, path: str) -> None:
        self.project: Project | None = None
        """The guarded project; None where there is none."""
        self.standing: GuardStanding | None = None
        """How it stands; None where nothing guards it."""
        self.is_hooked = False
        """Whether the guard's hook stands where an agent that is started there looks for it."""
        self._path = path
        self._slots = BoundedSemaphore()
        self._stamp: tuple[_Stamp | None, ...] | None = None
        self._settings: dict[Path, _Stamp | None] = {}
        """The agents' settings as they were when the hook was looked for."""

    async def look(self, patience: float = 0.0) -> None:
        """Read how the project stands, if its state has changed.

        Of a folder that does not answer it stays as it was. With `patience` it is tried again for
        so many seconds, as when another look is under way.
        """
        end = anyio.current_time() + patience
        while True:
            if await self._answers() or anyio.current_time() >= end:
                return
            await anyio.sleep(_PAUSE)

    async def _answers(self) -> bool:
        try:
            self.project, self.standing, self._stamp = await deadline_thread.run(
                self._read, seconds=_SECONDS, slots=self._slots
            )
        except TimeoutError:
            return False
        except (OSError, ValueError):
            pass
        return True

    def _read(
        self,
    ) -> tuple[Project | None, GuardStanding | None, tuple[_Stamp | None, ...] | None]:
        project = find(self._path, {})
        if not is_set_up(project):
            return None, None, None
        self._look_for_hook()
        places = (project.state_file, *switches.paths(project).values())
        stamp = tuple(_stamp(path) for path in places)
        if stamp == self._stamp and project == self.project:
            return self.project, self.standing, stamp
        found, is_final = _standing(project)
        return project, found, stamp if is_final else None

    def _look_for_hook(self) -> None:
        """Look into the agents' settings, if one of these files has changed."""
        found = looked_at(self._path)
        settings = {path: _stamp(path) for path in found}
        if settings != self._settings:
            self.is_hooked = any(
                is_installed(found[path], path) for path in found if settings[path]
            )
            self._settings = settings


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


def _standing(project: Project) -> tuple[GuardStanding, bool]:
    """Return how a project stands, and whether that holds until its state is another file.

    A state that nobody can read is discussion, as for the hook. One that is just being written has
    no seal yet: it is read again.
    """
    try:
        loaded = read_state(project)
    except Broken:
        return GuardStanding(), True
    return told(loaded.state), not loaded.notices


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
