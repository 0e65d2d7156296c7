"""Handles lines to hands that break, and are there again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from nagomi_tui.core.session.session import State

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from nagomi_tui.orchestrator.sessions.roles import Judgeable, Listed, Managed
    from nagomi_tui.orchestrator.workers.link import WorkerLink

_PARTED: Final = (State.LOST, State.SAVED)


class Sessions(Protocol):
    """The list of sessions."""

    @property
    def all(self) -> tuple[Managed, ...]:
        """All sessions in their order."""


class Adopting(Protocol):
    """What finds the sessions of a worker again."""

    async def take_over(self, link: WorkerLink) -> bool:
        """Take over the sessions of one worker; tell whether it has said which it holds."""


class Parting(Protocol):
    """What sets the state of sessions whose worker cannot be reached."""

    def leave_away(self, session: Managed) -> None:
        """Leave a session as it is, whose worker may run on."""

    def part(self, worker: str, *, held: Collection[str], lost: bool) -> None:
        """Part all sessions from a worker but those of the ids in `held`."""


class Watching(Protocol):
    """The judges."""

    def drop(self, session: Judgeable) -> None:
        """Judge a session no more, until its terminal was rebuilt."""


class FarEvents:
    """The owner of the workers on hands: a broken line ends no session there."""

    def __init__(
        self,
        sessions: Sessions,
        adoption: Adopting,
        *,
        orphans: Parting,
        judges: Watching,
        publish: Callable[[Listed], object],
        fit: Callable[[Managed], object],
    ) -> None:
        """`fit` gives a session the size that its views have."""
        self._sessions = sessions
        self._adoption = adoption
        self._orphans = orphans
        self._judges = judges
        self._publish = publish
        self._fit = fit

    def wants(self, worker: str) -> bool:
        """Return whether a session is known that this worker may hold."""
        return any(
            session.run.worker == worker and session.info.state not in _PARTED
            for session in self._sessions.all
        )

    async def reached(self, link: WorkerLink) -> bool:
        """Take over what a worker holds; tell whether it has said that.

        What it does not hold any more is lost: it was ended, or its host was.
        """
        if not await self._adoption.take_over(link):
            return False
        self._orphans.part(link.name, held=link.sessions, lost=True)
        for session in self._sessions.all:
            if session.run.link is link:
                self._fit(session)
        return True

    def away(self, link: WorkerLink) -> None:
        """Leave the sessions as they are, with their last picture; nothing of them rings."""
        for session in self._sessions.all:
            run = session.run
            if run.link is link:
                run.link, run.replay = None, None
                run.drop_backlog()  # the worker says it again, since it was not acknowledged
                self._judges.drop(session)
                self._orphans.leave_away(session)

    def renamed(self, worker: str, name: str) -> None:
        """Have the sessions of a hand go by its name."""
        for session in self._sessions.all:
            if session.run.worker == worker and session.change(worker_id=name):
                self._publish(session)

    def forgotten(self, known: Collection[str]) -> None:
        """Lay aside the sessions of hands that the user does not keep any more."""
        workers = {one.run.worker for one in self._sessions.all if not one.info.is_local}
        for worker in workers - {"", *known}:
            self._orphans.part(worker, held=(), lost=False)
