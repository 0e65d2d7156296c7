"""Follows in which folder and on which git branch each session is.

A shell within it may tell another folder (OSC 7), which counts while a process is there.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Final

import anyio

from nagomi_tui.orchestrator.runtime.timers import next_pulse
from nagomi_tui.orchestrator.sessions.session import Branch, SessionRuntime
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.system import deadlines
from nagomi_worker.inside import places
from nagomi_worker.wire.messages import Locate

LOOK_SECONDS: Final = 5.0
_SELDOM: Final = 12
"""So often less are sessions looked at that nobody sees, where a look costs more."""
_CAPABILITY: Final = "inside"
_SECONDS: Final = 0.5
"""Seconds for which the system may take to tell a folder."""


@dataclass(eq=False)
class FolderWatch:
    """Asks the system for the folders: soon after a shell's prompt, and of all every 5 s.

    Of a session on a hand the worker there is asked, which answers if it knows news. Git's files are
    read for all sessions once, then for those that are shown.
    """

    sessions: SessionTable
    publish: Callable[[SessionRuntime], None]
    is_shown: Callable[[SessionRuntime], bool]

    def __post_init__(self) -> None:
        self._moved: set[str] = set()
        self._told: dict[str, str] = {}
        """The folders that shells have told, by their sessions' ids."""
        self._wake = anyio.Event()
        self._slots = BoundedSemaphore(4)

    def may_have_moved(self, session_id: str, told: str) -> None:
        """Look at this session soon: its shell has told of a prompt, or of the folder `told`."""
        self._moved.add(session_id)
        if told:
            self._told[session_id] = told
        self._wake.set()

    async def run(self) -> None:
        """Look for ever."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._look_at_moved)
            tasks.start_soon(self._follow_branches)
            for round_ in itertools.count():
                await next_pulse(LOOK_SECONDS)
                for session in self.sessions.all:
                    # To find who is in a folder that was told takes a look at all processes.
                    costs = not session.info.is_local or session.session_id in self._told
                    if costs and round_ % _SELDOM and not self.is_shown(session):
                        continue
                    await self._find(session)

    async def _look_at_moved(self) -> None:
        while True:
            await self._wake.wait()
            self._wake, moved = anyio.Event(), self._moved
            self._moved = set()
            for session_id in moved:
                if (session := self.sessions.get(session_id)) is not None:
                    await self._find(session)
                else:
                    self._told.pop(session_id, None)
            await anyio.sleep(_SECONDS)

    async def _follow_branches(self) -> None:
        await self._look_at_branches(hidden=True)
        while True:
            await next_pulse(LOOK_SECONDS)
            await self._look_at_branches(hidden=False)

    async def _look_at_branches(self, *, hidden: bool) -> None:
        for session in self.sessions.all:
            if not (hidden or self.is_shown(session)):
                continue
            if session.branch is not None and await session.branch.look():
                session.change(branch=session.branch.name)
                self.publish(session)

    async def _find(self, session: SessionRuntime) -> None:
        """Look where a session is, or have its worker elsewhere tell."""
        if session.info.is_local:
            await self.look(session)
        else:
            ask_there(session)

    async def look(self, session: SessionRuntime) -> None:
        """Note where a session is; of one that does not run, the last folder is kept."""
        info = session.info
        if info.pid is None:
            return
        try:
            found = await deadlines.run(
                lambda: folder_of(info.pid or 0, info.cwd, self._told.get(info.session_id, "")),
                seconds=_SECONDS, slots=self._slots,
            )  # fmt: skip
        except (OSError, ValueError):
            return
        if session.info is info and found is not None and found != info.folder:
            session.branch = Branch(found or info.cwd)
            with suppress(OSError, ValueError):
                await session.branch.look()
            session.change(folder=found, branch=session.branch.name)
            self.publish(session)


def ask_there(session: SessionRuntime) -> None:
    """Have the worker of a session on a hand tell where it is."""
    link = session.run.link
    if link is not None and session.running and _CAPABILITY in link.capabilities:
        link.send(Locate(session_id=session.session_id))


def folder_of(pid: int, cwd: str, told: str = "") -> str | None:
    """Return the folder that a process is in, "" if that is `cwd`, or None if it is not told.

    Where a process below it is in the folder `told`, that is returned.
    """
    try:
        found = places.folder_of(pid)
        if told and told != found and told in _below(pid):
            found = told
    except OSError:
        return None
    if not found or not found.isprintable() or not os.path.isdir(found):
        return None
    return "" if found == os.path.realpath(cwd) else found


def _below(pid: int) -> set[str]:
    """Return the folders of the processes below a process, as far as they are told."""
    import psutil

    found = set()
    with suppress(psutil.Error):
        for child in psutil.Process(pid).children(recursive=True):
            with suppress(psutil.Error):
                found.add(child.cwd())
    return found
