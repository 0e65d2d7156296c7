"""A conversation as front ends use it, either in their own process or over the agent's socket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from nagomi_tui.agent.talk.events import Choice, Reply, Status, TurnEvent


class TalkFault(Exception):
    """A conversation cannot be opened or used; the message is a sentence for the user."""


class Talk(Protocol):
    """One conversation, with one turn at a time."""

    @property
    def status(self) -> Status:
        """The current state, which is shown beside the prompt."""

    @property
    def notice(self) -> str:
        """Sentences on what prevents a turn and on unreadable lines of the file; may be empty."""

    @property
    def gone(self) -> bool:
        """Whether the agent's process has gone; the conversation can be opened again then."""

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
