"""A toolbox for tests, with the real mask, and a user who answers as told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

from nagomi_tui.agent.providers.interface import ToolCall
from nagomi_tui.agent.tools.granted import Granted, ToolContext
from nagomi_tui.agent.tools.toolbox import Toolbox
from nagomi_tui.agent.turns.library import all_tools
from nagomi_tui.masking import mask
from nagomi_tui.text import words
from tests.helpers.no_workplace import NoWorkplace

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from pathlib import Path

    from nagomi_tui.agent.talk.events import Choice, Question
    from nagomi_tui.agent.tools.interface import Plan, ToolResult, Workplace

NOW = 1_790_000_000.0


class User:
    """Answers questions; before that, `meanwhile` happens."""

    def __init__(self, choice: Choice = "once") -> None:
        self.choice: Choice = choice
        self.asked: list[Question] = []
        self.acted: list[Plan] = []
        """What was done by a grant."""
        self.meanwhile: Callable[[], Awaitable[None]] | None = None

    async def note(self, plan: Plan) -> None:
        self.acted.append(plan)

    async def ask(self, question: Question) -> Choice:
        self.asked.append(question)
        if self.meanwhile is not None:
            await self.meanwhile()
        return self.choice


def box(
    folder: Path,
    user: User,
    *,
    granted: Iterable[Path] = (),
    hidden: Iterable[Path] = (),
    workplace: Workplace | None = None,
    allows: Callable[[str, Plan], Awaitable[bool]] | None = None,
    language: str = "en",
) -> Toolbox:
    spoken = words.of(language)
    folders = Granted(folder, granted, hidden=hidden)
    tools = all_tools(ToolContext(workplace or NoWorkplace(), folders, mask, lambda: NOW, spoken))
    return Toolbox(
        tools, ask_user=user.ask, mask=mask, acted=user.note, allows=allows, words=spoken
    )


async def call(tools: Toolbox, name: str, /, **given: Any) -> ToolResult:
    return await tools.use(ToolCall("toolu_1", name, given))


def use(tools: Toolbox, name: str, /, **given: Any) -> ToolResult:
    async def story() -> ToolResult:
        with anyio.fail_after(60):
            return await call(tools, name, **given)

    return anyio.run(story)
