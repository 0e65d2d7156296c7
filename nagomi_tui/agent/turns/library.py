"""What all conversations of one agent share, in whatever process they are held."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from nagomi_tui import files
from nagomi_tui.agent.conversations.store import Conversations
from nagomi_tui.agent.overlay.directive import directive
from nagomi_tui.agent.tools.everything import all_tools
from nagomi_tui.agent.tools.granted import Granted
from nagomi_tui.agent.tools.interface import ToolFault
from nagomi_tui.agent.tools.toolbox import Toolbox
from nagomi_tui.agent.turns.ask import Asking
from nagomi_tui.agent.turns.persona import persona_of
from nagomi_tui.agent.turns.prompt import ask_prompt, chat_prompt

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from nagomi_tui.agent.common.values import Clock, Mask
    from nagomi_tui.agent.modes.mode import AgentMode
    from nagomi_tui.agent.modes.modes import ModeReport, Modes
    from nagomi_tui.agent.talk.events import Choice, Question
    from nagomi_tui.agent.tools.workplace import Workplace
    from nagomi_tui.agent.turns.models import Models
    from nagomi_tui.core.session.session import Session
    from nagomi_tui.settings.model import Settings
    from nagomi_tui.words import Words

MEMORY: Final = "memory/MEMORY.md"
"""What the agent remembers, within its folder."""


class Library:
    """Makes what a conversation or a question needs, each from the settings as they are then."""

    def __init__(
        self,
        folder: Path,
        settings: Callable[[], Settings],
        models: Models,
        *,
        modes: Modes,
        workplace: Workplace,
        hidden: Sequence[Path],
        mask: Mask,
        now: Clock,
    ) -> None:
        """`folder` is the agent's own; `hidden` folders are not granted by one above them."""
        self.settings = settings
        self.models = models
        self.modes = modes
        self.on_mode: list[Callable[[AgentMode], Awaitable[None]]] = []
        """Who hears of a mode that has changed, in this order."""
        self.conversations = Conversations(folder, now=now, mask=mask)
        self.mask = mask
        self._folder = folder
        self._workplace = workplace
        self._hidden = hidden
        self._now = now

    async def change_mode(self, to: str) -> ModeReport:
        """Change the agent's mode, and tell those who are to hear of it.

        Raises:
            InvalidMode: there is no such mode.
        """
        before, report = self.modes.mode, await self.modes.change(to)
        if self.modes.mode != before:
            for hear in self.on_mode:
                await hear(self.modes.mode)
        return report

    def chat_prompt(self, language: str) -> str:
        """Return the system prompt of a conversation."""
        return chat_prompt(persona_of(self.settings(), language), self.modes.mode)

    def directive(self) -> str:
        """Return the overlay's directive with the names that are set (X-23)."""
        return directive(self.settings().agent_name, self.settings().agent_user)

    def toolbox(
        self,
        ask_user: Callable[[Question], Awaitable[Choice]],
        folders: Sequence[Path],
        words: Words,
    ) -> Toolbox:
        """Return the tools of one conversation, which may see these folders."""
        granted = Granted(self._folder, folders, hidden=self._hidden)
        tools = all_tools(self._workplace, granted, mask=self.mask, now=self._now, words=words)
        return Toolbox(tools, ask_user=ask_user, mask=self.mask)

    def asking(self, language: str, environment: Mapping[str, str] | None = None) -> Asking:
        """Return what answers single questions; `environment` may hold the user's key."""
        return Asking(
            lambda: self.models.provider(environment=environment),
            lambda: ask_prompt(persona_of(self.settings(), language)),
            self,
            mask=self.mask,
            now=self._now,
        )

    # --- what a question goes with

    async def sessions(self) -> tuple[Session, ...] | None:
        """Return all sessions; None where no workplace runs."""
        try:
            return await self._workplace.list_sessions()
        except ToolFault:
            return None

    def notes(self) -> str:
        """Return the notes as the mode has them; none where they cannot be read."""
        with contextlib.suppress(OSError):
            return self.modes.sections()
        return ""

    def memory(self) -> str:
        """Return what the agent remembers; nothing where there is no such file."""
        with contextlib.suppress(OSError):
            return files.read(self._folder / MEMORY).decode(errors="replace")
        return ""
