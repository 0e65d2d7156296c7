"""Stops sessions: the whole process tree of each, or a refusal that says why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import anyio

from nagomi_tui.core.session.session import State
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.sessions.roles import Managed

STOP_SECONDS: Final = 30.0


class StopJudge(Protocol):
    """The judges, as far as they hear that a user stops a session."""

    def stopped(self, session: Managed) -> None:
        """The user ends a session: what it prints from now on is no failure."""


class Stopping:
    """Ends the commands of sessions, which stay on the list."""

    def __init__(self, judges: StopJudge, *, patience: float = STOP_SECONDS) -> None:
        """`patience` is how long, in seconds, an end is waited for."""
        self._judges = judges
        self._patience = patience

    async def stop(self, session: Managed) -> None:
        """End the session's whole process tree; return when nothing of it is left.

        Raises:
            Refusal: its worker cannot be reached, or it did not end in time.
        """
        if session.info.state is State.RUNNING and session.run.link is None:
            sentence = translatable(
                "The worker of {name} cannot be reached; nagomi goes on looking for it."
            )
            raise Refusal("refused", sentence, name=session.info.name)
        if not session.running or session.run.link is None:
            return
        session.run.stopped = True
        self._judges.stopped(session)
        session.run.link.send(protocol.StopSession(session_id=session.session_id))
        with anyio.move_on_after(self._patience):
            await session.run.ended.wait()
        if not session.run.ended.is_set():
            raise Refusal(
                "refused",
                translatable("{name} has not ended yet; it is still being stopped."),
                name=session.info.name,
            )
