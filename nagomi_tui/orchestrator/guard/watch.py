"""Follows the guard of all sessions, by hook events and by changes of its state files."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.agents.resume import agent_of
from nagomi_tui.orchestrator.guard.folder import GuardedFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nagomi_tui.guard.files.project import Project
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.sessions.session import GuardStanding

_log = logging.getLogger(__name__)
LOOK_SECONDS: Final = 2.0
"""How soon a change is seen that no hook tells of."""
_TOGETHER_SECONDS: Final = 0.03
"""Hooks that come within so short a time are looked at together."""
PATIENCE: Final = 4.0
"""Seconds for which a folder is asked where the user waits for it, or it decides who may type."""
_GUARDED: Final = frozenset(agent.name for agent in AGENTS.values() if agent.guarded)


class GuardWatch:
    """Knows of each session whether its project is guarded, and tells when it stands otherwise."""

    def __init__(
        self,
        sessions: Callable[[], Sequence[SessionRuntime]],
        publish: Callable[[SessionRuntime], None],
        on_look: Callable[[SessionRuntime, GuardStanding | None], None] | None = None,
        on_guarded: Callable[[Mapping[Project, Sequence[SessionRuntime]]], None] | None = None,
    ) -> None:
        """Make it for these sessions.

        Whenever all was looked at, `on_look` hears how the guard of each session stands, and
        `on_guarded` what `guarded` returns.
        """
        self._sessions = sessions
        self._publish = publish
        self._on_look = on_look
        self._on_guarded = on_guarded
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
        sessions = [session for session in self._sessions() if _may_be_guarded(session)]
        # Another look may begin before this one ends: each goes by the folders that it began with.
        folders = {path: self._folder(path) for each in sessions for path in _paths(each)}
        self._folders = folders
        async with anyio.create_task_group() as tasks:
            for folder in folders.values():
                tasks.start_soon(folder.look, patience)
        for session in sessions:
            self._tell(session, _guarding(folders, session))
        if self._on_guarded is not None:
            self._on_guarded(self.guarded())

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
        for session in self._sessions():
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
            self._publish(session)
        if session.listed and self._on_look is not None:
            self._on_look(session, standing)


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
        or agent_of(session.info.cmd) in _GUARDED
        or session.run.agent_folder
        or (told is not None and told.agent in _GUARDED)
    )
