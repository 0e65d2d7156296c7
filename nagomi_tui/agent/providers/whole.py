"""Answers that come in one piece, for a single question: small, and read by us alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from nagomi_tui.agent.providers.interface import ModelFault

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

BODY_LIMIT: Final = 1024 * 1024
"""Most bytes of such an answer."""
TOO_LONG: Final = "too_long"
"""Kind of the fault that an answer is longer."""

_Body = TypeVar("_Body")


class WholeAnswer(msgspec.Struct, frozen=True):
    """The text of an answer, and why it ended, as the Messages API has it."""

    text: str
    stop_reason: str


async def body_of(pieces: AsyncIterable[bytes]) -> bytes:
    """Return a body, unpacked.

    Raises:
        ModelFault: it is too long.
    """
    body = b""
    async for piece in pieces:
        body += piece
        if len(body) > BODY_LIMIT:
            raise ModelFault("garbled", "the answer is too long", kind=TOO_LONG)
    return body


def decoded(body: bytes, kind: type[_Body]) -> Any:
    """Return a body as a value of this type.

    Raises:
        ModelFault: it is something else.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
        raise ModelFault("garbled", "the answer is garbled") from exc
