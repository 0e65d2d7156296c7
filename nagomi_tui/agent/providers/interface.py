"""A model's requests, the events of its answers, and its faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

import msgspec

from nagomi_tui.agent.common.values import Block, Message

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

MAX_TOKENS: Final = 8096
"""The most tokens in an answer."""


class ToolSchema(msgspec.Struct, frozen=True, kw_only=True):
    """A tool's description, as it is sent to the model."""

    name: str
    description: str
    parameters: dict[str, Any]
    """The JSON Schema of the tool's input, which is an object."""


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request. Messages may have the same role twice in a row: an adapter merges them."""

    system: str
    messages: list[Message]
    tools: tuple[ToolSchema, ...] = ()
    max_tokens: int = MAX_TOKENS
    temperature: float | None = None


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of one or more requests, and their cost in US dollars; None if it is not known."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Return the sum; its cost is None if one of both used tokens at an unknown cost."""
        costs = [one.cost for one in (self, other) if one != Usage()]
        known = [cost for cost in costs if cost is not None]
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            cost=sum(known) if costs and len(known) == len(costs) else None,
        )


class TextPiece(msgspec.Struct, frozen=True, tag="text"):
    """The next piece of the visible answer."""

    text: str


class ToolCall(msgspec.Struct, frozen=True, tag="tool_call"):
    """A tool call of the model, with its complete input."""

    id: str
    name: str
    input: dict[str, Any]


class Answered(msgspec.Struct, frozen=True, tag="answered"):
    """The end of an answer: its blocks as the Messages API has them, and why it ended."""

    content: list[Block]
    stop_reason: str
    """`end_turn`, `tool_use`, `max_tokens`, `refusal`, or another value of the Messages API."""
    usage: Usage


ModelEvent: TypeAlias = TextPiece | ToolCall | Answered

Cause: TypeAlias = Literal[
    "overflow",
    "key",
    "rate",
    "overloaded",
    "offline",
    "late",
    "broken",
    "garbled",
    "refused",
    "other",
]
"""Why there is no answer. In order: the request is too long; the key is missing or wrong; a rate
limit; the server is overloaded or down; no connection; a timeout; the answer broke off; the answer
cannot be read; the server refused the request; anything else."""


class ModelFault(Exception):
    """There is no answer. The message comes from the server or from nagomi, and holds no key."""

    def __init__(
        self,
        cause: Cause,
        message: str = "",
        *,
        status: int = 0,
        kind: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.cause = cause
        self.status = status
        """The HTTP status; 0 without a response."""
        self.kind = kind
        """The error's type or code, as the server names it."""
        self.retry_after = retry_after
        """Seconds that the server asks us to wait before a retry; None if it names none."""


class Provider(Protocol):
    """A model that can be asked; its methods may be cancelled at any await."""

    @property
    def model(self) -> str:
        """The model's name."""

    def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer; the last event is `Answered`.

        Raises:
            ModelFault: there is no answer, or it broke off.
        """

    async def count(self, request: ModelRequest) -> int | None:
        """Return how many tokens a request has; None if the server cannot tell."""

    async def close(self) -> None:
        """Close the connections to the server."""
