"""The interface through which slash commands read and change conversations, model and mode."""

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
    """A conversation in the list of conversations."""

    @property
    def id(self) -> str:
        """The conversation's id: twelve hexadecimal digits."""

    @property
    def label(self) -> str:
        """The conversation's name for the user; may be empty."""

    @property
    def last_active(self) -> str:
        """The time of the last activity: ISO 8601, in UTC."""

    @property
    def message_count(self) -> int:
        """The number of messages; a message can be several records in the file."""


class ContextUse(msgspec.Struct, frozen=True, kw_only=True):
    """How much of the model's context window the next request takes, in tokens and messages."""

    tokens: int
    limit: int
    messages: int


class Compacted(msgspec.Struct, frozen=True, kw_only=True):
    """Messages of the next request before and after a summary; equal if none was made."""

    before: int
    after: int


class ToolLine(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as `/tools` lists it."""

    name: str
    acts: bool
    sentence: str
    allowed: bool = False
    """The user has granted the tool something for this conversation."""


class Desk(Protocol):
    """The open conversation, and the list of all. Each method may raise `TalkFault`."""

    @property
    def words(self) -> Words:
        """The sentences in the user's language."""

    @property
    def status(self) -> Status:
        """The state shown beside the prompt."""

    @property
    def work(self) -> WorkMode:
        """The work overlay of the open conversation."""

    def entries(self) -> Sequence[Listed]:
        """Return all conversations, the latest first (SC-5)."""

    def find(self, name: str) -> Listed:
        """Return the conversation whose id or label is, or begins with, `name` (SB-15, S-27).

        Raises:
            NoConversation: no conversation fits the name.
            Ambiguous: several conversations fit the name.
        """

    @property
    def notice(self) -> str:
        """Sentences on what prevents a turn and on unreadable lines of the file; may be empty."""

    async def begin(self, label: str) -> Listed:
        """Begin a conversation and open it."""

    async def switch(self, id: str) -> Listed:
        """Open the conversation `id` in place of the current one, with its history."""

    def export(self) -> str:
        """Return the conversation as Markdown."""

    def last_said(self) -> str:
        """Return the user's latest message; empty if there is none."""

    async def use(self) -> ContextUse:
        """Return how much of the model's context window the next request takes."""

    async def preview(self) -> str:
        """Return what the next request would send, with secrets masked."""

    async def compact(self) -> Compacted:
        """Have the model summarise the older half of the messages (S-29)."""

    async def change_mode(self, mode: str) -> tuple[str, ...]:
        """Change the agent mode; return a line for each step, or the mode if nothing changed."""

    def tools(self) -> Sequence[ToolLine]:
        """Return the tools that the model is offered."""

    def use_model(self, name: str) -> None:
        """Use another model from the next turn on, until the program ends."""

    def usage(self) -> Usage:
        """Return the usage of this conversation's turns since it was opened."""
