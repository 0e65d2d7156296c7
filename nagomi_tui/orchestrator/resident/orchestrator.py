"""Runs the parts of the orchestrator until it leaves."""

from __future__ import annotations

import contextlib
import logging
import signal
from typing import Final

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from nagomi_tui.hands import master
from nagomi_tui.orchestrator.resident.composition import Composition
from nagomi_tui.orchestrator.resident.heartbeat import Heartbeat
from nagomi_tui.orchestrator.resident.stuck import BEAT, QUIT, RELOAD
from nagomi_tui.orchestrator.runtime.requests import Lifetime
from nagomi_tui.orchestrator.runtime.timers import REACH_SECONDS, next_pulse
from nagomi_tui.orchestrator.sessions.screens import load_engines
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text import words
from nagomi_worker.runtime.files import FileLock

_log = logging.getLogger(__name__)
FORGIVE_SECONDS: Final = 30.0
_QUIT_SECONDS: Final = 20.0


class Orchestrator:
    """One life of the resident process."""

    def __init__(self, lock: FileLock, *, pipe: int, after: str) -> None:
        self._lock = lock
        self._lifetime = Lifetime()
        self._heartbeat = Heartbeat(self._lifetime, pipe)
        self._after = after

    async def run(self) -> str:
        """Serve until asked to leave; return why we leave."""
        async with anyio.create_task_group() as tasks:
            parts = Composition(tasks, self._lifetime, self._heartbeat)
            self._recall(parts)
            await self._begin(parts, tasks)
            await self._lifetime.leaving.wait()
            await self._leave(parts)
            tasks.cancel_scope.cancel()
        parts.store.close()
        return self._lifetime.leave_reason

    def say_goodbye(self, reason: str) -> None:
        """Tell the supervisor that we leave on purpose, and whether another one is to follow."""
        self._heartbeat.send({"quit": QUIT, "reload": RELOAD}.get(reason, BEAT))

    def _recall(self, parts: Composition) -> None:
        """Load the records."""
        records = parts.store.open()
        parts.greeting.recall()
        parts.sessions.recall()
        parts.adoption.recall(records, parts.marker.judge(self._after))

    async def _begin(self, parts: Composition, tasks: TaskGroup) -> None:
        for run in parts.at_once:
            tasks.start_soon(run)
        tasks.start_soon(parts.checkpoints.run, parts.feeder)
        tasks.start_soon(_watch_signals, self._lifetime)
        await parts.front_ends.listen(tasks)
        # No file that others may have put there is read before this.
        await parts.settings_watch.begin()
        self._lifetime.settings_known.set()
        tasks.start_soon(parts.settings_watch.doubt, parts.settings())
        # The list of sessions is there at once; loading a native library takes longer.
        await anyio.to_thread.run_sync(_load)
        await parts.judges.rules.load()
        await parts.workers.adopt()
        tasks.start_soon(_watch_clock, parts)
        tasks.start_soon(parts.adoption.run, parts.workers)
        tasks.start_soon(parts.hands.run)
        tasks.start_soon(_warm_up, parts)
        tasks.start_soon(parts.front_ends.keep_reachable, tasks)
        tasks.start_soon(parts.worktrees.run)
        tasks.start_soon(parts.folders.run)
        tasks.start_soon(parts.guards.run)
        tasks.start_soon(parts.settings_watch.run)
        parts.alarms.after(FORGIVE_SECONDS, "forgive", parts.marker.forgive)

    async def _leave(self, parts: Composition) -> None:
        sessions, reason = parts.sessions.all, self._lifetime.leave_reason
        if reason == "quit":
            with contextlib.suppress(OSError):
                self._lock.stamp()
            parts.transcripts.remember_screens(sessions)
            for session in sessions:
                if session.running:
                    session.run.stopped = True
                    parts.judges.stopped(session)
            with anyio.move_on_after(_QUIT_SECONDS):
                await parts.hands.end()
                await parts.workers.end()
            await anyio.to_thread.run_sync(master.close_all)
        else:
            for session in sessions:
                parts.checkpoints.take(session)
        await parts.transcripts.close(parts.sessions.all)
        await parts.front_ends.close(reason)
        for link in (*parts.workers.links, *parts.hands.links):
            await link.drain()


def _load() -> None:
    """Load modules that an upgrade may replace, or for which no file may be free later."""
    load_engines()
    for language in words.LANGUAGES:
        words.of(language)


async def _warm_up(parts: Composition) -> None:
    """Have a worker ready before the first session is asked for."""
    if not parts.workers.links:
        try:
            await parts.workers.choose(parts.settings().pool_size)
        except Exception as exc:
            _log.warning("no worker yet: %s", exc)


async def _watch_clock(parts: Composition) -> None:
    while True:
        await next_pulse(REACH_SECONDS)
        parts.look_at_clock()


async def _watch_signals(lifetime: Lifetime) -> None:
    """Leave in order on SIGTERM and the like; sessions run on."""
    if WINDOWS:
        return
    with anyio.open_signal_receiver(signal.SIGTERM) as signals:
        async for _ in signals:
            lifetime.leave("terminate")
