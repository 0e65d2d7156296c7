"""Sessions that live on in workers are taken over, and those of a dead worker are given up."""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import anyio
import msgspec

from nagomi_tui.core.masking import mask
from nagomi_tui.core.session.names import propose, unique
from nagomi_tui.core.session.session import Phase, Session, State
from nagomi_tui.orchestrator.lifecycle import command_presence
from nagomi_tui.orchestrator.runtime.pulse import REACH_SECONDS, next_pulse
from nagomi_tui.orchestrator.sessions.git import Branch
from nagomi_tui.orchestrator.sessions.records import Record
from nagomi_tui.orchestrator.sessions.session import SessionRuntime, from_record
from nagomi_tui.words import translatable
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.judging.traces import Traces
    from nagomi_tui.orchestrator.output.feeder import Feeder
    from nagomi_tui.orchestrator.runtime.alarms import Alarms
    from nagomi_tui.orchestrator.runtime.crash_marker import Suspect
    from nagomi_tui.orchestrator.runtime.lifetime import Lifetime
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.publisher import Publisher
    from nagomi_tui.orchestrator.sessions.table import SessionTable
    from nagomi_tui.orchestrator.workers.link import WorkerLink
    from nagomi_tui.orchestrator.workers.output_batch import WorkerMessage
    from nagomi_tui.orchestrator.workers.pool import Workers

_log = logging.getLogger(__name__)
_REBUILD_SECONDS: Final = 20.0
_PAUSE_SECONDS: Final = 2.0


class Adoption:
    """Joins records, workers and terminals; hears what workers say."""

    def __init__(
        self,
        sessions: SessionTable,
        publisher: Publisher,
        feeder: Feeder,
        *,
        phases: Phases,
        traces: Traces,
        alarms: Alarms,
        lifetime: Lifetime,
        tell: Tell,
        is_shown: Callable[[SessionRuntime], bool],
    ) -> None:
        self._sessions = sessions
        self._publisher = publisher
        self._feeder = feeder
        self._phases = phases
        self._traces = traces
        self._alarms = alarms
        self._lifetime = lifetime
        self._tell = tell
        self._is_shown = is_shown
        self._missing: list[SessionRuntime] = []
        """Sessions that run, in workers that nobody has found yet."""

    # --- what workers say

    def heard(self, link: WorkerLink, messages: list[WorkerMessage]) -> None:
        """Hand each message to its session's turn."""
        for message in messages:
            session_id = getattr(message, "session_id", "")
            session = self._sessions.get(session_id)
            if session is None or session.run.link is not link:
                if session_id or isinstance(message, protocol.Error):
                    _log.info("worker %s said a %s of nobody", link.name, type(message).__name__)
                continue
            self._feeder.offer(session, message)
        self._feeder.serve()

    def lost(self, link: WorkerLink) -> None:
        """A worker has died: its sessions are lost, and nothing else changes."""
        lost = [session for session in self._sessions.all if session.run.link is link]
        for session in lost:
            self._give_up(session)
        if names := ", ".join(
            session.info.name for session in lost if session.info.state is State.LOST
        ):
            self._tell(
                "error",
                translatable("A worker has stopped; these were in it: {names}."),
                names=names,
            )

    async def found_again(self, link: WorkerLink) -> None:
        """The connection had broken: take its sessions over anew."""
        for session in self._sessions.all:
            if session.run.worker == link.name and session.run.link is not None:
                session.run.link = link
        await self._take_over(link)

    # --- at the start

    def recall(self, records: list[Record], suspect: Suspect | None) -> None:
        """List the sessions of the records; whether they live is seen when workers are found."""
        for record in records:
            session = from_record(record)
            session.branch = Branch(session.info.cwd, session.info.branch)
            if suspect and suspect.session_id == session.session_id:
                session.run.distrusted = True
                session.run.snapshot_distrusted = suspect.restoring
                sentence = translatable(
                    "The terminal of {name} had a fault; it is drawn more carefully now, and slower."
                )
                self._tell("info", sentence, name=session.info.name)
            self._sessions.add(session)

    async def join(self, workers: Workers) -> None:
        """Take over what every worker holds; what none holds is kept as its record says."""
        held: list[tuple[WorkerLink, list[SessionRuntime]]] = []
        async with anyio.create_task_group() as tasks:
            for link in workers.links:
                tasks.start_soon(self._list, link, held)
        for session in self._sessions.all:
            if session.run.link is None and not self._is_missed(session):
                self._lay_aside(session)
        self._lifetime.sessions_adopted.set()
        async with anyio.create_task_group() as tasks:
            for link, sessions in held:
                tasks.start_soon(self._rebuild_all, link, sessions)

    async def run(self, workers: Workers) -> None:
        """Take over what workers hold, and go on to look for those that cannot be reached."""
        await self.join(workers)
        while True:
            await next_pulse(REACH_SECONDS)
            try:
                await workers.search()
            except OSError as exc:
                _log.warning("workers could not be looked for: %s", exc)
            self.look_for_missing()

    def _is_missed(self, session: SessionRuntime) -> bool:
        """Tell whether it runs in a worker that cannot be reached: nothing else may take its place."""
        if not (session.running and command_presence.lives(session.info)):
            return False
        session.run.rebuilt.set()
        self._missing.append(session)
        sentence = translatable(
            "The worker of {name} cannot be reached; nagomi goes on looking for it."
        )
        self._tell("error", sentence, name=session.info.name)
        return True

    def look_for_missing(self) -> None:
        """Lay aside those that have ended before anybody found their worker."""
        missing, self._missing = self._missing, []
        for session in missing:
            if session.run.link is None and command_presence.lives(session.info):
                self._missing.append(session)
            elif session.run.link is None:
                self._lay_aside(session)

    async def _take_over(self, link: WorkerLink) -> None:
        held: list[tuple[WorkerLink, list[SessionRuntime]]] = []
        await self._list(link, held)
        for _, sessions in held:
            await self._rebuild_all(link, sessions)

    async def _list(
        self, link: WorkerLink, held: list[tuple[WorkerLink, list[SessionRuntime]]]
    ) -> None:
        """Join the sessions of a worker: shown and quiet ones first, since they are quick."""
        try:
            states = await link.list_sessions()
        except TimeoutError:
            _log.warning("worker %s does not tell what it holds", link.name)
            return
        states = tuple(
            sorted(states, key=lambda s: self._eagerness(self._sessions.get(s.session_id)))
        )
        link.sessions = {state.session_id for state in states}
        held.append((link, [self._joined(link, state) for state in states]))

    async def _rebuild_all(self, link: WorkerLink, sessions: list[SessionRuntime]) -> None:
        """Attach one session after the other.

        Those that are back print on only when the others are back too, or after a while.
        """
        with ExitStack() as stack:
            self._alarms.after(_PAUSE_SECONDS, (link, "pause"), stack.close)
            for session in sessions:
                await self._rebuild(link, session)
                stack.enter_context(self._feeder.paused(session))
        self._alarms.cancel((link, "pause"))

    async def _rebuild(self, link: WorkerLink, session: SessionRuntime) -> None:
        if session.run.rebuilt.is_set():
            session.run.rebuilt = anyio.Event()
        link.send(protocol.Attach(session_id=session.session_id))
        with anyio.move_on_after(_REBUILD_SECONDS):
            await session.run.rebuilt.wait()

    def _eagerness(self, session: SessionRuntime | None) -> tuple[bool, bool, float]:
        """Sort what is shown, then what was quiet, then what was typed into last, to the front."""
        if session is None:
            return True, True, 0.0
        busy = session.running and session.info.phase is Phase.RUNNING
        return (not self._is_shown(session), busy, -(session.info.last_input_at or 0.0))

    def _joined(self, link: WorkerLink, state: protocol.SessionState) -> SessionRuntime:
        """Return the session that a worker holds, as it holds it."""
        session = self._sessions.get(state.session_id)
        if session is None:
            session = _unrecorded(state, {info.name for info in self._sessions.infos})
            self._sessions.add(session)
        self._traces.end(session)
        if session.run.screen is not None:
            session.run.screen.close()
            session.run.screen = None
        session.run.backlog.clear()
        session.run.link, session.run.worker = link, link.name
        session.run.output_at = session.info.last_output_at or 0.0
        ended = state.exit_code is not None
        session.change(
            state=State.EXITED if ended else State.RUNNING,
            pid=None if ended else state.pid,
            exit_code=state.exit_code,
            signal=state.signal,
            cols=state.cols,
            rows=state.rows,
        )
        if _is_whole(session.info, state.cmd):
            session.change(cmd=state.cmd, cmd_masked=False)
        if ended:
            session.change(ended_at=session.info.ended_at or time.time())
            session.run.ended.set()
        session.run.settled.set()
        self._phases.update(session)
        self._publisher.publish(session)
        return session

    def _lay_aside(self, session: SessionRuntime) -> None:
        """No worker holds it: after a reboot it is only known from its record."""
        run = session.run
        saved = session.record().saved()
        session.info, run.worker = saved.session, ""
        run.rebuilt.set()
        run.ended.set()
        self._phases.update(session)
        self._publisher.publish(session)

    def _give_up(self, session: SessionRuntime) -> None:
        run = session.run
        run.link, run.worker, run.replay = None, "", None
        run.rebuilt.set()
        if session.info.state is State.EXITED:
            return
        session.change(state=State.LOST, pid=None, ended_at=time.time())
        run.start_fault = run.start_fault or "The worker has stopped."
        run.settled.set()
        run.ended.set()
        self._phases.update(session)
        self._publisher.publish(session)
        session.wake_watchers()


def _is_whole(recorded: Session, cmd: str) -> bool:
    """Tell whether a worker's command is the one of which the record lacks a secret, or all.

    It may also be another one, by which an agent went on with its conversation.
    """
    return bool(cmd) and (not recorded.cmd or (recorded.cmd_masked and mask(cmd) == recorded.cmd))


def _unrecorded(state: protocol.SessionState, taken: Collection[str]) -> SessionRuntime:
    """Return a session that a worker holds and no record tells of, by what was noted there."""
    try:
        session = from_record(msgspec.json.decode(state.note, type=Record))
        session.change(session_id=state.session_id, name=unique(session.info.name, taken))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        name = propose(cwd="", cmd=mask(state.cmd), session_id=state.session_id, taken=taken)
        session = SessionRuntime(
            Session(
                session_id=state.session_id, number=0, name=name, cmd="", cwd="/",
                created_at=time.time(),
            )
        )  # fmt: skip
    session.branch = Branch(session.info.cwd)
    return session
