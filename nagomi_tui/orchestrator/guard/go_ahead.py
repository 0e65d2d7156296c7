"""Tells an agent that its todos are approved: types it into its prompt, where nothing is in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.orchestrator.runtime.refusal import Refusal

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.input.asking import Asking
    from nagomi_tui.orchestrator.input.sending import Sending
    from nagomi_tui.orchestrator.runtime.requester import Requester
    from nagomi_tui.orchestrator.sessions.roles import Typable


class GoAhead:
    """Types for the user what they would have to write after each approval."""

    def __init__(self, sending: Sending, asking: Asking) -> None:
        self._sending = sending
        self._asking = asking

    async def tell(self, who: Requester, session: Typable, text: str) -> bool:
        """Type a text into the input of the agent in front; tell whether it was taken."""
        if not session.running:
            return False
        found = await self._asking.look(session)
        rules = self._asking.manifest_of(session)
        if rules is None or rules.kind != "agent" or found.draft != "":
            return False
        try:
            sent = await self._sending.send(who, session, text)
        except Refusal:
            return False
        return sent.taken is not False
