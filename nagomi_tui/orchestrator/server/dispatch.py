"""From a client's line to the handler of its message."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Final, Protocol, TypeAlias

import msgspec
from anyio.abc import TaskGroup

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.requests import Caller, Refusal, Requester
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.audience import Client
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.system import paths
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import translatable
from nagomi_worker.wire.framing import LineTooLong

_log = logging.getLogger(__name__)
_MOST_ASKED: Final = 500
"""Most requests of one client that may wait for their answers."""
_UNMEANT: Final = (messages.Taken, messages.View, messages.Looking, messages.Colors)
"""What a front end says by itself, without its user."""


class Dispatch:
    """Has each line of a client carried out, and each request answered exactly once.

    That holds even after a fault in our own code.
    """

    def __init__(self, alarms: Alarms, before: Callable[[], None], *groups: Group) -> None:
        """`before` is called before each line; `groups` holds one object of each kind of group."""
        self._alarms = alarms
        self._before = before
        self._handlers = {
            kind: partial(handler, group)
            for group in groups
            for kind, handler in group.HANDLERS.items()
        }

    def take(self, client: Client, line: bytes | LineTooLong, tasks: TaskGroup) -> None:
        """Carry out a line of a client; requests are answered in `tasks`."""
        try:
            self._before()
            if isinstance(line, LineTooLong):
                raise messages.BadMessage(str(line))
            message = messages.decode_from_client(line)
            if not isinstance(message, _UNMEANT):
                client.active_at = time.monotonic()
            if isinstance(message, messages.Request):
                self._asked(client, message, tasks)
            else:
                self._handlers[type(message)](client, message)
        except messages.BadMessage as exc:
            self._malformed(client, line, exc)
        except Exception:
            _log.exception("client %d: a line was not carried out", client.number)

    def _asked(self, client: Client, request: messages.Request[Any], tasks: TaskGroup) -> None:
        if client.asked < _MOST_ASKED:
            client.asked += 1
            tasks.start_soon(self._answer_one, client, request)
        else:
            sentence = translatable("Too many requests wait for their answers already.")
            client.fail(request, Refusal("refused", sentence))

    async def _answer_one(self, client: Client, request: messages.Request[Any]) -> None:
        try:
            await self.answer(client, request)
        finally:
            client.asked -= 1

    async def answer(self, client: Asker, request: messages.Request[Any]) -> None:
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

    def _malformed(self, client: Client, line: bytes | LineTooLong, exc: Exception) -> None:
        """Answer a malformed request by its id; other malformed lines are only logged."""
        note = partial(_log.warning, "client %d: %s", client.number, exc)
        self._alarms.limit(("malformed", client.number), note, every=1.0, burst=5)
        said = _request_in(line) if isinstance(line, bytes) else None
        if said is not None:
            client.fail(messages.Ping(id=said.id), _why_not(said.type, exc))


class _Malformed(msgspec.Struct):
    """What could be read of a malformed request."""

    id: int
    type: str = ""


def _request_in(line: bytes) -> _Malformed | None:
    """Return what could be read of a malformed line, or None if it is no request."""
    try:
        return from_json(line, _Malformed)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _why_not(kind: str, exc: Exception) -> Refusal:
    """Return why a request is refused: it is malformed, or of a newer version and not known."""
    if not kind or kind in messages.FROM_CLIENT:
        return Refusal("bad_request", "This request does not fit: {reason}.", reason=exc)
    sentence = translatable(
        "nagomi {version}, which runs here, does not know the request `{request}`; "
        "`nagomi reload` goes over to the installed version."
    )
    return Refusal("bad_request", sentence, version=__version__, request=kind)


Handler: TypeAlias = Callable[[Any, Any, Any], Any]
"""A method that gets a client and its message; of a request, it returns the type declared there."""
_PREFIX: Final = "messages."


class Asker(Caller, Protocol):
    """The client whose request is answered."""

    @property
    def requester(self) -> Requester:
        """The client as its requests are carried out for it."""

    @property
    def focus(self) -> SessionRuntime | None:
        """The session that gets its keys, or None."""

    def send(self, message: messages.Message) -> None:
        """Send it a message."""

    def fail(self, request: messages.Request[Any], refusal: Refusal) -> None:
        """Answer a request with a refusal."""


class Group:
    """Handlers of messages about one thing.

    Each public method handles messages of the type of its parameter `request`, which is answered with
    what it returns, or `message`, which is not answered.
    """

    HANDLERS: ClassVar[Mapping[type[messages.Message], Handler]] = {}

    def __init_subclass__(cls) -> None:
        found: dict[type[messages.Message], Handler] = {}
        for name, method in vars(cls).items():
            types = getattr(method, "__annotations__", {})
            kind = types.get("request") or types.get("message")
            if kind and not name.startswith("_"):
                found[getattr(messages, kind.removeprefix(_PREFIX))] = method
        cls.HANDLERS = found
