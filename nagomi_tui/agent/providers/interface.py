"""The interface of model providers: requests, the events of an answer, faults, message blocks.

A message is `{"role": "user" | "assistant", "content": str | list[Block]}`; a block is a JSON
object with a `type` (`text`, `thinking`, `tool_use`, `tool_result`). Both stay plain JSON, since
files and servers may have more kinds of blocks than nagomi knows.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Any, Final, Literal, Protocol, TypeAlias

import msgspec

Block: TypeAlias = dict[str, Any]
"""One block of a message's content."""

Message: TypeAlias = dict[str, Any]
"""A message with its `role` and its `content`."""

Clock: TypeAlias = Callable[[], float]
"""Returns seconds since the epoch; tests pass a clock that they set."""

Mask: TypeAlias = Callable[[str], str]
"""Returns a text with its secrets masked."""

Route: TypeAlias = Literal["chat", "ask", "loop", "judge", "summary"]
"""Why a model is asked."""

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
    route: Route = "chat"
    """Why the model is asked; what is spent is counted by it."""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of one or more requests, and their cost in US dollars; None if it is not known."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float | None = None

    @property
    def total(self) -> int:
        """All tokens, read from the cache or not."""
        return self.input + self.output + self.cache_read + self.cache_write

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


class Progress(msgspec.Struct, frozen=True, kw_only=True, tag="progress"):
    """What happens before an answer begins, so that nobody waits without knowing for what."""

    kind: Literal["retry", "cut", "sum", "summed"]
    """The request is sent again after a wait; results of tools were cut; messages are being summed
    up; they were summed up."""
    seconds: float = 0.0
    """The wait before the next try."""
    cause: str = ""
    """Why there was no answer, as a `Cause`."""
    size: int = 0
    """Bytes that are left of the results of tools."""
    messages: int = 0
    """How many messages are summed up."""
    percent: int = 0
    """How full the model's context window is then."""


ModelEvent: TypeAlias = TextPiece | ToolCall | Answered | Progress

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


class Model(Protocol):
    """Whoever answers requests: a provider, or what stands before one."""

    def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer; the last event is `Answered`.

        Raises:
            ModelFault: there is no answer, or it broke off.
        """


class Provider(Model, Protocol):
    """A model that can be asked; its methods may be cancelled at any await."""

    @property
    def model(self) -> str:
        """The model's name."""

    async def count(self, request: ModelRequest) -> int | None:
        """Return how many tokens a request has; None if the server cannot tell."""

    async def window(self) -> int | None:
        """Return the most tokens of a request by the server's own account; None without one."""

    async def close(self) -> None:
        """Close the connections to the server."""


def blocks_of(message: Message) -> list[Block]:
    """Return the content of a message as blocks, without the empty ones that servers refuse."""
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    return [block for block in content if not _is_empty(block)]


def alternating(messages: Iterable[Message]) -> list[Message]:
    """Return messages that alternate between user and assistant, as the APIs require (X-5).

    Consecutive messages of one role become one message, with tool results first.
    """
    merged: list[Message] = []
    for message in messages:
        blocks = blocks_of(message)
        if not blocks:
            continue
        if merged and merged[-1]["role"] == message["role"]:
            blocks = merged.pop()["content"] + blocks
        merged.append({"role": message["role"], "content": blocks})
    return [message | {"content": _results_first(message["content"])} for message in merged]


def text_of(content: str | list[Block]) -> str:
    """Return the text in a message's or a tool result's content."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block["text"]) for block in content if block.get("type") == "text")


def results_of(message: Message) -> list[Block]:
    """Return the results of tools in a message."""
    content = message["content"]
    if isinstance(content, str):
        return []
    return [block for block in content if block.get("type") == "tool_result"]


def _is_empty(block: Block) -> bool:
    return block.get("type") == "text" and not str(block.get("text", "")).strip()


def _results_first(blocks: list[Block]) -> list[Block]:
    # The sort is stable. The Messages API requires tool results first in a message.
    return sorted(blocks, key=lambda block: block.get("type") != "tool_result")
