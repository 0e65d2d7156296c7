"""What the agent asks a model for, what it gets, and why it gets nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

import msgspec

from nagomi_tui.agent.common.values import Block, Message

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

MAX_TOKENS: Final = 8096
"""Most tokens of an answer."""


class ToolSchema(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as the model is told of it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of its input, an object."""


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request. Messages may have the same role twice in a row: an adapter merges them."""

    system: str
    messages: list[Message]
    tools: tuple[ToolSchema, ...] = ()
    max_tokens: int = MAX_TOKENS
    temperature: float | None = None


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of one or more requests, and what they cost in US dollars; None where not known."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Return both together; the cost is known where it is of each that used anything."""
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
    """A tool that the model wants to use, once its input is whole."""

    id: str
    name: str
    input: dict[str, Any]


class Answered(msgspec.Struct, frozen=True, tag="answered"):
    """The end of an answer: its blocks as the Messages API has them, and why it ended."""

    content: list[Block]
    stop_reason: str
    """`end_turn`, `tool_use`, `max_tokens`, `refusal`, or what else the Messages API has."""
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
"""Why there is no answer: the request is too long; the key is missing or wrong; a limit of
requests; the server is overloaded or down; no connection; no answer in time; the answer broke off;
it is no answer; the request was refused; anything else."""


class ModelFault(Exception):
    """There is no answer; the message is the server's own or ours, and holds no key."""

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
        """HTTP status; 0 where there was none."""
        self.kind = kind
        """The error's type or code, as the server names it."""
        self.retry_after = retry_after
        """Seconds after which the server wants to be asked again."""


class Provider(Protocol):
    """A model that can be asked; its methods may be cancelled at any point."""

    @property
    def model(self) -> str:
        """The model's name."""

    def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer; the last event is `Answered`.

        Raises:
            ModelFault: there is none, or it broke off.
        """

    async def count(self, request: ModelRequest) -> int | None:
        """Return how many tokens a request has; None if the server cannot tell."""

    async def close(self) -> None:
        """Give up its connections."""
