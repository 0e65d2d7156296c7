"""Takes over what workers hold: their sessions are joined, and their screens rebuilt."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui.core.session.session import LOCAL, Phase
from nagomi_tui.orchestrator.runtime.pulse import REACH_SECONDS, next_pulse
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.lifecycle.joining import Joining
    from nagomi_tui.orchestrator.lifecycle.orphans import Orphans
    from nagomi_tui.orchestrator.output.feeder import Feeder
    from nagomi_tui.orchestrator.runtime.alarms import Alarms
    from nagomi_tui.orchestrator.runtime.lifetime import Lifetime
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.sessions.table import SessionTable
    from nagomi_tui.orchestrator.workers.link import WorkerLink
    from nagomi_tui.orchestrator.workers.pool import Workers

_log = logging.getLogger(__name__)
_REBUILD_SECONDS: Final = 20.0
_PAUSE_SECONDS: Final = 2.0


class Rebuild:
    """Has workers replay their sessions, so that screens are rebuilt from what was printed."""

    def __init__(self, feeder: Feeder, alarms: Alarms) -> None:
        self._feeder = feeder
        self._alarms = alarms

    async def rebuild(self, link: WorkerLink, sessions: list[SessionRuntime]) -> None:
        """Attach the sessions of a worker, one after the other.

        Output of rebuilt sessions waits until all are rebuilt, for 2 s at most.
        """
        with ExitStack() as stack:
            self._alarms.after(_PAUSE_SECONDS, (link, "pause"), stack.close)
            for session in sessions:
                await self._rebuild_one(link, session)
                stack.enter_context(self._feeder.paused(session))
        self._alarms.cancel((link, "pause"))

    async def _rebuild_one(self, link: WorkerLink, session: SessionRuntime) -> None:
        run = session.run
        if run.rebuilt.is_set():
            run.rebuilt = anyio.Event()
        offset = run.offset if run.screen is not None and link.resumes else None
        link.send(protocol.Attach(session_id=session.session_id, offset=offset))
        with anyio.move_on_after(_REBUILD_SECONDS):
            await session.run.rebuilt.wait()


class Adoption:
    """Asks workers what they hold, at the start and whenever one is found again."""

    def __init__(
        self,
        sessions: SessionTable,
        joining: Joining,
        rebuild: Rebuild,
        *,
        orphans: Orphans,
        lifetime: Lifetime,
        is_shown: Callable[[SessionRuntime], bool],
    ) -> None:
        self._sessions = sessions
        self._joining = joining
        self._rebuild = rebuild
        self._orphans = orphans
        self._lifetime = lifetime
        self._is_shown = is_shown
        """Returns whether a front end shows a session; these are rebuilt first."""

    async def run(self, workers: Workers) -> None:
        """Take over the sessions of all workers, then look for unreachable workers for ever."""
        await self.join(workers)
        while True:
            await next_pulse(REACH_SECONDS)
            try:
                await workers.search()
            except OSError as exc:
                _log.warning("workers could not be looked for: %s", exc)
            self._orphans.look_again()

    async def join(self, workers: Workers) -> None:
        """Take over the sessions of all workers; the others are sorted out as orphans."""
        held: list[tuple[WorkerLink, list[SessionRuntime]]] = []
        async with anyio.create_task_group() as tasks:
            for link in workers.links:
                tasks.start_soon(self._list, link, held)
        self._orphans.sort_out()
        self._lifetime.sessions_adopted.set()
        async with anyio.create_task_group() as tasks:
            for link, sessions in held:
                tasks.start_soon(self._rebuild.rebuild, link, sessions)

    async def take_over(self, link: WorkerLink) -> bool:
        """Take over the sessions of one worker; tell whether it has said which it holds."""
        held: list[tuple[WorkerLink, list[SessionRuntime]]] = []
        await self._list(link, held)
        for _, sessions in held:
            await self._rebuild.rebuild(link, sessions)
        return bool(held)

    async def _list(
        self, link: WorkerLink, held: list[tuple[WorkerLink, list[SessionRuntime]]]
    ) -> None:
        """Join the sessions of a worker: shown and quiet ones first, since they are quick to rebuild."""
        try:
            states = await link.list_sessions()
        except TimeoutError:
            _log.warning("worker %s does not tell what it holds", link.name)
            return
        states = tuple(state for state in states if self._may_be_of(link, state.session_id))
        states = tuple(
            sorted(states, key=lambda s: self._eagerness(self._sessions.get(s.session_id)))
        )
        link.sessions = {state.session_id for state in states}
        joined = []
        for state in states:
            session = self._sessions.held(state)
            if link.worker_id != LOCAL:
                session.branch = None
            self._joining.join(session, link, state)
            joined.append(session)
        held.append((link, joined))

    def _may_be_of(self, link: WorkerLink, session_id: str) -> bool:
        """Return whether a worker may hold a session: one elsewhere could name any of ours."""
        session = self._sessions.get(session_id)
        if session is None or session.run.worker == link.name:
            return True
        if LOCAL == link.worker_id == session.info.worker_id:
            return True
        found = not session.run.worker and session.info.worker_id == link.worker_id
        if not found:
            _log.warning("worker %s names session %s of another", link.name, session_id)
        return found

    def _eagerness(self, session: SessionRuntime | None) -> tuple[bool, bool, float]:
        """Return a sort key: shown sessions first, then quiet ones, then those typed into last."""
        if session is None:
            return True, True, 0.0
        busy = session.running and session.info.phase is Phase.RUNNING
        return (not self._is_shown(session), busy, -(session.info.last_input_at or 0.0))
