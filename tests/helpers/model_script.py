"""What a scripted model does with a request: it says, thinks, calls tools, or fails in some way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal


@dataclass(frozen=True)
class Text:
    """A piece of visible text."""

    text: str


@dataclass(frozen=True)
class Thought:
    """A thinking block."""

    text: str
    signature: str = "signed"


@dataclass(frozen=True)
class Call:
    """A use of a tool; an empty id is replaced by one that the server has not given before."""

    name: str
    input: dict[str, Any] | str
    """A string is sent as the input's JSON, well formed or not."""
    id: str = ""


@dataclass(frozen=True)
class Tokens:
    """The usage that is told."""

    input: int = 10
    output: int = 5
    cache_read: int = 0
    cache_write: int = 0


Ending = Literal["whole", "breaks", "stops", "hangs", "error"]


@dataclass(frozen=True)
class Answer:
    """An answer of the model; answers add up to one: `says("Let me look.") + calls("look", {})`."""

    blocks: tuple[Text | Thought | Call, ...]
    stop_reason: str = ""
    """Of the Messages API; empty for `tool_use` or `end_turn`, as the blocks are."""
    tokens: Tokens = field(default_factory=Tokens)
    pause: float = 0.0
    """Seconds between two pieces of a stream."""
    piece: int = 8
    """Characters in a piece of a stream."""
    ending: Ending = "whole"
    """After the blocks: all is well; the connection breaks; the stream just stops; nothing more
    comes; or the stream tells an error. Only where the answer is streamed."""
    error: tuple[str, str] = ("overloaded_error", "Overloaded")

    def __add__(self, other: Answer) -> Answer:
        """Return both as one answer that goes on as the other does."""
        return replace(other, blocks=self.blocks + other.blocks)


@dataclass(frozen=True)
class Failure:
    """An error as the API in question tells it."""

    status: int
    type: str
    message: str
    retry_after: float | str | None = None
    code: str | None = None


@dataclass(frozen=True)
class Raw:
    """These bytes, whatever was asked."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Silence:
    """Nothing before the server ends."""


@dataclass(frozen=True)
class Closed:
    """The connection is closed without an answer."""


Step = Answer | Failure | Raw | Silence | Closed


def says(text: str, **more: Any) -> Answer:
    """Say a text; `more` are fields of `Answer`: `pause=0.1`, `stop_reason="max_tokens"`."""
    return Answer((Text(text),), **more)


def thinks(text: str, **more: Any) -> Answer:
    """Think before what is added to it."""
    return Answer((Thought(text),), **more)


def calls(tool: str, input: dict[str, Any] | str, *, id: str = "", **more: Any) -> Answer:
    """Use a tool, known or not."""
    return Answer((Call(tool, input, id),), **more)


def fails(
    status: int,
    type: str = "api_error",
    message: str = "no",
    retry_after: float | str | None = None,
    code: str | None = None,
) -> Failure:
    """Answer with an error."""
    return Failure(status, type, message, retry_after, code)


def breaks_off(after: str, **more: Any) -> Answer:
    """Close the connection in the middle of a stream, after this text."""
    return says(after, ending="breaks", **more)


def stops(after: str, **more: Any) -> Answer:
    """End the stream in good order after this text, but without the event that ends an answer."""
    return says(after, ending="stops", **more)


def fails_within(after: str, type: str = "overloaded_error", message: str = "Overloaded") -> Answer:
    """Tell an error in the middle of a stream, after this text."""
    return says(after, ending="error", error=(type, message))


def hangs(after: str = "") -> Answer | Silence:
    """Never answer, or never go on after this text of a stream."""
    return says(after, ending="hangs") if after else Silence()


def closes() -> Closed:
    """Close the connection without an answer."""
    return Closed()


def sends(body: bytes, status: int = 200, **headers: str) -> Raw:
    """Answer with these bytes; `Content_Type` is the header `Content-Type`."""
    return Raw(body, status, {name.replace("_", "-"): value for name, value in headers.items()})
