"""Finds the session that a client means, as soon as it is known which sessions there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.session.waiting import next_in_need
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nagomi_tui.core.session.session import Session
    from nagomi_tui.orchestrator.runtime.lifetime import Lifetime
    from nagomi_tui.orchestrator.sessions.roles import Managed
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.sessions.table import SessionTable


class SessionFinder:
    """Waits until workers have told which sessions live, and finds one by name, number or id."""

    def __init__(
        self,
        sessions: SessionTable,
        lifetime: Lifetime,
        load: Callable[[Managed], Awaitable[None]],
    ) -> None:
        """`load` returns once a session has its last lines, where nothing else is left of it."""
        self._sessions = sessions
        self._lifetime = lifetime
        self._load = load

    async def all_known(self) -> None:
        """Return as soon as it is known which sessions live."""
        await self._lifetime.sessions_adopted.wait()

    async def find(self, text: str) -> SessionRuntime:
        """Return the session that is meant by a number, name, id or unique prefix.

        Raises:
            Refusal: none or several could be meant.
        """
        await self.all_known()
        return self._sessions.meant(text)

    def every(self) -> tuple[Session, ...]:
        """Return all sessions in their order."""
        return self._sessions.infos

    def next_in_need(self) -> Session | None:
        """Return the session that has waited longest for the user, or None."""
        return next_in_need(self._sessions.infos)

    async def find_typable(self, text: str) -> SessionRuntime:
        """Return the session that is meant if something can be typed into it.

        Raises:
            Refusal: none or several could be meant, or it has ended.
        """
        session = await self.find(text)
        if not session.running:
            sentence = translatable("{name} has ended; nothing can be typed into it.")
            raise Refusal("refused", sentence, name=session.info.name)
        return session

    async def find_readable(self, text: str) -> SessionRuntime:
        """Return the session that is meant as soon as all is there that can be read of it.

        Raises:
            Refusal: none or several could be meant.
        """
        session = await self.find(text)
        await self._load(session)
        return session
