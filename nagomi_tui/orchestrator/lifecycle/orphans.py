"""Sessions that no worker holds, or none that can be reached: lost, ended unseen, or missing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from nagomi_tui.core.session.session import State
from nagomi_tui.orchestrator.lifecycle import command_presence
from nagomi_tui.words import Said, translatable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.roles import Listed, Managed
    from nagomi_tui.orchestrator.workers.link import WorkerLink


class Sessions(Protocol):
    """The list of sessions, as far as it is searched for orphans."""

    @property
    def all(self) -> tuple[Managed, ...]:
        """All sessions in their order."""


class Orphans:
    """Sets the state of sessions without a worker, and checks those again that may come back."""

    def __init__(
        self,
        sessions: Sessions,
        phases: Phases,
        publish: Callable[[Listed], object],
        tell: Tell,
    ) -> None:
        self._sessions = sessions
        self._phases = phases
        self._publish = publish
        self._tell = tell
        self._missing: list[Managed] = []
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

    def leave_away(self, session: Managed) -> None:
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
            if session.run.link is None and command_presence.lives(session.info):
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

    def _is_missed(self, session: Managed) -> bool:
        """Return whether the session runs in a worker that cannot be reached, and is left as it is."""
        if not (session.running and command_presence.lives(session.info)):
            return False
        session.run.rebuilt.set()
        self._missing.append(session)
        sentence = translatable(
            "The worker of {name} cannot be reached; nagomi goes on looking for it."
        )
        self._tell("error", sentence, name=session.info.name)
        return True

    def _lay_aside(self, session: Managed) -> None:
        """Mark the session as known from its record only, as after a reboot."""
        run = session.run
        saved = session.record().saved()
        session.info, run.worker = saved.session, ""
        run.rebuilt.set()
        run.ended.set()
        self._phases.update(session)
        self._publish(session)

    def _give_up(self, session: Managed) -> None:
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
