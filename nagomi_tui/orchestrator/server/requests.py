"""Answers the requests of clients."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nagomi_tui import paths
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.orchestrator.server.handlers.guard import GuardRequests
from nagomi_tui.orchestrator.server.handlers.hands import HandRequests
from nagomi_tui.orchestrator.server.handlers.history import HistoryRequests
from nagomi_tui.orchestrator.server.handlers.judge import JudgeRequests
from nagomi_tui.orchestrator.server.handlers.sessions import SessionRequests
from nagomi_tui.orchestrator.server.handlers.talk import TalkRequests
from nagomi_tui.orchestrator.server.handlers.workplace import WorkplaceRequests
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.server.handlers.table import Answered, Group, Handlers

_log = logging.getLogger(__name__)
GROUPS: Final[tuple[type[Group], ...]] = (
    SessionRequests, TalkRequests, HistoryRequests, JudgeRequests, WorkplaceRequests,
    HandRequests, GuardRequests,
)  # fmt: skip
HANDLERS: Final[Handlers] = {
    kind: handler for group in GROUPS for kind, handler in group.HANDLERS.items()
}
"""The handler of each request."""


class Requests:
    """Answers each request exactly once, even after a fault in our own code."""

    def __init__(self, *groups: Group) -> None:
        """`groups` holds one object of each class in `GROUPS`."""
        self._handlers = {
            kind: partial(handler, group)
            for group in groups
            for kind, handler in group.HANDLERS.items()
        }

    async def answer(self, client: Answered, request: messages.Request[Any]) -> None:
        """Carry out a request and answer it."""
        try:
            result = await self._handlers[type(request)](client, request)
        except Refusal as exc:
            client.fail(request, exc)
        except Exception:
            _log.exception("a request failed: %s", type(request).__name__)
            sentence = translatable("nagomi had a fault of its own; {log} says more.")
            client.fail(request, Refusal("internal", sentence, log=paths.log_file()))
        else:
            client.send(messages.Done(id=request.id, result=msgspec.to_builtins(result)))
