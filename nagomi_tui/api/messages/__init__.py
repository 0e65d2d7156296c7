"""Every message of the front-end socket in one union, its coding, and which supersede older ones.

A client says `hello` first and gets `welcome`; both tell the version of the protocol and which
messages they understand. A request carries an `id` of the client's own and is answered by `done`
or `failed` with the same `id`; `done.result` is of the type that the request is declared with. The
hot messages (`type_text`, `press`, `paste`, `point`, `composing`, `focus`, `taken`) and `hook` have no `id` and
are not answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, get_args

import msgspec

from nagomi_tui import __version__
from nagomi_tui.api.messages.agent import *
from nagomi_tui.api.messages.base import LINE_LIMIT, Message, Nothing, Request, Result, result_type
from nagomi_tui.api.messages.calls import *
from nagomi_tui.api.messages.guard import *
from nagomi_tui.api.messages.judge import *
from nagomi_tui.api.messages.sessions import *
from nagomi_tui.api.messages.talk import *
from nagomi_tui.api.messages.views import *
from nagomi_tui.api.messages.workplace import *
from nagomi_tui.api.messages.worktrees import *
from nagomi_tui.system.decoding import decoder, from_builtins


def newest_key(message: Message) -> tuple[str, ...] | None:
    """Return a key that messages which replace each other share; None where each one counts."""
    match message:
        case SessionChanged(session=session):
            return ("session", session.session_id)
        case SessionRemoved(session_id=session_id):
            return ("session", session_id)
        case Event(session=session_id, kind=kind):
            return ("event", session_id, kind)
        case (
            TurnCompleted(session=session_id)
            | Advice(session=session_id)
            | Proposed(session=session_id)
        ):
            return (type(message).__name__, session_id)
        case Speaking(session=session_id):
            return ("speaking", session_id)
        case Notice(text=text):
            return ("notice", text)
        case Called() | GoTo() | SettingsChanged() | Agent() | AgentOrder():
            return (type(message).__name__,)
        case _:
            return None


PROTOCOL: Final = 27
"""Version of what is said on this socket. Each addition raises it; nothing is ever taken away."""

FromClient: TypeAlias = (
    AgentFromClient | CallsFromClient | GuardFromClient | JudgeFromClient
    | RemindersFromClient | ReviewFromClient | SessionsFromClient | TalkFromClient | ViewsFromClient
    | WorkplaceFromClient | WorktreesFromClient
)  # fmt: skip
ToClient: TypeAlias = (
    AgentToClient | CallsToClient | JudgeToClient
    | RemindersToClient | SessionsToClient | ViewsToClient | WorkplaceToClient
)  # fmt: skip

_Kind = TypeVar("_Kind")
_Answered = TypeVar("_Answered")
_encoder = msgspec.json.Encoder()
_from_client: msgspec.json.Decoder[FromClient] = decoder(FromClient)
_to_client: msgspec.json.Decoder[ToClient] = decoder(ToClient)


def _types(messages: object) -> tuple[str, ...]:
    return tuple(sorted(str(kind.__struct_config__.tag) for kind in get_args(messages)))


FROM_CLIENT: Final = _types(FromClient)
"""Each `type` that an orchestrator of this version understands."""
TO_CLIENT: Final = _types(ToClient)
"""Each `type` that a client of this version understands."""


class BadMessage(ValueError):
    """A line is no message of this socket."""


def hello(
    env: Mapping[str, str] | None = None, *, front_end: bool = False, cols: int = 0, rows: int = 0
) -> Hello:
    """Return what a client of this version says first."""
    return Hello(
        version=__version__,
        front_end=front_end,
        env=dict(env or {}),
        cols=cols,
        rows=rows,
        protocol=PROTOCOL,
        capabilities=TO_CLIENT,
    )


def encode(message: Message) -> bytes:
    """Return the message as one line, newline included."""
    return _encoder.encode(message) + b"\n"


def decode_from_client(line: bytes) -> FromClient:
    """Return what a client said.

    Raises:
        BadMessage: the line is no such message.
    """
    return _decoded(_from_client, line, "on the front-end socket")


def decode_to_client(line: bytes) -> ToClient:
    """Return what the orchestrator said.

    Raises:
        BadMessage: the line is no such message.
    """
    return _decoded(_to_client, line, "from the orchestrator")


def result_of(request: Request[_Answered], done: Done) -> _Answered:
    """Return what a request was answered.

    Raises:
        BadMessage: the answer is none to such a request.
    """
    kind = type(request)
    try:
        return from_builtins(done.result, result_type(kind))
    except msgspec.ValidationError as exc:
        tag = kind.__struct_config__.tag
        raise BadMessage(f"the answer to `{tag}` does not fit: {exc}") from exc


def _decoded(decoder: msgspec.json.Decoder[_Kind], line: bytes, whence: str) -> _Kind:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise BadMessage(f"a line {whence} does not fit: {exc}") from exc
