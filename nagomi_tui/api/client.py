"""A blocking client of the orchestrator, for commands and for threads."""

from __future__ import annotations

import os
import socket
import time
from collections import deque
from collections.abc import Iterator
from typing import Final, TypeVar

import msgspec

from nagomi_tui.api import messages
from nagomi_tui.system import folders, paths, strict_door
from nagomi_tui.text.words import translatable
from nagomi_worker.wire import transport, trust
from nagomi_worker.wire.framing import LineSplitter, LineTooLong

OTHER_VERSION = translatable(
    "nagomi's orchestrator is of another version, and its answer does not fit; "
    "`nagomi reload` goes over to the installed one."
)
LATE: Final = "nagomi's orchestrator did not answer in time"
_READ_BYTES = 256 * 1024
_Answered = TypeVar("_Answered")


class NotServed(ConnectionError):
    """No orchestrator serves this workplace."""


class Gone(ConnectionError):
    """The orchestrator closed the connection; it said `reason` if it left on purpose."""

    def __init__(self, reason: str = "") -> None:
        super().__init__("the connection to nagomi's orchestrator ended")
        self.reason = reason


class RequestFailed(Exception):
    """The orchestrator did not do what was asked; `message` is a sentence for the user."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def open_socket(timeout: float = 5.0) -> socket.socket:
    """Return a blocking socket to the orchestrator of this workplace.

    Raises:
        NotServed: nobody listens there.
        PlaceError: another user could be listening where it ought to; nothing was said.
    """
    if strict_door.is_inside():
        return _from_inside(timeout)
    doubt = None
    for folder in folders.places():
        try:
            return transport.connect_to(os.path.join(folder, paths.FRONT), timeout)
        except trust.Untrusted as exc:
            # Only the folder that is in use, or would be, has to be trusted.
            doubt = exc if folder == folders.sockets() else doubt
        except OSError:
            continue
    if doubt is not None:
        raise paths.untrusted(doubt) from doubt
    raise NotServed("nagomi is not running.")


def _from_inside(timeout: float) -> socket.socket:
    """Return a socket by which a strict session reads; what else it says is refused.

    Raises:
        NotServed: nobody answers outside.
    """
    try:
        peer = strict_door.opened([strict_door.FRONT])
    except OSError as exc:
        raise NotServed("nagomi is not running.") from exc
    peer.settimeout(timeout)
    return peer


def understood(line: bytes) -> messages.ToClient | None:
    """Return what the orchestrator said, or None where only a later version understands it."""
    try:
        return messages.decode_to_client(line)
    except messages.BadMessage:
        return None


def result_in(
    request: messages.Request[_Answered], answer: messages.Done | messages.Failed
) -> _Answered:
    """Return what a request was answered.

    Raises:
        RequestFailed: it was refused.
        BadMessage: the answer is none to such a request.
    """
    if isinstance(answer, messages.Failed):
        raise RequestFailed(answer.code, answer.message)
    return messages.result_of(request, answer)


class Connection:
    """A connection after `hello`: requests with their answers, and messages that are pushed."""

    def __init__(
        self, peer: socket.socket, *, hello: messages.Hello, timeout: float = 10.0
    ) -> None:
        self._peer = peer
        self._splitter = LineSplitter(messages.LINE_LIMIT)
        self._lines: deque[bytes] = deque()
        self._kept: deque[messages.ToClient] = deque()
        self._last_id = 0
        self._reason = ""
        try:
            self.send(hello)
            self.welcome = self._await_welcome(time.monotonic() + timeout)
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(cls, *, timeout: float = 10.0) -> Connection:
        """Connect and say hello with this process's environment.

        Raises:
            NotServed: no orchestrator serves.
            PlaceError: another user could be listening in its place.
        """
        return cls(open_socket(), hello=messages.hello(os.environ), timeout=timeout)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        self._peer.close()

    def fileno(self) -> int:
        """Return the socket's descriptor; messages that were read already come from `pushed`."""
        return self._peer.fileno()

    def send(self, message: messages.Message) -> None:
        """Send a message that has no answer.

        Raises:
            Gone: the orchestrator is not there any more.
        """
        self._peer.settimeout(None)
        try:
            self._peer.sendall(messages.encode(message))
        except OSError as exc:
            raise Gone(self._reason) from exc

    def request(
        self, message: messages.Request[_Answered], *, timeout: float | None = None
    ) -> _Answered:
        """Send a request and return its result; its `id` is chosen here.

        Raises:
            RequestFailed: it was refused, with the sentence that says why.
            BadMessage: an orchestrator of another version answered what does not fit.
            TimeoutError: no answer came within `timeout` seconds.
            Gone: the orchestrator went away.
        """
        self._last_id += 1
        self.send(msgspec.structs.replace(message, id=self._last_id))
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            answer = self._receive(deadline)
            if isinstance(answer, messages.Done | messages.Failed) and answer.id == self._last_id:
                return result_in(message, answer)
            self._kept.append(answer)

    def pushed(self, timeout: float | None = None) -> Iterator[messages.ToClient]:
        """Yield what is pushed, until nothing has come for `timeout` seconds.

        Raises:
            Gone: the orchestrator went away.
        """
        while True:
            while self._kept:
                yield self._kept.popleft()
            deadline = None if timeout is None else time.monotonic() + timeout
            try:
                self._kept.append(self._receive(deadline))
            except TimeoutError:
                return

    def _await_welcome(self, deadline: float) -> messages.Welcome:
        first = self._receive(deadline)
        while not isinstance(first, messages.Welcome):
            first = self._receive(deadline)
        return first

    def _receive(self, deadline: float | None) -> messages.ToClient:
        """Return the next message from the socket, not from what was put aside."""
        message = None
        while message is None:
            while not self._lines:
                self._fill(deadline)
            message = understood(self._lines.popleft())
        if isinstance(message, messages.Goodbye):
            self._reason = message.reason
        return message

    def _fill(self, deadline: float | None) -> None:
        left = None if deadline is None else max(0.001, deadline - time.monotonic())
        self._peer.settimeout(left)
        try:
            data = self._peer.recv(_READ_BYTES)
        except TimeoutError as exc:
            raise TimeoutError(LATE) from exc
        except OSError as exc:
            raise Gone(self._reason) from exc
        if not data:
            raise Gone(self._reason)
        for line in self._splitter.feed(data):
            if not isinstance(line, LineTooLong):
                self._lines.append(line)
