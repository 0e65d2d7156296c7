"""Requests that type into a session, wait for it, and read what it has printed."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, ClassVar

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.sessions import reading, waiting
from nagomi_tui.orchestrator.sessions.naming import naming

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.guard.gate import InputGate
    from nagomi_tui.orchestrator.input.sender import InputSender
    from nagomi_tui.orchestrator.input.sending import Sending
    from nagomi_tui.orchestrator.output.feeder import Feeder
    from nagomi_tui.orchestrator.server.handlers.table import Asker, Handlers
    from nagomi_tui.orchestrator.sessions.finder import SessionFinder


class TalkRequests:
    """Handles requests that type into sessions, wait for them, and read them."""

    def __init__(
        self,
        finder: SessionFinder,
        *,
        sending: Sending,
        sender: InputSender,
        feeder: Feeder,
        gate: InputGate,
    ) -> None:
        self._finder = finder
        self._sending = sending
        self._sender = sender
        self._feeder = feeder
        self._gate = gate

    async def send(self, client: Asker, request: messages.Send) -> messages.Sent:
        """Type a text, and see whether it was taken."""
        session = await self._finder.find_typable(request.session)
        whole = request.enter and not request.force
        await self._gate.check_text(client, session, request.text, whole=whole)
        return await self._sending.send(
            client.requester, session, request.text,
            enter=request.enter, force=request.force, once=request.once,
        )  # fmt: skip

    async def keys(self, client: Asker, request: messages.Keys) -> messages.SessionNamed:
        """Press keys by their names."""
        session = await self._finder.find_typable(request.session)
        await self._gate.check_keys(client, session)
        self._sender.press_named(client.requester, session, request.keys)
        return messages.SessionNamed(**naming(session))

    async def wait(self, client: Asker, request: messages.Wait) -> messages.Waited:
        """Wait for the session's end, its silence, or a line."""
        session = await self._finder.find(request.session)
        return await waiting.wait(
            session,
            request.until,
            pattern=request.pattern,
            silence=request.silence,
            timeout=request.timeout,
        )

    async def capture(self, client: Asker, request: messages.Capture) -> messages.Captured:
        """Return the session's text."""
        session = await self._finder.find_readable(request.session)
        whole = self._feeder.whole(session) if request.history else nullcontext()
        paused = self._feeder.paused(session)
        async with whole:
            text = await reading.capture(
                session, paused, history=request.history, colored=request.ansi
            )
        return messages.Captured(**naming(session), text=text)

    async def search(self, client: Asker, request: messages.Search) -> messages.Matches:
        """Return where a text stands in the session's lines."""
        session = await self._finder.find_readable(request.session)
        async with self._feeder.whole(session):
            paused = self._feeder.paused(session)
            found = await reading.search(session, paused, request.text, request.limit)
        return messages.Matches(matches=tuple(found))

    async def lines(self, client: Asker, request: messages.Lines) -> messages.LineRows:
        """Return some lines by their numbers."""
        session = await self._finder.find_readable(request.session)
        return await reading.lines(session, request.start, request.stop)

    HANDLERS: ClassVar[Handlers] = {
        messages.Send: send,
        messages.Keys: keys,
        messages.Wait: wait,
        messages.Capture: capture,
        messages.Search: search,
        messages.Lines: lines,
    }
