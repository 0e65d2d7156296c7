"""Takes ended sessions off the list, and their history where the user wants that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nagomi_tui.orchestrator.lifecycle.launcher import leave_worker
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.sessions.roles import Managed


class KeptHistory(Protocol):
    """The history of sessions, as far as removing one concerns it."""

    async def settle(self, session: Managed) -> None:
        """Write down all lines of the session that there are."""

    async def forget(self, session: Managed) -> bool:
        """Delete all lines of the session; tell whether that could be done."""


class Forgetful(Protocol):
    """A part that holds something of each session."""

    def forget(self, session: Managed) -> None:
        """Drop all that is held of a session: it is about to leave the list."""


class Table(Protocol):
    """The list of sessions, as far as leaving it needs that."""

    def remove(self, session: Managed) -> None:
        """Take a session off the list."""


class Removing:
    """Removes sessions, and has all parts forget them."""

    def __init__(
        self, sessions: Table, transcripts: KeptHistory, *, showing: Forgetful, judges: Forgetful
    ) -> None:
        self._sessions = sessions
        self._transcripts = transcripts
        self._showing = showing
        self._judges = judges

    async def remove(self, session: Managed, *, history: bool = False) -> None:
        """Take an ended session off the list, with what it printed if `history`.

        Raises:
            Refusal: it still runs, its hand is away, or its history cannot be deleted now.
        """
        if session.running:
            raise Refusal(
                "refused", translatable("{name} still runs; stop it first."), name=session.info.name
            )
        if session.run.worker and session.run.link is None and not session.info.is_local:
            # Its worker would list it again.
            sentence = translatable(
                "{worker} cannot be reached; remove {name} when it is back, or remove the hand."
            )
            values = {"worker": session.info.worker_id, "name": session.info.name}
            raise Refusal("refused", sentence, **values)
        if not history:
            await self._transcripts.settle(session)
        elif not await self._transcripts.forget(session):
            sentence = translatable("The history of {name} cannot be removed now.")
            raise Refusal("internal", sentence, name=session.info.name)
        leave_worker(session)
        self._showing.forget(session)
        if session.run.screen:
            session.run.screen.close()
            session.run.screen = None
        self._judges.forget(session)
        self._sessions.remove(session)
