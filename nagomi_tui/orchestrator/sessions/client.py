"""One connected client: its views, its focus, and an output buffer that never blocks."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any, Final

from anyio.abc import SocketAttribute, SocketStream

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
from nagomi_tui.orchestrator.runtime.socket_io import Outgoing
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.text.words import Words, language_from, of
from nagomi_worker.wire import trust

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
