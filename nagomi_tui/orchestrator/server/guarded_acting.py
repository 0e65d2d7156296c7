"""Runs next steps for clients where no guard forbids it (X-19)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nagomi_tui.api.messages import Acted
    from nagomi_tui.orchestrator.guard.gate import InputGate
    from nagomi_tui.orchestrator.lifecycle.acting import Acting
    from nagomi_tui.orchestrator.server.handlers.table import Asker
    from nagomi_tui.orchestrator.sessions.roles import Typable


class GuardedActing:
    """Asks the gate first: beside a session in discussion only its user runs what writes."""

    def __init__(self, acting: Acting, gate: InputGate) -> None:
        self._acting = acting
        self._gate = gate

    async def act(
        self, client: Asker, session: Typable, command: str, *, sure: bool, anew: bool
    ) -> Acted:
        """Run a command at the session's prompt, or `anew` in a session in the same folder.

        Raises:
            Refusal: a guard forbids it, it is risky and the user is not `sure`, or a program is in front.
        """
        await self._gate.check_command(client, session, command)
        return await self._acting.act(client.requester, session, command, sure=sure, anew=anew)
