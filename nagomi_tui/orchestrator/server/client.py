"""One connected client: what it shows and focuses, and its way out, which never blocks us."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.outgoing import Outgoing
from nagomi_tui.orchestrator.runtime.requester import Requester
from nagomi_tui.words import language_from, of

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio.abc import SocketStream

    from nagomi_tui.orchestrator.runtime.refusal import Refusal
    from nagomi_tui.orchestrator.sessions.roles import Shown
    from nagomi_tui.orchestrator.views.view import SessionView
    from nagomi_tui.words import Words

CONGESTED: Final = 256 * 1024
"""Unsent bytes from which on no frames are made, and of what happens only the newest is told."""
GIVEN_UP: Final = 64 * 1024 * 1024
"""Unsent bytes from which on the client counts as dead."""

_MOST_LATE: Final = 4096

_numbers = itertools.count(1)


class Client:
    """A front end or a command on the socket."""

    def __init__(self, stream: SocketStream, *, on_drained: Callable[[Client], None]) -> None:
        self.number = next(_numbers)
        self.stream = stream
        self.hello: messages.Hello | None = None
        self.views: dict[int, SessionView] = {}
        self.asked = 0
        """How many of its requests wait for their answers."""
        self.focus: Shown | None = None
        self.looking = ""
        """The session in front of its user, while the terminal has the focus."""
        self.looking_told = False
        """The terminal itself tells whether it has the focus."""
        self.active_at = time.monotonic()
        """When its user did something last."""
        self.requester = Requester(identity=self.number, words=of("en"))
        """Who it is to whatever it asks for."""
        self._late: dict[tuple[str, ...], messages.Message] = {}
        """What is told when it takes something again: of each kind the newest."""
        self._on_drained = on_drained
        self.out = Outgoing(stream, on_drained=self._drained)

    @property
    def has_greeted(self) -> bool:
        """It has said hello."""
        return self.hello is not None

    @property
    def is_front_end(self) -> bool:
        """It shows sessions to somebody, and so counts as attached."""
        return self.hello is not None and self.hello.front_end

    @property
    def congested(self) -> bool:
        """It does not take what it is sent."""
        return self.out.pending > CONGESTED

    @property
    def env(self) -> dict[str, str]:
        """The client's environment."""
        return self.hello.env if self.hello else {}

    @property
    def words(self) -> Words:
        """The language of sentences for it."""
        return self.requester.words

    def greet(self, hello: messages.Hello, *, language: str) -> None:
        """The client has said who it is."""
        self.hello = hello
        self.speak(language)

    def speak(self, language: str) -> None:
        """Choose the language of sentences: the setting, or the client's locale."""
        hello = self.hello
        self.requester = Requester(
            identity=self.number,
            env=self.env,
            words=of(language_from(self.env, language)),
            size=(hello.cols, hello.rows) if hello else (0, 0),
            is_front_end=self.is_front_end,
        )

    def send(self, message: messages.Message) -> None:
        """Send a message; a client that does not read for too long is given up."""
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
        """Answer that the request is not carried out, and why."""
        text = refusal.worded(self.words)
        self.send(messages.Failed(id=request.id, message=text, code=refusal.code))

    def tell(self, kind: str, refusal: Refusal) -> None:
        """Tell a sentence that answers no request."""
        text = refusal.worded(self.words)
        self.send(messages.Notice(kind="error" if kind == "error" else "info", text=text))

    def _drained(self) -> None:
        late, self._late = self._late, {}
        for message in late.values():
            self.send(message)
        self._on_drained(self)
