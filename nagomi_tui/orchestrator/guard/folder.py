"""How the guard of one folder of sessions stands, and setting it up there in one step.

An agent that nagomi starts gets the hooks by its own option, for that start and in any folder.
Those that are started later, in a shell, read them from settings; nobody writes there unasked.
"""

from __future__ import annotations

import os
from functools import partial
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final, TypeVar

import anyio

from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.agents.resume import agent_of
from nagomi_tui.guard.decide.documents import Mode
from nagomi_tui.guard.files import state as switches
from nagomi_tui.guard.files.documents import Broken, Busy
from nagomi_tui.guard.files.project import find
from nagomi_tui.guard.files.state import edit_state, read_state
from nagomi_tui.guard.install.hooks import GUARDED, guarded_in, is_installed, looked_at
from nagomi_tui.guard.install.start import CannotStart, with_hooks
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.sessions.session import GuardStanding
from nagomi_tui.system import deadlines
from nagomi_tui.text.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.guard.decide.documents import State
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
            self.project, self.standing, self._stamp = await deadlines.run(
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
    in_discussion = state.mode is Mode.DISCUSSION
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


_Result = TypeVar("_Result")
_SETTING_UP_SECONDS: Final = 5.0
_AT_ONCE: Final = 4
_slots: Final = BoundedSemaphore(_AT_ONCE)
WAYS: Final = ("hook", "strict")
"""How a session may ask to be guarded."""
VARIABLES: Final = {
    name: value
    for agent in AGENTS.values()
    for name, value in (agent.guarded.variables if agent.guarded else ())
}
"""What guarded agents are started with (F-9)."""


async def set_up(way: str, cmd: str, cwd: str) -> None:
    """Guard the project of a folder before a session begins there; discussion comes first.

    In strict mode the kernel holds the project whatever runs there; else an agent has to have hooks.

    Raises:
        Refusal: the guard cannot be put there, or nothing would run it; nothing has begun.
    """
    if way not in WAYS:
        sentence = translatable("There is no guard `{way}`; there are: {ways}.")
        raise Refusal("bad_request", sentence, way=way, ways=", ".join(WAYS))
    needs_hooks = way == "hook" and agent_of(cmd) not in GUARDED
    await _in_time(partial(_set_up, cwd, needs_hooks=needs_hooks), cwd)


async def given_hooks(cmd: str, cwd: str) -> str:
    """Return a command with the guard's hooks where it starts an agent; any other as it is.

    Raises:
        Refusal: they cannot be given to it.
    """
    return await _in_time(partial(with_hooks, cmd, cwd or "/"), cwd)


async def _in_time(work: Callable[[], _Result], cwd: str) -> _Result:
    try:
        return await deadlines.run(work, seconds=_SETTING_UP_SECONDS, slots=_slots)
    except TimeoutError as exc:
        sentence = translatable("The guard cannot be set up in {folder}: it does not answer.")
        raise Refusal("refused", sentence, folder=cwd) from exc
    except (OSError, CannotStart, Busy) as exc:
        sentence = translatable("The guard cannot be set up in {folder}: {reason}.")
        reason = exc.said if isinstance(exc, CannotStart) else getattr(exc, "strerror", None) or exc
        raise Refusal("refused", sentence, folder=cwd, reason=reason) from exc


def _set_up(cwd: str, *, needs_hooks: bool) -> None:
    project = find(cwd, {})
    if needs_hooks and not (guarded_in(os.path.realpath(cwd)) or guarded_in(str(project.root))):
        sentence = translatable(
            "This command is no agent that nagomi can give the guard to, and no agent that is started "
            "in {folder} has its hooks. `nagomi guard install` there writes them, once you have agreed."
        )
        raise Refusal("refused", sentence, folder=project.root)
    with edit_state(project):
        pass
