"""The clients that are connected, as far as those who tell them something know them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from nagomi_tui.core.masking import mask
from nagomi_tui.orchestrator.runtime.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.sessions.finished_turn import FinishedTurn
    from nagomi_tui.orchestrator.sessions.roles import Named
    from nagomi_tui.words import Words

_log = logging.getLogger(__name__)
_MOST_UNTOLD = 10


class Listener(Protocol):
    """A client; one that has not said hello yet is told nothing."""

    number: int
    """Tells clients apart."""
    looking: str
    """Id of the session in front of its user, while the terminal has the focus."""
    looking_told: bool
    """The terminal itself tells whether it has the focus."""
    active_at: float
    """When its user did something last, on the monotonic clock."""

    @property
    def focus(self) -> Named | None:
        """The session that gets its keys."""

    @property
    def words(self) -> Words:
        """The language of sentences for it."""

    @property
    def has_greeted(self) -> bool:
        """It has said hello."""

    @property
    def is_front_end(self) -> bool:
        """It shows sessions to somebody, and so counts as attached."""

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
    """Tells the user a sentence of a `kind`, `info` or `error`; `Audience.tell` does."""

    def __call__(self, kind: str, sentence: str, /, **values: object) -> None:
        """Tell a sentence, an English key, with values for its places."""


class Broadcast(Protocol):
    """Sends a message to every client that has said hello; `Audience.broadcast` does."""

    def __call__(self, message: messages.Message, /, *, front_ends: bool = False) -> None:
        """Send it to all, or to front ends only."""


class Audience:
    """Tells all clients, or all front ends, what concerns them all."""

    def __init__(self, clients: Collection[Listener]) -> None:
        """`clients` are those that are connected; their owner changes it."""
        self.clients = clients
        self._untold: list[Refusal] = []

    def front_ends(self) -> Sequence[Listener]:
        """Return the clients that show something."""
        return [client for client in self.clients if client.is_front_end]

    def others(self) -> Sequence[Listener]:
        """Return the clients that show nothing: commands, and programs that listen."""
        return [one for one in self.clients if one.has_greeted and not one.is_front_end]

    def broadcast(self, message: messages.Message, *, front_ends: bool = False) -> None:
        """Send a message to every client that has said hello."""
        for client in list(self.clients):
            if client.has_greeted and (client.is_front_end or not front_ends):
                client.send(message)

    def tell(self, kind: str, sentence: str, /, **values: object) -> None:
        """Tell every front end a sentence; with none attached the next one hears it."""
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
        """Return what could not be told to anybody yet."""
        untold, self._untold = self._untold, []
        return untold

    def speak(self, language: str) -> None:
        """The language that is set is this one from now on."""
        for client in self.clients:
            client.speak(language)

    def turn_over(self, finished: FinishedTurn) -> None:
        """Tell every client in its language that a turn is over, or needs the user."""
        for client in [client for client in self.clients if client.has_greeted]:
            client.send(finished.told[client.words.language])

    def is_focused(self, session: Named) -> bool:
        """Tell whether a session gets somebody's keys."""
        return any(client.focus is session for client in self.front_ends())


def _masked(value: object) -> object:
    return value if isinstance(value, int | float) else mask(str(value))
