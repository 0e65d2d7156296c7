"""Follows the branches of the sessions' folders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.orchestrator.runtime.pulse import next_pulse

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.sessions.live import Live
    from nagomi_tui.orchestrator.sessions.publisher import Publisher
    from nagomi_tui.orchestrator.sessions.table import SessionTable

BRANCH_SECONDS: Final = 5.0


class BranchWatch:
    """Looks at git's files of all sessions once, then of those that are shown."""

    def __init__(
        self, sessions: SessionTable, publisher: Publisher, is_shown: Callable[[Live], bool]
    ) -> None:
        self._is_shown = is_shown
        self._sessions = sessions
        self._publisher = publisher

    async def run(self) -> None:
        """Look for ever."""
        for live in self._sessions.lives:
            await self._look(live)
        while True:
            await next_pulse(BRANCH_SECONDS)
            for live in self._sessions.lives:
                if self._is_shown(live):
                    await self._look(live)

    async def _look(self, live: Live) -> None:
        if live.branch is not None and await live.branch.look():
            live.change(branch=live.branch.name)
            self._publisher.publish(live)
