"""What single questions need: the model, the persona, and the context from the workplace."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from nagomi_tui import files
from nagomi_tui.agent.context.single import guarded
from nagomi_tui.agent.tools.interface import ToolFault
from nagomi_tui.agent.turns.ask import Asking
from nagomi_tui.agent.turns.persona import persona_of
from nagomi_tui.agent.turns.prompt import ask_prompt

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from nagomi_tui.agent.common.values import Clock, Mask
    from nagomi_tui.agent.modes.modes import Modes
    from nagomi_tui.agent.modes.snapshot import Awareness
    from nagomi_tui.agent.turns.ask import Known
    from nagomi_tui.agent.turns.models import Models
    from nagomi_tui.settings.model import Settings

MEMORY: Final = "memory/MEMORY.md"
"""The file with the agent's memory, in its workspace folder."""


class QuestionContext:
    """The context of a question: the sessions, the notes, and the agent's memory."""

    def __init__(
        self, folder: Path, awareness: Callable[[], Awaitable[Awareness]], modes: Modes
    ) -> None:
        """`folder` is the agent's workspace folder."""
        self._folder = folder
        self._awareness = awareness
        self._modes = modes

    async def self_awareness(self) -> Awareness | None:
        """Return the workplace's sessions; None if no workplace runs or answers."""
        try:
            return await self._awareness()
        except ToolFault:
            return None

    def notes(self) -> str:
        """Return the notes that the current mode adds; empty if they cannot be read."""
        with contextlib.suppress(OSError):
            return self._modes.sections()
        return ""

    def memory(self) -> str:
        """Return the agent's memory; empty if the file cannot be read."""
        with contextlib.suppress(OSError):
            return files.read(self._folder / MEMORY).decode(errors="replace")
        return ""


class Questions:
    """Makes the objects that answer single questions; settings are read at each question."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        models: Models,
        known: Known,
        *,
        mask: Mask,
        now: Clock,
    ) -> None:
        self._settings = settings
        self._models = models
        self._known = known
        self._mask = mask
        self._now = now

    def asking(self, language: str, environment: Mapping[str, str] | None = None) -> Asking:
        """Return an `Asking` that answers in a language; `environment` may hold the model's key."""
        return Asking(
            lambda: guarded(self._models.provider(environment=environment), self._models.limit()),
            lambda: ask_prompt(persona_of(self._settings(), language)),
            self._known,
            mask=self._mask,
            now=self._now,
        )
