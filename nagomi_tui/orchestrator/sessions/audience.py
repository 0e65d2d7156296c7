"""Sends messages, sentences and changes of sessions to all clients."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

from nagomi_tui.api import messages
from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.client import Client
from nagomi_tui.orchestrator.sessions.session import FinishedTurn, SessionRuntime
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.text.words import Said

_log = logging.getLogger(__name__)
_MOST_UNTOLD = 10
PUBLISH_SECONDS: Final = 0.1
_AT_ONCE: Final = 3


Tell: TypeAlias = Callable[..., None]
"""Shows users a sentence of a kind, `info` or `error`, with its values, as `Audience.tell` does."""


class Audience:
    """Sends messages and sentences to all clients, or to all front ends; publishes sessions."""

    def __init__(self, clients: set[Client], store: Store, alarms: Alarms) -> None:
        """`clients` are the connected ones, which who serves them adds and removes."""
        self.clients = clients
        self._store = store
        self._alarms = alarms
        self._untold: list[Refusal] = []

    def front_ends(self) -> Sequence[Client]:
        """Return the clients that show sessions."""
        return [client for client in self.clients if client.is_front_end]

    def others(self) -> Sequence[Client]:
        """Return the clients that show no sessions: commands, and programs that listen."""
        return [one for one in self.clients if one.has_greeted and not one.is_front_end]

    def broadcast(self, message: messages.Message, *, front_ends: bool = False) -> None:
        """Send a message to every client that has said hello."""
        for client in list(self.clients):
            if client.has_greeted and (client.is_front_end or not front_ends):
                client.send(message)

    def tell(self, kind: str, sentence: str, /, **values: object) -> None:
        """Show a sentence in every front end; without any, it is kept for the next one."""
        said = Refusal("refused", sentence, **{name: _masked(v) for name, v in values.items()})
        _log.info("told: %s", said)
        for client in self.front_ends():
            client.tell(kind, said)
        if not self.front_ends():
            self._untold = [*self._untold[1 - _MOST_UNTOLD :], said]

    def tell_fault(self, fault: Refusal) -> None:
        """Tell every front end what is wrong."""
        self.tell("error", fault.sentence, **fault.values)

    def take_untold(self) -> list[Refusal]:
        """Return the sentences that no front end was there for, and forget them."""
        untold, self._untold = self._untold, []
        return untold

    def speak(self, language: str) -> None:
        """Use this language for all clients; "auto" follows the locale of each."""
        for client in self.clients:
            client.speak(language)

    # --- sessions: those that are on the list, others are not published

    def publish(self, session: SessionRuntime) -> None:
        """Store the session's record, and send its state to every client."""
        if session.listed:
            self.keep(session)
            self.broadcast(messages.SessionChanged(session=session.info))

    def publish_soon(self, session: SessionRuntime) -> None:
        """Publish a session that its program changes, at a limited rate."""
        tell = partial(self.publish, session)
        self._alarms.limit((session, "published"), tell, every=PUBLISH_SECONDS, burst=_AT_ONCE)

    def keep(self, session: SessionRuntime) -> None:
        """Store the session's record, and have its worker keep a note of it."""
        self._store.keep(session.info.place, session.record())
        session.tell_worker()

    def removed(self, session: SessionRuntime) -> None:
        """Delete the record of a session that has left the list, and tell every client."""
        self._store.drop(session.session_id)
        self.broadcast(messages.SessionRemoved(session_id=session.session_id))

    def turn_over(self, finished: FinishedTurn) -> None:
        """Send every client, in its language, that a turn is over or needs the user."""
        for client in [client for client in self.clients if client.has_greeted]:
            client.send(finished.told[client.words.language])

    def sees(self, session: SessionRuntime) -> bool:
        """Return whether a session is in front of a user: in any view, with the keys or not."""
        return any(
            client.looking == session.session_id
            or (client.focus is session and not is_away(client))
            for client in self.front_ends()
        )


def is_away(client: Client) -> bool:
    """Return whether a client's terminal has told that another window has the focus."""
    return client.looking_told and not client.looking


def _masked(value: object) -> object:
    if isinstance(value, Said):
        return Said(value.message, {name: _masked(one) for name, one in value.values.items()})
    return value if isinstance(value, int | float) else mask(str(value))
