"""Follows the branches of the sessions' folders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.orchestrator.runtime.pulse import next_pulse

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.sessions.roles import Listed, Named
    from nagomi_tui.orchestrator.sessions.table import SessionTable

BRANCH_SECONDS: Final = 5.0


class BranchWatch:
    """Looks at git's files of all sessions once, then of those that are shown."""

    def __init__(
        self,
        sessions: SessionTable,
        publish: Callable[[Listed], None],
        is_shown: Callable[[Named], bool],
    ) -> None:
        self._is_shown = is_shown
        self._sessions = sessions
        self._publish = publish

    async def run(self) -> None:
        """Look for ever."""
        await self._look(hidden=True)
        while True:
            await next_pulse(BRANCH_SECONDS)
            await self._look(hidden=False)

    async def _look(self, *, hidden: bool) -> None:
        for session in self._sessions.all:
            if not (hidden or self._is_shown(session)):
                continue
            if session.branch is not None and await session.branch.look():
                session.change(branch=session.branch.name)
                self._publish(session)
