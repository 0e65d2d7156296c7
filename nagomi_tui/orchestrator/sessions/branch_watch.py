"""Follows the branches of the sessions' folders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.orchestrator.runtime.pulse import next_pulse

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.sessions.publisher import Publisher
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.sessions.table import SessionTable

BRANCH_SECONDS: Final = 5.0


class BranchWatch:
    """Looks at git's files of all sessions once, then of those that are shown."""

    def __init__(
        self,
        sessions: SessionTable,
        publisher: Publisher,
        is_shown: Callable[[SessionRuntime], bool],
    ) -> None:
        self._is_shown = is_shown
        self._sessions = sessions
        self._publisher = publisher

    async def run(self) -> None:
        """Look for ever."""
        for session in self._sessions.all:
            await self._look(session)
        while True:
            await next_pulse(BRANCH_SECONDS)
            for session in self._sessions.all:
                if self._is_shown(session):
                    await self._look(session)

    async def _look(self, session: SessionRuntime) -> None:
        if session.branch is not None and await session.branch.look():
            session.change(branch=session.branch.name)
            self._publisher.publish(session)
