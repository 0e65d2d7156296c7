"""What all conversations of one agent share in a process."""

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
    """Gives conversations and questions what they need; settings are read at each use."""

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
        """`mask` returns a text with its secrets masked."""
        self.settings = settings
        self.models = models
        self.modes = modes
        self.on_mode: list[Callable[[AgentMode], Awaitable[None]]] = []
        """Functions called in this order with the new mode after each change."""
        self.conversations = conversations
        self.toolboxes = toolboxes
        self.questions = questions
        self.mask = mask

    async def change_mode(self, to: str) -> ModeReport:
        """Change the agent's mode, and call the functions in `on_mode` if it has changed.

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
        """Return the work overlay's directive, with the names from the settings (X-23)."""
        return directive(self.settings().agent_name, self.settings().agent_user)
