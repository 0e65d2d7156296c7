"""Small answers that are not streamed, for single questions of nagomi itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from nagomi_tui.agent.providers.interface import ModelFault
from nagomi_tui.decoding import from_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

BODY_LIMIT: Final = 1024 * 1024
"""The largest body of an answer that is not streamed, in bytes."""
TOO_LONG: Final = "too_long"
"""The `kind` of the fault for a body over the limit."""

_Body = TypeVar("_Body")


class WholeAnswer(msgspec.Struct, frozen=True):
    """The text of an answer, and why it ended, as a `stop_reason` of the Messages API."""

    text: str
    stop_reason: str


async def body_of(pieces: AsyncIterable[bytes]) -> bytes:
    """Return a response's body in one piece.

    Raises:
        ModelFault: the body is too long.
    """
    body = b""
    async for piece in pieces:
        body += piece
        if len(body) > BODY_LIMIT:
            raise ModelFault("garbled", "the answer is too long", kind=TOO_LONG)
    return body


def decoded(body: bytes, kind: type[_Body]) -> Any:
    """Return a JSON body as a value of this type.

    Raises:
        ModelFault: the body does not fit the type.
    """
    try:
        return from_json(body, kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
        raise ModelFault("garbled", "the answer is garbled") from exc
