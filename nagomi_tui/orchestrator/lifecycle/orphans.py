"""Sessions that no worker holds: whether they still live, and how they are shown."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.sessions.session import State
from nagomi_tui.text.words import Said, translatable
from nagomi_worker.pty.command import SESSION_MARK

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import psutil

    from nagomi_tui.orchestrator.judging.outcomes import Phases
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.sessions.table import SessionTable
    from nagomi_tui.orchestrator.workers.link import WorkerLink
    from nagomi_tui.sessions.session import Session

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


class Orphans:
    """Sets the state of sessions without a worker, and checks those again that may come back."""

    def __init__(
        self,
        sessions: SessionTable,
        phases: Phases,
        publish: Callable[[SessionRuntime], object],
        tell: Tell,
    ) -> None:
        self._sessions = sessions
        self._phases = phases
        self._publish = publish
        self._tell = tell
        self._missing: list[SessionRuntime] = []
        """Sessions whose processes live, in workers that were not found yet."""

    def sort_out(self) -> None:
        """Sort out the sessions that no worker holds, once all workers have told theirs."""
        for session in self._sessions.all:
            if session.run.link is not None:
                continue
            if session.run.worker and not session.info.is_local:
                self.leave_away(session)
            elif not self._is_missed(session):
                self._lay_aside(session)

    def leave_away(self, session: SessionRuntime) -> None:
        """Leave a session as it is, which a worker on a hand holds that cannot be reached now."""
        if session.running:
            session.change(away_since=session.info.away_since or time.time())
        session.run.rebuilt.set()
        self._publish(session)
        session.wake_watchers()

    def part(self, worker: str, *, held: Collection[str], lost: bool) -> None:
        """Part the sessions from a worker that holds only those of the ids in `held`.

        The others are `lost`, or laid aside.
        """
        gone = [
            session for session in self._sessions.all
            if session.run.worker == worker and session.session_id not in held
        ]  # fmt: skip
        for session in gone:
            (self._give_up if lost else self._lay_aside)(session)
        names = ", ".join(one.info.name for one in gone if one.info.state is State.LOST)
        if names:
            sentence = translatable("The worker of {names} was ended, or its host; they are lost.")
            self._tell("error", sentence, names=names)

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
        held = [session for session in self._sessions.all if session.run.link is link]
        for session in held:
            self._give_up(session)
        if names := ", ".join(
            session.info.name for session in held
            if session.info.state is State.LOST or session.run.ended_with_worker
        ):  # fmt: skip
            self._tell(
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
        self._tell("error", sentence, name=session.info.name)
        return True

    def _lay_aside(self, session: SessionRuntime) -> None:
        """Mark the session as known from its record only, as after a reboot."""
        run = session.run
        saved = session.record().saved()
        session.info, run.worker = saved.session, ""
        run.rebuilt.set()
        run.ended.set()
        self._phases.update(session)
        self._publish(session)

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
        self._phases.update(session)
        self._publish(session)
        session.wake_watchers()
