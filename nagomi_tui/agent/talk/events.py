"""What a turn tells its front end, and a conversation as front ends use it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from nagomi_tui.agent.providers.interface import TextPiece, Usage

Choice: TypeAlias = Literal["once", "conversation", "no"]
"""The user's answer to a question: yes for this once, yes for this conversation, or no."""


CONSENT: Final = "consent"
"""The `tool` of the question whether anything may be sent to the model."""


class ToolStarted(msgspec.Struct, frozen=True, tag="tool_started"):
    """A tool call has begun; `summary` is one line such as `read_file notes.md`."""

    id: str
    name: str
    summary: str


class ToolEnded(msgspec.Struct, frozen=True, tag="tool_ended"):
    """A tool call has ended; `summary` is one line on its result."""

    id: str
    ok: bool
    summary: str


class Question(msgspec.Struct, frozen=True, tag="question"):
    """An acting tool waits for the user's answer."""

    id: str
    tool: str
    title: str
    """One line on what the tool would do."""
    detail: str = ""
    """Exactly what the tool would do: the command, the text or the unified diff; may be empty."""
    risk: str = ""
    """`low`, `medium` or `high`; empty if the risk is not computed."""
    scope: str = ""
    """What a yes for the whole conversation covers, in words; empty if there is no such answer."""
    again: str = ""
    """Why it is asked although the user said yes for the conversation before; may be empty."""


class Acted(msgspec.Struct, frozen=True, tag="acted"):
    """A tool acts by a yes that the user gave for the conversation: what it does, as asked then."""

    title: str
    detail: str = ""


class Notice(msgspec.Struct, frozen=True, tag="notice"):
    """A sentence beside the answer, such as that the answer was cut."""

    text: str


class Stage(msgspec.Struct, frozen=True, tag="stage"):
    """What is done before an answer begins, in one line: a wait before a retry, a summary."""

    text: str


class TurnEnded(msgspec.Struct, frozen=True, tag="turn_ended"):
    """The turn is over.

    `text` is the visible answer. If the turn failed, it is the reason; if it was cancelled, the text
    so far or nothing.
    """

    outcome: Literal["done", "cancelled", "failed"]
    text: str = ""
    usage: Usage = Usage()


TurnEvent: TypeAlias = (
    TextPiece | ToolStarted | ToolEnded | Question | Acted | Notice | Stage | TurnEnded
)


class Status(msgspec.Struct, frozen=True, kw_only=True, tag="status"):
    """The state of a conversation, which front ends show beside the prompt."""

    conversation: str
    """The conversation's id."""
    label: str
    turns_left: int = 0
    """The turns that are left of work mode (the work overlay); 0 when it is off."""
    mode: str = "calm"
    model: str = ""
    tokens: int = 0
    """Estimated tokens of the next request."""
    limit: int = 180_000


class Exchange(msgspec.Struct, frozen=True, tag="exchange"):
    """What the user said last in a conversation, and what was answered."""

    said: str
    answered: str = ""


class Reply(msgspec.Struct, frozen=True, kw_only=True, tag="reply"):
    """The result of a slash command."""

    lines: tuple[str, ...] = ()
    """Lines to show; they may contain ANSI colours."""
    failed: bool = False
    """The command or one of its steps failed; `lines` say why."""
    say: str = ""
    """A message that the front end is to send now, as if the user had typed it; may be empty."""
    ends: bool = False
    """The front end is to end."""
    status: Status | None = None
    """The new state of the conversation; None if it has not changed."""
    last: Exchange | None = None
    """The last words of the conversation that was gone to; None if there are none."""


class TalkFault(Exception):
    """A conversation cannot be opened or used; the message is a sentence for the user."""


Greeted: TypeAlias = "Callable[[tuple[str, ...], tuple[str, ...]], object]"
"""Gets the greeting's lines and, for the keys 1, 2, 3 …, what each begins to say for the user."""


class Talk(Protocol):
    """One conversation, with one turn at a time."""

    @property
    def status(self) -> Status:
        """The current state, which is shown beside the prompt."""

    @property
    def notice(self) -> str:
        """Sentences on what prevents a turn and on unreadable lines of the file; may be empty."""

    @property
    def last(self) -> Exchange | None:
        """The last words when the conversation was opened; None if there are none."""

    @property
    def gone(self) -> bool:
        """Whether the agent's process has gone; the conversation can be opened again then."""

    def listen(
        self,
        heard: Callable[[str], object],
        greeted: Greeted | None = None,
        changed: Callable[[], object] | None = None,
    ) -> None:
        """Call `heard` with what the agent says of its own accord, and `greeted` with its greeting.

        `changed` is called when something else has changed `status`, such as the agent's mode.
        """

    def say(self, text: str) -> AsyncIterator[TurnEvent]:
        """Run a turn; leaving the iteration cancels the turn and keeps the text so far.

        Raises:
            TalkFault: another turn runs, or the agent has gone.
        """

    async def answer(self, question: str, choice: Choice) -> None:
        """Answer a question of the running turn; `question` is its id."""

    async def command(self, line: str) -> Reply:
        """Carry out a slash command, such as `/list`."""

    async def completions(self, line: str) -> tuple[str, ...]:
        """Return whole lines that complete the beginning of a slash command."""
