"""Gives sessions other names, of which no two have the same one, and other characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nagomi_tui.core.session.names import tidy
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.core.session.session import Session
    from nagomi_tui.orchestrator.sessions.roles import Listed, Readable


class Names(Protocol):
    """The list of sessions, as far as their names are taken."""

    @property
    def infos(self) -> tuple[Session, ...]:
        """All sessions, as others see them."""


class NameHistory(Protocol):
    """The history, in which a session is found by its name."""

    def read_soon(self, session: Readable) -> None:
        """Read the session again in a moment."""


class Renaming:
    """Renames sessions."""

    def __init__(
        self, sessions: Names, publish: Callable[[Listed], object], transcripts: NameHistory
    ) -> None:
        self._sessions = sessions
        self._publish = publish
        self._transcripts = transcripts

    def rename(self, session: Readable, name: str) -> None:
        """Give the session another name.

        Raises:
            Refusal: the name is empty or taken.
        """
        name = tidy(name)
        if not name:
            raise Refusal("bad_request", translatable("A name cannot be empty."))
        if any(other.name == name for other in self._sessions.infos if other is not session.info):
            raise Refusal("refused", translatable("Another session is called {name}."), name=name)
        if session.change(name=name):
            self._publish(session)
            self._transcripts.read_soon(session)

    def dress(self, session: Listed, character: str) -> None:
        """Give the session another character; which there are, front ends and commands know.

        Raises:
            Refusal: no character was named.
        """
        if not character.strip():
            raise Refusal("bad_request", translatable("No character was named."))
        if session.change(character_id=character.strip()):
            self._publish(session)
