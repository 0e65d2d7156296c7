"""Requests about the stored history of all sessions."""

from __future__ import annotations

import sqlite3
from functools import partial
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, ClassVar, Final

from nagomi_tui import deadline_thread, paths
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.history.searching import Query, known, meant, opened, search
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.history.searching import Found
    from nagomi_tui.orchestrator.server.handlers.table import Asker, Handlers
    from nagomi_tui.orchestrator.sessions.finder import SessionFinder

_SECONDS: Final = 20.0
_AT_ONCE: Final = 2
_LIMIT: Final = 10_000


class HistoryRequests:
    """Searches the stored lines in threads, since searching a long history takes seconds."""

    def __init__(self, finder: SessionFinder) -> None:
        self._finder = finder
        self._slots = BoundedSemaphore(_AT_ONCE)

    async def search(self, client: Asker, request: messages.SearchHistory) -> messages.StoredLines:
        """Return the newest matching lines, the oldest of them first.

        Raises:
            Refusal: no session is meant, the limit is out of range, or the history cannot be read.
        """
        if not 1 <= request.limit <= _LIMIT:
            sentence = translatable("`limit` is from 1 to {most}.")
            raise Refusal("bad_request", sentence, most=_LIMIT)
        listed = await self._listed(request.session)
        try:
            found = await deadline_thread.run(
                partial(_search, request, listed), seconds=_SECONDS, slots=self._slots
            )
        except TimeoutError as exc:
            sentence = translatable("The history is being searched already; try again in a moment.")
            raise Refusal("busy", sentence) from exc
        except (sqlite3.Error, OSError) as exc:
            sentence = translatable("the history cannot be read: {reason}.")
            raise Refusal("refused", sentence, reason=exc) from exc
        return messages.StoredLines(
            lines=tuple(messages.StoredLine(**line._asdict()) for line in found)
        )

    async def _listed(self, text: str) -> tuple[str, ...]:
        """Return the id of the session that is meant, if it is on the list."""
        if not text:
            return ()
        try:
            return ((await self._finder.find(text)).session_id,)
        except Refusal as exc:
            if exc.code != "not_found":
                raise
        return ()

    HANDLERS: ClassVar[Handlers] = {messages.SearchHistory: search}


def _search(request: messages.SearchHistory, sessions: tuple[str, ...]) -> list[Found]:
    try:
        with opened(paths.history_file()) as connection:
            if request.session and not sessions:
                sessions = meant(known(connection), request.session)
            if request.session and not sessions:
                raise _nothing(request.session)
            query = Query(request.text, sessions, request.since, limit=request.limit)
            return search(connection, query)
    except FileNotFoundError as exc:
        if request.session and not sessions:
            raise _nothing(request.session) from exc
        return []


def _nothing(text: str) -> Refusal:
    sentence = translatable("of a session `{text}` nothing is stored.")
    return Refusal("not_found", sentence, text=text)
