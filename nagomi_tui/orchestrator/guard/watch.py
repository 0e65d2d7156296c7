"""Follows the guard of all sessions, by hook events and by changes of its state files."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final, TypeVar

import anyio

from nagomi_tui.agents.registry import GUARDED
from nagomi_tui.agents.resume import agent_of
from nagomi_tui.guard.decide.documents import Mode, State
from nagomi_tui.guard.files.project import Project, find
from nagomi_tui.guard.files.state import Broken, Busy, edit_state, read_state, switches
from nagomi_tui.guard.install.hooks import guarded_in, is_installed, looked_at
from nagomi_tui.guard.install.start import CannotStart, with_hooks
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.sessions.session import GuardStanding
from nagomi_tui.system import deadlines, files
from nagomi_tui.text.words import translatable

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
        self._stamp: tuple[_Stamp, ...] | None = None
        self._settings: dict[Path, _Stamp] = {}
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
    ) -> tuple[Project | None, GuardStanding | None, tuple[_Stamp, ...] | None]:
        project = find(self._path, {})
        if not is_set_up(project):
            return None, None, None
        self._look_for_hook()
        places = (project.state_file, *switches(project).values())
        stamp = tuple(map(files.stamp, places))
        if stamp == self._stamp and project == self.project:
            return self.project, self.standing, stamp
        found, is_final = _standing(project)
        return project, found, stamp if is_final else None

    def _look_for_hook(self) -> None:
        """Look into the agents' settings, if one of these files has changed."""
        found = looked_at(self._path)
        settings = {path: files.stamp(path) for path in found}
        if settings != self._settings:
            self.is_hooked = any(
                is_installed(found[path], path) for path in found if any(settings[path])
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


_Result = TypeVar("_Result")
_SETTING_UP_SECONDS: Final = 5.0
_AT_ONCE: Final = 4
_slots: Final = BoundedSemaphore(_AT_ONCE)
WAYS: Final = ("hook", "strict")
"""How a session may ask to be guarded."""
VARIABLES: Final = {name: value for agent in GUARDED.values() for name, value in agent.variables}
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


_log = logging.getLogger(__name__)
LOOK_SECONDS: Final = 2.0
"""How soon a change is seen that no hook tells of."""
_TOGETHER_SECONDS: Final = 0.03
"""Hooks that come within so short a time are looked at together."""
PATIENCE: Final = 4.0
"""Seconds for which a folder is asked where the user waits for it, or it decides who may type."""


@dataclass(eq=False)
class GuardWatch:
    """Knows of each session whether its project is guarded, and tells when it stands otherwise.

    Whenever all was looked at, `on_look` hears how the guard of each session stands, and
    `on_guarded` what `guarded` returns.
    """

    sessions: Callable[[], Sequence[SessionRuntime]]
    publish: Callable[[SessionRuntime], None]
    on_look: Callable[[SessionRuntime, GuardStanding | None], None]
    on_guarded: Callable[[Mapping[Project, Sequence[SessionRuntime]]], None]

    def __post_init__(self) -> None:
        self._folders: dict[str, GuardedFolder] = {}
        self._asked = anyio.Event()

    async def run(self) -> None:
        """Look for ever."""
        while True:
            self._asked = anyio.Event()
            try:
                await self.look()
            except Exception:
                _log.exception("the guards of sessions could not be looked at")
            with anyio.move_on_after(LOOK_SECONDS - time.monotonic() % LOOK_SECONDS):
                await self._asked.wait()
                await anyio.sleep(_TOGETHER_SECONDS)

    def ask(self) -> None:
        """Have it look at once: a hook told something, or somebody has changed a state."""
        self._asked.set()

    async def look(self, patience: float = 0.0) -> None:
        """Look at every folder that a guarded session may run in, and tell what has changed.

        One that does not answer is tried again for so many seconds.
        """
        sessions = [session for session in self.sessions() if _may_be_guarded(session)]
        # Another look may begin before this one ends: each goes by the folders that it began with.
        folders = {path: self._folder(path) for each in sessions for path in _paths(each)}
        self._folders = folders
        async with anyio.create_task_group() as tasks:
            for folder in folders.values():
                tasks.start_soon(folder.look, patience)
        for session in sessions:
            self._tell(session, _guarding(folders, session))
        self.on_guarded(self.guarded())

    async def project(self, session: SessionRuntime) -> Project | None:
        """Return the guarded project of a session as it is now; None where nothing guards it."""
        if not _may_be_guarded(session):
            return None
        # A look meanwhile may begin with folders of its own.
        folders = {path: self._folder(path) for path in _paths(session)}
        for folder in folders.values():
            await folder.look(PATIENCE)
        self._folders.update(folders)
        found = _guarding(folders, session)
        return found.project if found is not None else None

    def guarded(self) -> dict[Project, list[SessionRuntime]]:
        """Return the guarded projects of running sessions, with these."""
        found: dict[Project, list[SessionRuntime]] = {}
        for session in self.sessions():
            folder = _guarding(self._folders, session)
            if session.running and folder is not None and folder.project and session.info.guard:
                found.setdefault(folder.project, []).append(session)
        return found

    def _folder(self, path: str) -> GuardedFolder:
        return self._folders.get(path) or GuardedFolder(path)

    def _tell(self, session: SessionRuntime, folder: GuardedFolder | None) -> None:
        standing = folder.standing if folder is not None else None
        unheard = standing is not None and not session.strict and not _is_heard(session)
        if session.listed and session.change(
            guard=standing, strict=session.strict, guard_unheard=unheard
        ):
            self.publish(session)
        if session.listed:
            self.on_look(session, standing)


def _paths(session: SessionRuntime) -> tuple[str, ...]:
    """Return where a session's agent was started, as its hook told, and the session's folder."""
    return tuple(dict.fromkeys(filter(None, (session.run.agent_folder, session.info.cwd))))


def _guarding(
    folders: Mapping[str, GuardedFolder], session: SessionRuntime
) -> GuardedFolder | None:
    """Return the folder whose guard a session is under: the agent's before the session's."""
    found = (folders.get(path) for path in _paths(session))
    return next((one for one in found if one and one.project and _holds(one, session)), None)


def _holds(folder: GuardedFolder, session: SessionRuntime) -> bool:
    """Tell whether a guard's state is more than a file: by the agent's hook, or the kernel."""
    return folder.is_hooked or session.strict or session.guarded


def _is_heard(session: SessionRuntime) -> bool:
    """Tell whether the guard's hook has told anything; of a run of before, whether it had."""
    if session.run.heard is not None:
        return session.run.heard
    return session.info.guard is not None and not session.info.guard_unheard


def _may_be_guarded(session: SessionRuntime) -> bool:
    """Tell whether an agent with a guard runs there, or has told something, or did before."""
    if not session.running or not session.info.is_local:
        return False
    told = session.conversation
    return bool(
        session.info.guard
        or session.strict
        or session.guarded
        or agent_of(session.info.cmd) in GUARDED
        or session.run.agent_folder
        or (told is not None and told.agent in GUARDED)
    )
