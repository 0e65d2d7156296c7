"""A conversation as a program sees it: the library in its own process, or the agent's socket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from nagomi_tui.agent.talk.events import Choice, Reply, Status, TurnEvent


class TalkFault(Exception):
    """Talking is not possible; the message is a sentence for the user."""


class Talk(Protocol):
    """One conversation; a turn at a time."""

    @property
    def status(self) -> Status:
        """What stands beside the prompt now."""

    @property
    def notice(self) -> str:
        """Sentences about it, one a line: what is missing to talk, what of its file was garbled."""

    @property
    def gone(self) -> bool:
        """The other end is not there any more; the conversation can be opened again."""

    def say(self, text: str) -> AsyncIterator[TurnEvent]:
        """Run a turn; cancelling the iteration ends the turn and keeps what came.

        Raises:
            TalkFault: another turn runs, or the agent has gone.
        """

    async def answer(self, question: str, choice: Choice) -> None:
        """Answer a question of the running turn, by its id."""

    async def command(self, line: str) -> Reply:
        """Do what a line says that begins with `/`, and answer without a model."""

    async def completions(self, line: str) -> tuple[str, ...]:
        """Return what could follow a line that begins with `/`: commands, labels, modes."""
