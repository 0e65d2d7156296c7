"""Requests by which the user looks at the guard of sessions, and steers it."""

from __future__ import annotations

from typing import Final

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.guard.guards import Guards
from nagomi_tui.orchestrator.guard.unapproved import as_text
from nagomi_tui.orchestrator.history.reviews import read
from nagomi_tui.orchestrator.input.sender import InputSender
from nagomi_tui.orchestrator.input.sending import Sending
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.server.dispatch import Asker, Group
from nagomi_tui.orchestrator.sessions.table import SessionTable, naming
from nagomi_tui.text.words import translatable

_ONLY_YOU: Final = translatable(
    "Only you can undo a change, and it cannot be proved that you have asked for this from outside "
    "of every session. Do it in nagomi itself, or in a terminal of its own."
)


class GuardRequests(Group):
    """Shows what agents propose, and lowers at once; only the user's own request elevates."""

    def __init__(self, sessions: SessionTable, guards: Guards, sender: InputSender) -> None:
        self._sessions, self._guards, self._sending = sessions, guards, Sending(sender)

    async def show(self, client: Asker, request: messages.GuardShow) -> messages.GuardShown:
        """Say how the guard of a session stands, and what can be approved."""
        session = await self._sessions.find(request.session)
        return await self._guards.show(session, client.requester.words)

    async def diff(self, client: Asker, request: messages.GuardDiff) -> messages.GuardDiffed:
        """Say what has changed in its project."""
        session = await self._sessions.find(request.session)
        project = await self._guards.project(session)
        try:
            found = (await read(project.root, since="uncommitted")).shown
        except Refusal as exc:
            fault = exc.in_language(client.requester.words)
            return messages.GuardDiffed(**naming(session), lines=(), left_out=0, fault=fault)
        return messages.GuardDiffed(
            **naming(session), lines=found.lines, left_out=found.left_out, fault=""
        )

    async def approve(
        self, client: Asker, request: messages.GuardApprove
    ) -> messages.GuardApproved:
        """Let the agent write what its user approves, once it is proved who that is."""
        await self._guards.gate.check(client)
        session = await self._sessions.find(request.session)
        text = await self._guards.approve(session, request.todos)
        told = request.tell and await self._sending.tell_agent(client.requester, session, text)
        return messages.GuardApproved(**naming(session), todos=request.todos, told=told)

    async def discuss(self, client: Asker, request: messages.GuardDiscuss) -> messages.Nothing:
        """Go back to discussion."""
        await self._guards.discuss(await self._sessions.find(request.session))
        return messages.Nothing()

    async def stop(self, client: Asker, request: messages.GuardStop) -> messages.GuardStopped:
        """Stop one session's agent, or all."""
        if request.session:
            session = await self._sessions.find(request.session)
            await self._guards.stop(session)
            return messages.GuardStopped(sessions=(session.info.name,), faults=())
        await self._sessions.all_known()
        names, faults = await self._guards.stop_all()
        words = client.requester.words
        return messages.GuardStopped(
            sessions=names, faults=tuple(fault.in_language(words) for fault in faults)
        )

    async def noticed(
        self, client: Asker, request: messages.GuardNoticed
    ) -> messages.GuardUnapproved:
        """Say what has changed in its project in discussion."""
        session = await self._sessions.find(request.session)
        await self._guards.project(session)
        found = self._guards.unapproved.noticed(session)
        shown = await self._guards.unapproved.diff(session)
        return messages.GuardUnapproved(
            **naming(session),
            change=found.change.after if found else "",
            paths=as_text(found.change.paths) if found else (),
            lines=shown.lines,
            left_out=shown.left_out,
        )

    async def undo(self, client: Asker, request: messages.GuardUndo) -> messages.GuardUndone:
        """Put back what has changed in discussion, once it is proved that the user asks for it."""
        if not await self._guards.gate.proves(client):
            raise Refusal("refused", _ONLY_YOU)
        session = await self._sessions.find(request.session)
        undone = await self._guards.unapproved.undo(session, request.change)
        return messages.GuardUndone(
            **naming(session), paths=as_text(undone.paths), left=as_text(undone.left)
        )
