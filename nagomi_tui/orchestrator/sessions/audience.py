"""The connected clients, for parts that send them messages and sentences."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from nagomi_tui.core.masking import mask
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import Said

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.sessions.finished_turn import FinishedTurn
    from nagomi_tui.orchestrator.sessions.roles import Named
    from nagomi_tui.words import Words

_log = logging.getLogger(__name__)
_MOST_UNTOLD = 10


class Listener(Protocol):
    """A connected client; one that has not said hello yet is sent nothing."""

    number: int
    """A number that tells clients apart."""
    looking: str
    """Id of the session in front of its user, while the terminal has the focus."""
    looking_told: bool
    """Whether the client's terminal reports its focus."""
    active_at: float
    """When its user was last active, on the monotonic clock."""

    @property
    def focus(self) -> Named | None:
        """The session that gets its keys, or None."""

    @property
    def words(self) -> Words:
        """The translations into its language."""

    @property
    def has_greeted(self) -> bool:
        """Whether it has said hello."""

    @property
    def is_front_end(self) -> bool:
        """Whether it shows sessions to a user, and so counts as attached."""

    @property
    def env(self) -> dict[str, str]:
        """Its environment."""

    def send(self, message: messages.Message) -> None:
        """Send it a message."""

    def tell(self, kind: str, refusal: Refusal) -> None:
        """Tell it a sentence in its language."""

    def speak(self, language: str) -> None:
        """Choose the language of its sentences."""


class Tell(Protocol):
    """Shows users a sentence of a `kind`, `info` or `error`, as `Audience.tell` does."""

    def __call__(self, kind: str, sentence: str, /, **values: object) -> None:
        """Show a sentence, given as English key, with values for its placeholders."""


class Broadcast(Protocol):
    """Sends a message to every client that has said hello, as `Audience.broadcast` does."""

    def __call__(self, message: messages.Message, /, *, front_ends: bool = False) -> None:
        """Send it to all clients, or to front ends only."""


class Audience:
    """Sends messages and sentences to all clients, or to all front ends."""

    def __init__(self, clients: Collection[Listener]) -> None:
        """`clients` are the connected ones; the collection is changed by its owner."""
        self.clients = clients
        self._untold: list[Refusal] = []

    def front_ends(self) -> Sequence[Listener]:
        """Return the clients that show sessions."""
        return [client for client in self.clients if client.is_front_end]

    def others(self) -> Sequence[Listener]:
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

    def turn_over(self, finished: FinishedTurn) -> None:
        """Send every client, in its language, that a turn is over or needs the user."""
        for client in [client for client in self.clients if client.has_greeted]:
            client.send(finished.told[client.words.language])

    def sees(self, session: Named) -> bool:
        """Return whether a session is in front of a user: in any view, with the keys or not."""
        return any(
            client.looking == session.session_id
            or (client.focus is session and not is_away(client))
            for client in self.front_ends()
        )


class Onlooker(Protocol):
    """A client whose terminal may tell whether it has the focus."""

    looking: str
    looking_told: bool


def is_away(client: Onlooker) -> bool:
    """Return whether a client's terminal has told that another window has the focus."""
    return client.looking_told and not client.looking


def _masked(value: object) -> object:
    if isinstance(value, Said):
        return Said(value.message, {name: _masked(one) for name, one in value.values.items()})
    return value if isinstance(value, int | float) else mask(str(value))
