"""Keeps the git branch of each session's folder up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.orchestrator.runtime.pulse import next_pulse

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.sessions.roles import Listed, Named
    from nagomi_tui.orchestrator.sessions.table import SessionTable

BRANCH_SECONDS: Final = 5.0


class BranchWatch:
    """Reads git's files for all sessions once, then for those that are shown."""

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
        """Check for ever, every 5 s."""
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
