"""Handles requests to type into sessions, to wait for them, and to read what they printed."""

from __future__ import annotations

import sqlite3
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass
from functools import partial
from threading import BoundedSemaphore
from typing import Final

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.guard.gate import InputGate
from nagomi_tui.orchestrator.history import searching
from nagomi_tui.orchestrator.input.sender import InputSender
from nagomi_tui.orchestrator.input.sending import Sending
from nagomi_tui.orchestrator.output.feeder import Feeder
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.server.dispatch import Asker, Group
from nagomi_tui.orchestrator.sessions import reading, waiting
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.table import SessionTable, naming
from nagomi_tui.system import deadlines, paths
from nagomi_tui.text.words import translatable

_SECONDS: Final = 20.0
_AT_ONCE: Final = 2
_LIMIT: Final = 10_000


@dataclass(eq=False)
class TalkRequests(Group):
    """Handles requests that type into sessions, wait for them, and read them.

    A long history is searched in threads, since that takes seconds.
    """

    sessions: SessionTable
    _: KW_ONLY
    sender: InputSender
    feeder: Feeder
    gate: InputGate
    last_lines: searching.LastLines

    def __post_init__(self) -> None:
        self._slots = BoundedSemaphore(_AT_ONCE)
        self._sending = Sending(self.sender)

    async def send(self, client: Asker, request: messages.Send) -> messages.Sent:
        """Type a text, and see whether it was taken."""
        session = await self.sessions.find_typable(request.session)
        whole = request.enter and not request.force
        await self.gate.check_text(client, session, request.text, whole=whole)
        return await self._sending.send(
            client.requester, session, request.text,
            enter=request.enter, force=request.force, once=request.once,
        )  # fmt: skip

    async def keys(self, client: Asker, request: messages.Keys) -> messages.SessionNamed:
        """Press keys by their names."""
        session = await self.sessions.find_typable(request.session)
        await self.gate.check_keys(client, session)
        self.sender.press_named(client.requester, session, request.keys)
        return messages.SessionNamed(**naming(session))

    async def wait(self, client: Asker, request: messages.Wait) -> messages.Waited:
        """Wait for the session's end, its silence, or a line."""
        session = await self.sessions.find(request.session)
        return await waiting.wait(session, request)

    async def capture(self, client: Asker, request: messages.Capture) -> messages.Captured:
        """Return the session's text."""
        session = await self._readable(request.session)
        whole = self.feeder.whole(session) if request.history else nullcontext()
        paused = self.feeder.paused(session)
        async with whole:
            text = await reading.capture(
                session, paused, history=request.history, colored=request.ansi
            )
        return messages.Captured(**naming(session), text=text)

    async def search(self, client: Asker, request: messages.Search) -> messages.Matches:
        """Return where a text stands in the session's lines."""
        session = await self._readable(request.session)
        async with self.feeder.whole(session):
            paused = self.feeder.paused(session)
            return await reading.search(session, paused, request.text, request.limit)

    async def lines(self, client: Asker, request: messages.Lines) -> messages.LineRows:
        """Return some lines by their numbers."""
        session = await self._readable(request.session)
        return await reading.lines(session, request.start, request.stop)

    async def _readable(self, text: str) -> SessionRuntime:
        """Return the session that is meant as soon as all is there that can be read of it."""
        session = await self.sessions.find(text)
        await self.last_lines.load(session)
        return session

    async def search_history(
        self, client: Asker, request: messages.SearchHistory
    ) -> messages.StoredLines:
        """Return the newest matching lines, the oldest of them first.

        Raises:
            Refusal: no session is meant, the limit is out of range, or the history cannot be read.
        """
        if not 1 <= request.limit <= _LIMIT:
            raise Refusal("bad_request", "`limit` is from 1 to {most}.", most=_LIMIT)
        listed = await self._listed(request.session)
        try:
            found = await deadlines.run(
                partial(_search, request, listed), seconds=_SECONDS, slots=self._slots
            )
        except TimeoutError as exc:
            sentence = translatable("The history is being searched already; try again in a moment.")
            raise Refusal("busy", sentence) from exc
        except (sqlite3.Error, OSError) as exc:
            raise Refusal("refused", "the history cannot be read: {reason}.", reason=exc) from exc
        return messages.StoredLines(
            lines=tuple(messages.StoredLine(**line._asdict()) for line in found)
        )

    async def _listed(self, text: str) -> tuple[str, ...]:
        """Return the id of the session that is meant, if it is on the list."""
        if not text:
            return ()
        try:
            return ((await self.sessions.find(text)).session_id,)
        except Refusal as exc:
            if exc.code != "not_found":
                raise
        return ()


def _search(request: messages.SearchHistory, sessions: tuple[str, ...]) -> list[searching.Found]:
    try:
        with searching.opened(paths.history_file()) as connection:
            if request.session and not sessions:
                sessions = searching.meant(searching.known(connection), request.session)
            if request.session and not sessions:
                raise _nothing(request.session)
            query = searching.Query(request.text, sessions, request.since, limit=request.limit)
            return searching.search(connection, query)
    except FileNotFoundError as exc:
        if request.session and not sessions:
            raise _nothing(request.session) from exc
        return []


def _nothing(text: str) -> Refusal:
    return Refusal("not_found", "of a session `{text}` nothing is stored.", text=text)
