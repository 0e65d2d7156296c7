"""The user's orders to change the mode, which come from the orchestrator."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from nagomi_tui.agent.resident.orchestrator_link import OrchestratorLink
    from nagomi_tui.agent.turns.library import Library
    from nagomi_tui.api.messages import AgentOrder

_log = logging.getLogger(__name__)


class ModeOrders:
    """Carries out the newest order; older ones that came during the one before are dropped."""

    def __init__(self) -> None:
        self._newest: AgentOrder | None = None
        self._came = anyio.Event()

    def take(self, order: AgentOrder) -> None:
        """Have it carried out soon."""
        self._newest = order
        self._came.set()

    async def run(self, library: Library, orchestrator: OrchestratorLink) -> None:
        """Carry out orders, for ever."""
        while True:
            await self._came.wait()
            self._came = anyio.Event()
            if (order := self._newest) is not None:
                try:
                    await _change(library, orchestrator, order)
                except Exception:
                    _log.exception("an order failed: %s", order)


async def _change(library: Library, orchestrator: OrchestratorLink, order: AgentOrder) -> None:
    """Change the mode, and tell the user which steps of that failed."""
    report = await library.change_mode(order.mode)
    if failed := [step.text for step in report.steps if not step.ok]:
        orchestrator.speak(" ".join(failed))
