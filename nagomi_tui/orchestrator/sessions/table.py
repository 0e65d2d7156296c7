"""The list of all sessions, and how a client's name, number or id finds one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from nagomi_tui.orchestrator.runtime.requests import Lifetime, Refusal
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.session import SessionRuntime, from_note
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.sessions import names
from nagomi_tui.sessions.order import Numbers, moved
from nagomi_tui.sessions.session import Session, State
from nagomi_tui.text.words import translatable
from nagomi_worker.wire.messages import SessionState


def meant(sessions: Sequence[SessionRuntime], text: str) -> SessionRuntime:
    """Return the one of some sessions that a number, name, id or unique prefix means.

    Raises:
        Refusal: none or several could be meant.
    """
    found = names.find([session.info for session in sessions], text)
    if found.session:
        return next(one for one in sessions if one.info is found.session)
    if found.candidates:
        sentence = translatable("`{text}` could be {names}.")
        raise Refusal("ambiguous", sentence, text=text, names=", ".join(found.candidates))
    if found.nearest:
        sentence = translatable("There is no session `{text}`; the nearest: {names}.")
        raise Refusal("not_found", sentence, text=text, names=", ".join(found.nearest))
    raise Refusal("not_found", "There is no session `{text}`.", text=text)


class SessionTable:
    """Holds the sessions, and finds them; whatever changes in their order is published."""

    def __init__(self, store: Store, audience: Audience, lifetime: Lifetime) -> None:
        self._store = store
        self._audience = audience
        self._lifetime = lifetime
        self._numbers = Numbers()
        self._order: list[SessionRuntime] = []
        self._by_id: dict[str, SessionRuntime] = {}

    def recall(self) -> None:
        """Load the last number that was given."""
        self._numbers.last = self._store.fact("last_number", int) or 0

    @property
    def all(self) -> tuple[SessionRuntime, ...]:
        return tuple(self._order)

    @property
    def infos(self) -> tuple[Session, ...]:
        """All sessions as others see them."""
        return tuple(session.info for session in self._order)

    def get(self, session_id: str) -> SessionRuntime | None:
        return self._by_id.get(session_id)

    def held(self, state: SessionState) -> SessionRuntime:
        """Return the session that a worker holds; one without a record is added, by its note."""
        session = self._by_id.get(state.session_id)
        if session is None:
            session = from_note(state, {info.name for info in self.infos})
            self.add(session)
        return session

    def meant(self, text: str) -> SessionRuntime:
        """Return the session that a number, name, id or unique prefix means.

        Raises:
            Refusal: none or several could be meant.
        """
        return self._by_id.get(text) or meant(self._order, text)

    async def all_known(self) -> None:
        """Return as soon as workers have told which sessions live."""
        await self._lifetime.sessions_adopted.wait()

    async def find(self, text: str) -> SessionRuntime:
        """Return the session that a client means, once it is known which sessions live.

        Raises:
            Refusal: none or several could be meant.
        """
        await self.all_known()
        return self.meant(text)

    async def find_typable(self, text: str) -> SessionRuntime:
        """Return the session that a client means if something can be typed into it.

        One that is being started or taken over is waited for.

        Raises:
            Refusal: none or several could be meant, or it has ended.
        """
        session = await self.find(text)
        await session.run.rebuilt.wait()
        if not session.running:
            sentence = translatable("{name} has ended; nothing can be typed into it.")
            raise Refusal("refused", sentence, name=session.info.name)
        return session

    def add(self, session: SessionRuntime) -> None:
        """Put a session at the end of the order."""
        taken = [other.info.number for other in self._order]
        session.change(number=self._numbers.give(session.info.number, taken))
        self._order.append(session)
        self._by_id[session.session_id] = session
        session.listed = True
        self._arrange()

    def remove(self, session: SessionRuntime) -> None:
        """Take a session off the list; an empty list is numbered from 1 again."""
        gone = self._by_id.pop(session.session_id)
        self._order.remove(gone)
        if gone.info.state is State.STARTING:
            self._numbers.take_back(gone.info.number)
        if not self._order:
            self._numbers.last = 0
        gone.listed = False
        self._audience.removed(gone)
        self._arrange()

    def move(self, session: SessionRuntime, place: int) -> None:
        """Give a session another place; its number stays."""
        self._order = moved(self._order, session, place)
        self._arrange()

    def renumber(self) -> None:
        """Number all sessions by their places."""
        for number, session in enumerate(self._order, 1):
            if session.change(number=number):
                self._audience.publish(session)
        self._numbers.last = len(self._order)
        self._keep_numbers()

    def _arrange(self) -> None:
        for place, session in enumerate(self._order, 1):
            if session.change(place=place):
                self._audience.publish(session)
        self._keep_numbers()

    def _keep_numbers(self) -> None:
        self._store.keep_fact("last_number", self._numbers.last)


class Naming(TypedDict):
    """The fields of `messages.SessionNamed`."""

    session_id: str
    number: int
    name: str


def naming(session: SessionRuntime) -> Naming:
    """Return id, number and name of the session."""
    return {
        "session_id": session.session_id,
        "number": session.info.number,
        "name": session.info.name,
    }
