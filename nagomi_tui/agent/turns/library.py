"""What all conversations of one agent share, in whatever process they are held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.agent.overlay.directive import directive
from nagomi_tui.agent.turns.persona import persona_of
from nagomi_tui.agent.turns.prompt import chat_prompt

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nagomi_tui.agent.common.values import Mask
    from nagomi_tui.agent.conversations.store import Conversations
    from nagomi_tui.agent.modes.mode import AgentMode
    from nagomi_tui.agent.modes.modes import ModeReport, Modes
    from nagomi_tui.agent.turns.models import Models
    from nagomi_tui.agent.turns.questions import Questions
    from nagomi_tui.agent.turns.toolboxes import Toolboxes
    from nagomi_tui.settings.model import Settings


class Library:
    """Has what a conversation or a question needs, each from the settings as they are then."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        models: Models,
        modes: Modes,
        *,
        conversations: Conversations,
        toolboxes: Toolboxes,
        questions: Questions,
        mask: Mask,
    ) -> None:
        """`mask` covers the secrets of a text."""
        self.settings = settings
        self.models = models
        self.modes = modes
        self.on_mode: list[Callable[[AgentMode], Awaitable[None]]] = []
        """Who hears of a mode that has changed, in this order."""
        self.conversations = conversations
        self.toolboxes = toolboxes
        self.questions = questions
        self.mask = mask

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
