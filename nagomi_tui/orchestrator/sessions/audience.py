"""The connected clients: each with its views, its focus and a buffer that never blocks, and what all are sent."""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from anyio.abc import SocketAttribute, SocketStream

from nagomi_tui.api import messages
from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
from nagomi_tui.orchestrator.runtime.socket_io import Outgoing
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.session import FinishedTurn, SessionRuntime
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.text.words import Said, Words, language_from, of
from nagomi_worker.wire import trust

_log = logging.getLogger(__name__)
CONGESTED: Final = 256 * 1024
"""Unsent bytes above which no frames are made, and only the newest event of each kind is kept."""
GIVEN_UP: Final = 64 * 1024 * 1024
"""Unsent bytes above which the client counts as dead."""

_MOST_LATE: Final = 4096

_numbers = itertools.count(1)


class Client:
    """A front end or a command on the socket."""

    def __init__(self, stream: SocketStream, *, on_drained: Callable[[Client], None]) -> None:
        self.number = next(_numbers)
        self.stream = stream
        self.hello: messages.Hello | None = None
        self.began = time.time()
        """When it connected, in seconds since the epoch."""
        self.views: dict[int, Any] = {}
        """Its views, each a `SessionView`, by the numbers that it gave them."""
        self.asked = 0
        """Number of its requests that are not answered yet."""
        self.focus: SessionRuntime | None = None
        self.looking = ""
        """Id of the session in front of its user, while the terminal has the focus; else ""."""
        self.looking_told = False
        """Whether its terminal reports the focus."""
        self.active_at = time.monotonic()
        """When its user was last active, on the monotonic clock."""
        self.requester = Requester(identity=self.number, words=of("en"), caller=self)
        """The client as its requests are carried out for it."""
        self.told_of_guard = False
        """Whether it was told that its keys do not go to guarded sessions."""
        self._late: dict[tuple[str, ...], messages.Message] = {}
        """Messages to be sent once it reads again: the newest of each kind."""
        self._on_drained = on_drained
        self.out = Outgoing(stream, on_drained=self._drained)

    @property
    def has_greeted(self) -> bool:
        """Whether it has said hello."""
        return self.hello is not None

    @property
    def pid(self) -> int:
        """The process that made its connection, while that lives; else 0."""
        return trust.peer_pid(self.stream.extra(SocketAttribute.raw_socket))

    @property
    def is_front_end(self) -> bool:
        """Whether it shows sessions to a user, and so counts as attached."""
        return self.hello is not None and self.hello.front_end

    @property
    def congested(self) -> bool:
        """Whether it does not read what it is sent."""
        return self.out.pending > CONGESTED

    @property
    def env(self) -> dict[str, str]:
        """The client's environment."""
        return self.hello.env if self.hello else {}

    @property
    def words(self) -> Words:
        """The translations into its language."""
        return self.requester.words

    def greet(self, hello: messages.Hello, *, language: str) -> None:
        self.hello = hello
        self.speak(language)

    def speak(self, language: str) -> None:
        """Choose the language of sentences: that of the setting, or for "auto" the client's locale."""
        hello = self.hello
        self.requester = Requester(
            identity=self.number,
            env=self.env,
            words=of(language_from(self.env, language)),
            size=(hello.cols, hello.rows) if hello else (0, 0),
            is_front_end=self.is_front_end,
            caller=self,
        )

    def send(self, message: messages.Message) -> None:
        """Send a message; a client that does not read for too long is disconnected."""
        key = messages.newest_key(message)
        if key is not None and (self.congested or key in self._late):
            self._late.pop(key, None)
            self._late[key] = message
            if len(self._late) > _MOST_LATE:
                del self._late[next(iter(self._late))]
            return
        self.out.write(messages.encode(message))
        if self.out.pending > GIVEN_UP:
            self.out.give_up()

    def show(self, frame: messages.Frame, *, at_once: bool) -> None:
        """Send a frame, or hold it for the next one that is sent, or a flush."""
        if at_once:
            self.send(frame)
        else:
            self.out.hold(messages.encode(frame))

    def flush(self) -> None:
        """Send the frames that are held."""
        self.out.flush()

    def fail(self, request: messages.Request[Any], refusal: Refusal) -> None:
        text = refusal.in_language(self.words)
        self.send(messages.Failed(id=request.id, message=text, code=refusal.code))

    def tell(self, kind: str, refusal: Refusal) -> None:
        """Send a sentence that answers no request."""
        text = refusal.in_language(self.words)
        self.send(messages.Notice(kind="error" if kind == "error" else "info", text=text))

    def _drained(self) -> None:
        late, self._late = self._late, {}
        for message in late.values():
            self.send(message)
        self._on_drained(self)


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
