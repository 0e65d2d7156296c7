"""Takes over the sessions that workers hold and that records tell of, after a start or a loss."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass
from typing import Final

import anyio
import psutil

from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.output.feeder import Feeder
from nagomi_tui.orchestrator.runtime.crash_marker import Suspect
from nagomi_tui.orchestrator.runtime.requests import Lifetime
from nagomi_tui.orchestrator.runtime.timers import REACH_SECONDS, Alarms, next_pulse
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.session import Branch, SessionRuntime, from_record
from nagomi_tui.orchestrator.sessions.store import Record
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.orchestrator.workers.link import WorkerLink
from nagomi_tui.orchestrator.workers.pool import Workers
from nagomi_tui.sessions.session import LOCAL, Condition, Session, State
from nagomi_tui.text.words import Said, translatable
from nagomi_worker.pty.command import SESSION_MARK
from nagomi_worker.wire import protocol
from nagomi_worker.wire.messages import SessionState

_log = logging.getLogger(__name__)
_REBUILD_SECONDS: Final = 20.0
_PAUSE_SECONDS: Final = 2.0
_PARTED: Final = (State.LOST, State.SAVED)


@dataclass(eq=False)
class Adoption:
    """Asks workers what they hold, at the start and whenever one is found again; sorts out the rest.

    It owns the workers on hands: a broken line ends no session there.

    `is_shown` tells whether a front end shows a session; these are rebuilt first.

    `fit` gives a session the size that its views have.
    """

    sessions: SessionTable
    feeder: Feeder
    _: KW_ONLY
    judges: Judges
    audience: Audience
    alarms: Alarms
    lifetime: Lifetime
    is_shown: Callable[[SessionRuntime], bool]
    fit: Callable[[SessionRuntime], object]

    def __post_init__(self) -> None:
        self._missing: list[SessionRuntime] = []
        """Sessions whose processes live, in workers that were not found yet."""

    def recall(self, records: list[Record], suspect: Suspect | None) -> None:
        """List the sessions of the records; whether they live is seen when workers are found.

        `suspect` names the session whose terminal engine has crashed or hung, or is None.
        """
        for record in records:
            session = from_record(record)
            if session.info.is_local:
                session.branch = Branch(session.info.here, session.info.branch)
            if suspect and suspect.session_id == session.session_id:
                session.run.distrusted = True
                session.run.snapshot_distrusted = suspect.restoring
                sentence = translatable(
                    "The terminal of {name} had a fault; it is drawn more carefully now, and slower."
                )
                self.audience.tell("info", sentence, name=session.info.name)
            self.sessions.add(session)

    async def run(self, workers: Workers) -> None:
        """Take over the sessions of all workers, then look for unreachable workers for ever."""
        await self.join(workers)
        while True:
            await next_pulse(REACH_SECONDS)
            try:
                await workers.search()
            except OSError as exc:
                _log.warning("workers could not be looked for: %s", exc)
            self.look_again()

    async def join(self, workers: Workers) -> None:
        """Take over the sessions of all workers; the others are sorted out as orphans."""
        held: list[tuple[WorkerLink, list[SessionRuntime]]] = []
        async with anyio.create_task_group() as tasks:
            for link in workers.links:
                tasks.start_soon(self._list, link, held)
        self.sort_out()
        self.lifetime.sessions_adopted.set()
        async with anyio.create_task_group() as tasks:
            for link, sessions in held:
                tasks.start_soon(self._rebuild, link, sessions)

    async def take_over(self, link: WorkerLink) -> bool:
        """Take over the sessions of one worker; tell whether it has said which it holds."""
        held: list[tuple[WorkerLink, list[SessionRuntime]]] = []
        await self._list(link, held)
        for _, sessions in held:
            await self._rebuild(link, sessions)
        return bool(held)

    async def _list(
        self, link: WorkerLink, held: list[tuple[WorkerLink, list[SessionRuntime]]]
    ) -> None:
        """Join the sessions of a worker: shown and quiet ones first, since they are quick to rebuild."""
        try:
            told = await link.list_sessions()
        except TimeoutError:
            _log.warning("worker %s does not tell what it holds", link.name)
            return
        states = [state for state in told if self._may_be_of(link, state.session_id)]
        states.sort(key=lambda state: self._eagerness(self.sessions.get(state.session_id)))
        link.sessions = {state.session_id for state in states}
        joined = []
        for state in states:
            session = self.sessions.held(state)
            if link.worker_id != LOCAL:
                session.branch = None
            self.join_one(session, link, state)
            joined.append(session)
        held.append((link, joined))

    def _may_be_of(self, link: WorkerLink, session_id: str) -> bool:
        """Return whether a worker may hold a session: one elsewhere could name any of ours."""
        session = self.sessions.get(session_id)
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
        busy = session.running and session.info.phase is Condition.RUNNING
        return (not self.is_shown(session), busy, -(session.info.last_input_at or 0.0))

    def join_one(self, session: SessionRuntime, link: WorkerLink, state: SessionState) -> None:
        """Set the session to the state that its worker tells.

        It has no screen yet, unless the worker can go on where the line has broken.
        """
        self.judges.traces.end(session)
        run = session.run
        if run.screen is not None and not _goes_on(session, link, state):
            run.drop_screen()
        run.drop_backlog()
        run.link, run.worker = link, link.name
        run.output_at = session.info.last_output_at or 0.0
        ended = state.exit_code is not None
        session.change(
            state=State.EXITED if ended else State.RUNNING,
            pid=None if ended or link.worker_id != LOCAL else state.pid,
            worker_id=link.worker_id,
            away_since=None,
            exit_code=state.exit_code,
            signal=state.signal,
            cols=state.cols,
            rows=state.rows,
        )
        if _is_whole(session.info, state.cmd):
            session.change(cmd=state.cmd, cmd_masked=False)
        if ended:
            session.change(ended_at=session.info.ended_at or time.time())
            run.ended.set()
        run.settled.set()
        run.inputs.taken(state.typed)
        run.inputs.parts.extend(part for part in state.parts if part not in run.inputs.parts)
        for order in run.inputs.unsure:
            link.send(order)
        self.judges.phases.update(session)
        self.audience.publish(session)

    # --- screens

    async def _rebuild(self, link: WorkerLink, sessions: list[SessionRuntime]) -> None:
        """Attach the sessions of a worker, one after the other.

        Output of rebuilt sessions waits until all are rebuilt, for 2 s at most.
        """
        with ExitStack() as stack:
            self.alarms.after(_PAUSE_SECONDS, (link, "pause"), stack.close)
            for session in sessions:
                await self._rebuild_one(link, session)
                stack.enter_context(self.feeder.paused(session))
        self.alarms.cancel((link, "pause"))

    async def _rebuild_one(self, link: WorkerLink, session: SessionRuntime) -> None:
        run = session.run
        if run.rebuilt.is_set():
            run.rebuilt = anyio.Event()
        offset = run.offset if run.screen is not None and link.resumes else None
        link.send(protocol.Attach(session_id=session.session_id, offset=offset))
        with anyio.move_on_after(_REBUILD_SECONDS):
            await session.run.rebuilt.wait()

    # --- workers that were lost

    async def found_again(self, link: WorkerLink) -> None:
        """Take over a worker's sessions again, after its connection had broken."""
        for session in self.sessions.all:
            if session.run.worker == link.name and session.run.link is not None:
                session.run.link = link
        await self.take_over(link)

    def wants(self, worker: str) -> bool:
        """Return whether a session is known that this worker may hold."""
        return any(
            session.run.worker == worker and session.info.state not in _PARTED
            for session in self.sessions.all
        )

    async def reached(self, link: WorkerLink) -> bool:
        """Take over what a worker holds; tell whether it has said that.

        What it does not hold any more is lost: it was ended, or its host was.
        """
        if not await self.take_over(link):
            return False
        self._part(link.name, held=link.sessions, lost=True)
        for session in self.sessions.all:
            if session.run.link is link:
                self.fit(session)
        return True

    def away(self, link: WorkerLink) -> None:
        """Leave the sessions as they are, with their last picture; nothing of them rings."""
        for session in self.sessions.all:
            run = session.run
            if run.link is link:
                run.link, run.replay = None, None
                run.drop_backlog()  # the worker says it again, since it was not acknowledged
                self.judges.drop(session)
                self._leave_away(session)

    def renamed(self, worker: str, name: str) -> None:
        """Have the sessions of a hand go by its name."""
        for session in self.sessions.all:
            if session.run.worker == worker and session.change(worker_id=name):
                self.audience.publish(session)

    def forgotten(self, known: Collection[str]) -> None:
        """Lay aside the sessions of hands that the user does not keep any more."""
        workers = {one.run.worker for one in self.sessions.all if not one.info.is_local}
        for worker in workers - {"", *known}:
            self._part(worker, held=(), lost=False)

    # --- sessions that no worker holds

    def sort_out(self) -> None:
        """Sort out the sessions that no worker holds, once all workers have told theirs."""
        for session in self.sessions.all:
            if session.run.link is not None:
                continue
            if session.run.worker and not session.info.is_local:
                self._leave_away(session)
            elif not self._is_missed(session):
                self._lay_aside(session)

    def _leave_away(self, session: SessionRuntime) -> None:
        """Leave a session as it is, which a worker on a hand holds that cannot be reached now."""
        if session.running:
            session.change(away_since=session.info.away_since or time.time())
        session.run.rebuilt.set()
        self.audience.publish(session)
        session.wake_watchers()

    def _part(self, worker: str, *, held: Collection[str], lost: bool) -> None:
        """Part the sessions from a worker that holds only those of the ids in `held`.

        The others are `lost`, or laid aside.
        """
        gone = [
            session for session in self.sessions.all
            if session.run.worker == worker and session.session_id not in held
        ]  # fmt: skip
        for session in gone:
            (self._give_up if lost else self._lay_aside)(session)
        names = ", ".join(one.info.name for one in gone if one.info.state is State.LOST)
        if names:
            sentence = translatable("The worker of {names} was ended, or its host; they are lost.")
            self.audience.tell("error", sentence, names=names)

    def look_again(self) -> None:
        """Lay aside missing sessions whose processes have ended meanwhile."""
        missing, self._missing = self._missing, []
        for session in missing:
            if session.run.link is None and lives(session.info):
                self._missing.append(session)
            elif session.run.link is None:
                self._lay_aside(session)

    def lose(self, link: WorkerLink) -> None:
        """Mark the sessions of a dead worker as lost, but those that it has ended itself."""
        held = [session for session in self.sessions.all if session.run.link is link]
        for session in held:
            self._give_up(session)
        if names := ", ".join(
            session.info.name for session in held
            if session.info.state is State.LOST or session.run.ended_with_worker
        ):  # fmt: skip
            self.audience.tell(
                "error",
                translatable("A worker has stopped; these were in it: {names}."),
                names=names,
            )

    def _is_missed(self, session: SessionRuntime) -> bool:
        """Return whether the session runs in a worker that cannot be reached, and is left as it is."""
        if not (session.running and lives(session.info)):
            return False
        session.run.rebuilt.set()
        self._missing.append(session)
        sentence = translatable(
            "The worker of {name} cannot be reached; nagomi goes on looking for it."
        )
        self.audience.tell("error", sentence, name=session.info.name)
        return True

    def _lay_aside(self, session: SessionRuntime) -> None:
        """Mark the session as known from its record only, as after a reboot."""
        run = session.run
        saved = session.record().saved()
        session.info, run.worker = saved.session, ""
        run.rebuilt.set()
        run.ended.set()
        self.judges.phases.update(session)
        self.audience.publish(session)

    def _give_up(self, session: SessionRuntime) -> None:
        run = session.run
        run.link, run.worker, run.replay = None, "", None
        run.rebuilt.set()
        if session.info.state is State.EXITED:
            return
        session.change(state=State.LOST, pid=None, away_since=None, ended_at=time.time())
        run.start_fault = run.start_fault or Said(translatable("The worker has stopped."), {})
        run.settled.set()
        run.ended.set()
        self.judges.phases.update(session)
        self.audience.publish(session)
        session.wake_watchers()


def _goes_on(session: SessionRuntime, link: WorkerLink, state: SessionState) -> bool:
    """Return whether the output may go on in the screen that the session has."""
    run = session.run
    return link.resumes and run.worker == link.name and 0 < run.offset <= state.next_offset


def _is_whole(recorded: Session, cmd: str) -> bool:
    """Return whether the worker's command is the unmasked form of the one in the record.

    It may also be another command, by which an agent has resumed its conversation.
    """
    return bool(cmd) and (not recorded.cmd or (recorded.cmd_masked and mask(cmd) == recorded.cmd))


_APART_SECONDS: Final = 5.0
"""Seconds by which the system's clock may have been changed since the start."""


def lives(session: Session) -> bool:
    """Return whether a session's process lives under a worker; its pid may have been reused."""
    if session.pid is None:
        return False
    import psutil

    try:
        process = psutil.Process(session.pid)
        return _is_held(process) and _is_of(process, session)
    except psutil.Error:
        return False
    except OSError:  # it cannot be looked at now, so nothing is to take its place
        return True


def _is_held(process: psutil.Process) -> bool:
    """Return whether the process runs under a worker, and was not adopted by another process."""
    if process.status() == "zombie":
        return False
    worker = process.parent()
    return worker is not None and any("nagomi_worker" in word for word in worker.cmdline())


def _is_of(process: psutil.Process, session: Session) -> bool:
    began = abs(process.create_time() - (session.started_at or 0.0)) < _APART_SECONDS
    return began or process.environ().get(SESSION_MARK) == session.session_id
