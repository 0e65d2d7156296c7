"""Messages as the Messages API has them, and the clock.

A message is `{"role": "user" | "assistant", "content": str | list[Block]}`; a block is a JSON
object with a `type` (`text`, `thinking`, `tool_use`, `tool_result`). They stay plain JSON, since
they come from files and go to servers that know more kinds of blocks than we do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

Block: TypeAlias = dict[str, Any]
"""One block of a message's content."""

Message: TypeAlias = dict[str, Any]
"""A message with its `role` and its `content`."""

Clock: TypeAlias = Callable[[], float]
"""Seconds since the epoch; tests hand in one that they move."""

Mask: TypeAlias = Callable[[str], str]
"""Returns a text with its secrets covered."""

Route: TypeAlias = Literal["chat", "ask", "loop", "judge", "summary"]
"""Why a model is asked."""
