"""Messages in the form of the Messages API, and the clock.

A message is `{"role": "user" | "assistant", "content": str | list[Block]}`; a block is a JSON
object with a `type` (`text`, `thinking`, `tool_use`, `tool_result`). Both stay plain JSON, since
files and servers may have more kinds of blocks than nagomi knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

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
