"""What a turn tells whoever shows it, in order; the last event is `TurnEnded`."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from nagomi_tui.agent.providers.interface import TextPiece, Usage

Choice: TypeAlias = Literal["once", "conversation", "no"]
"""A user's answer to a question: this once, for this conversation, or not."""


class ToolStarted(msgspec.Struct, frozen=True, tag="tool_started"):
    """A tool runs; `summary` is one line such as `read_file notes.md`."""

    id: str
    name: str
    summary: str


class ToolEnded(msgspec.Struct, frozen=True, tag="tool_ended"):
    """A tool has ended; `summary` is one line on its result."""

    id: str
    ok: bool
    summary: str


class Question(msgspec.Struct, frozen=True, tag="question"):
    """An acting tool waits for the user's answer."""

    id: str
    tool: str
    title: str
    """One line: what would be done."""
    detail: str = ""
    """Exactly what will happen: the command, the text or the unified diff."""
    risk: str = ""
    """`low`, `medium` or `high`, where a command is run."""


class Notice(msgspec.Struct, frozen=True, tag="notice"):
    """A sentence beside the answer: history was shortened, a request is tried again."""

    text: str


class TurnEnded(msgspec.Struct, frozen=True, tag="turn_ended"):
    """The turn is over; `text` is the visible answer, or why there is none."""

    outcome: Literal["done", "cancelled", "failed"]
    text: str = ""
    usage: Usage = Usage()


TurnEvent: TypeAlias = TextPiece | ToolStarted | ToolEnded | Question | Notice | TurnEnded


class Status(msgspec.Struct, frozen=True, kw_only=True, tag="status"):
    """What stands beside the prompt."""

    conversation: str
    """Id of the conversation."""
    label: str
    turns_left: int = 0
    """Turns that are left of the work overlay."""
    mode: str = "calm"
    model: str = ""
    tokens: int = 0
    """Estimated tokens of the next request."""
    limit: int = 180_000


class Reply(msgspec.Struct, frozen=True, kw_only=True, tag="reply"):
    """What a slash command answers, without a model."""

    lines: tuple[str, ...] = ()
    """Lines to show; ANSI colours are allowed in them."""
    failed: bool = False
    """Nothing was done; `lines` say why."""
    say: str = ""
    """A message that is to be said now, as if it were typed."""
    ends: bool = False
    """The program is to end."""
    status: Status | None = None
    """The new state beside the prompt, where it has changed."""
