"""Every message on the front-end socket: one JSON object a line, like the worker protocol.

A client says `hello` first and gets `welcome`. A request carries an `id` of the client's own
and is answered by `done` or `failed` with the same `id`; the hot messages (`type_text`, `press`,
`paste`, `point`, `focus`, `taken`) and `hook` have none and are not answered.
"""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import msgspec

from nagomi_tui.api.messages.base import LINE_LIMIT, Message, Request
from nagomi_tui.api.messages.calls import Called, Event, GoTo, Sound, Speaking
from nagomi_tui.api.messages.judge import (
    Act,
    Advice,
    Answer,
    AskJudge,
    Asks,
    Correct,
    Hook,
    NextWaiting,
    Trace,
    TurnCompleted,
    Why,
)
from nagomi_tui.api.messages.newest import newest_key
from nagomi_tui.api.messages.sessions import (
    Create,
    Find,
    ListSessions,
    Remove,
    Rename,
    Renumber,
    Reorder,
    Restart,
    SessionChanged,
    SessionRemoved,
    Stop,
)
from nagomi_tui.api.messages.talk import (
    PASTE_LIMIT,
    Focus,
    Keys,
    Paste,
    Point,
    Press,
    Send,
    TypeText,
    Wait,
)
from nagomi_tui.api.messages.text import Capture, Lines, Search
from nagomi_tui.api.messages.views import Frame, Looking, Seen, Taken, Unview, View
from nagomi_tui.api.messages.workplace import (
    DetachAll,
    Done,
    Failed,
    Goodbye,
    Hello,
    Notice,
    Ping,
    Quit,
    Reload,
    Settings,
    SettingsChanged,
    Status,
    Welcome,
)

FromClient: TypeAlias = (
    Hello | Ping | Status | Settings | Reload | DetachAll | Quit
    | ListSessions | Find | Create | Stop | Restart | Rename | Reorder | Renumber | Remove
    | Capture | Search | Lines
    | Send | Keys | Wait | TypeText | Press | Paste | Point | Focus
    | Why | Asks | Answer | Act | NextWaiting | Correct | AskJudge | Trace | Hook
    | View | Unview | Taken | Seen | Looking
    | Sound
)  # fmt: skip
ToClient: TypeAlias = (
    Welcome | Done | Failed | SettingsChanged | Notice | Goodbye
    | SessionChanged | SessionRemoved
    | TurnCompleted | Advice
    | Frame
    | Called | GoTo | Speaking | Event
)  # fmt: skip

_Kind = TypeVar("_Kind")
_encoder = msgspec.json.Encoder()
_from_client: msgspec.json.Decoder[FromClient] = msgspec.json.Decoder(FromClient)
_to_client: msgspec.json.Decoder[ToClient] = msgspec.json.Decoder(ToClient)


class BadMessage(ValueError):
    """A line is no message of this socket."""


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


def _decoded(decoder: msgspec.json.Decoder[_Kind], line: bytes, whence: str) -> _Kind:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise BadMessage(f"a line {whence} does not fit: {exc}") from exc
