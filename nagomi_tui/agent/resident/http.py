"""The HTTP API in the agent's process: over the library, and the connection to the orchestrator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.agent.http.bodies import Answered
from nagomi_tui.agent.http.ports import AskFailed
from nagomi_tui.agent.providers.interface import ModelFault
from nagomi_tui.agent.turns import faults

if TYPE_CHECKING:
    from nagomi_tui.agent.modes.modes import ModeReport
    from nagomi_tui.agent.turns.library import Library
    from nagomi_tui.words import Words


class LibraryModes:
    """The agent's mode, whose changes others hear of."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def report(self) -> ModeReport:
        """Return the mode, without any steps."""
        return self._library.modes.report()

    async def change(self, to: str) -> ModeReport:
        """Change the mode.

        Raises:
            InvalidMode: there is no such mode.
        """
        return await self._library.change_mode(to)


class LibraryAsking:
    """Single questions, beside all conversations."""

    def __init__(self, library: Library, words: Words) -> None:
        self._library = library
        self._words = words

    async def ask(self, question: str) -> Answered:
        """Answer a question.

        Raises:
            AskFailed: there is no answer.
        """
        try:
            found = await self._library.questions.asking(self._words.language).ask(question)
        except ModelFault as fault:
            raise AskFailed(faults.sentence_of(fault, self._words)) from fault
        return Answered(ok=True, answer=found.answer, context_age=found.context_age)
