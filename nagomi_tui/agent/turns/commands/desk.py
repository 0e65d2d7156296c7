"""What commands see and change: the open conversation, its neighbours, and what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.agent.overlay.work import WorkMode
    from nagomi_tui.agent.providers.interface import Usage
    from nagomi_tui.agent.talk.events import Status
    from nagomi_tui.words import Words


class Listed(Protocol):
    """A conversation as the index lists it."""

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits."""

    @property
    def label(self) -> str:
        """Its name for people; may be empty."""

    @property
    def last_active(self) -> str:
        """ISO 8601, in UTC."""

    @property
    def message_count(self) -> int:
        """Messages, not records."""


class ContextUse(msgspec.Struct, frozen=True, kw_only=True):
    """How much of the model's window the next request takes."""

    tokens: int
    limit: int
    messages: int


class Compacted(msgspec.Struct, frozen=True, kw_only=True):
    """Messages of the next request before and after a summary; the same where nothing was done."""

    before: int
    after: int


class ToolLine(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as `/tools` lists it."""

    name: str
    acts: bool
    sentence: str
    allowed: bool = False
    """The user has allowed it for this conversation."""


class Desk(Protocol):
    """The open conversation and what belongs to it. Each method may raise `TalkFault`."""

    @property
    def words(self) -> Words:
        """The user's language."""

    @property
    def status(self) -> Status:
        """The state shown beside the prompt."""

    @property
    def work(self) -> WorkMode:
        """The work overlay of the open conversation."""

    def entries(self) -> Sequence[Listed]:
        """Return all conversations, the latest first (SC-5)."""

    def find(self, name: str) -> Listed:
        """Return the one whose id or label is or begins with a name (SB-15, S-27).

        Raises:
            NoConversation: there is none.
            Ambiguous: there are several.
        """

    @property
    def notice(self) -> str:
        """What is in the way of a turn, and whether something in the file was garbled."""

    async def begin(self, label: str) -> Listed:
        """Begin a conversation and open it."""

    async def switch(self, id: str) -> Listed:
        """Open another conversation, with its history."""

    def export(self) -> str:
        """Return the conversation as Markdown."""

    def last_said(self) -> str:
        """Return the user's latest message; empty where there is none."""

    async def use(self) -> ContextUse:
        """Return how much of the window the next request takes."""

    async def preview(self) -> str:
        """Return what the next request would send, masked."""

    async def compact(self) -> Compacted:
        """Have the model sum up the older half (S-29); no other command asks a model."""

    async def change_mode(self, mode: str) -> tuple[str, ...]:
        """Change the agent mode; returns a line for each step that was taken."""

    def tools(self) -> Sequence[ToolLine]:
        """Return the tools that the model is offered."""

    def use_model(self, name: str) -> None:
        """Ask another model from the next turn on, until the program ends."""

    def usage(self) -> Usage:
        """Return what this conversation has used since it was opened."""
