"""A desk in memory: conversations that commands list, begin and switch, without files or a model."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from nagomi_tui.agent.conversations.store import meant
from nagomi_tui.agent.overlay import Overlay, WorkMode, directive
from nagomi_tui.agent.providers.interface import Usage
from nagomi_tui.agent.providers.models import Spent, Today
from nagomi_tui.agent.talk.events import Exchange, Status, TalkFault
from nagomi_tui.agent.tools.interface import ToolFault, Workplace
from nagomi_tui.agent.tools.toolbox import Grant
from nagomi_tui.agent.turns.open_conversation import ContextUse, ToolLine
from nagomi_tui.text import words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from nagomi_tui.agent.conversations.entries import Entry
    from nagomi_tui.agent.turns.slash_commands import Listed
    from nagomi_tui.api import messages


def entry(id: str, label: str, *, messages: int = 0, last: str = "2026-01-02T03:04:05") -> Listed:
    """Return a conversation as an index lists it."""
    return SimpleNamespace(
        id=id, label=label, last_active=f"{last}.123456+00:00", message_count=messages
    )


class Desk:
    """What commands act on; `asked` counts the requests that a model would have got."""

    def __init__(self, *entries: Listed, language: str = "en") -> None:
        self.listed = list(entries) or [entry("0123456789ab", "initial")]
        self.words = words.of(language)
        self.current = self.listed[0]
        self.asked = 0
        self.granted = [
            (Grant("send_to_session", "a", "all texts to 20 coder", 0), False),
            (Grant("write_file", "b", "all changes of a.md", 0), True),
        ]
        self.notice = ""
        self.busy = ""
        self.said = ""
        self.contents = ContextUse(tokens=1234, limit=180_000, messages=6)
        self.stored: list[Overlay] = []
        self.work = WorkMode(Overlay(), self.stored.append, directive(), language)
        self.mode = "calm"
        self.model = "claude-test"
        self.usage = Usage(input=1200, output=34, cache_read=1000, cost=0.01234)

    @property
    def status(self) -> Status:
        return Status(
            conversation=self.current.id,
            label=self.current.label,
            turns_left=self.work.overlay.turns_left,
            mode=self.mode,
            model=self.model,
        )

    def entries(self) -> Sequence[Listed]:
        return sorted(self.listed, key=lambda one: one.last_active, reverse=True)

    def find(self, name: str) -> Entry:
        return meant([cast("Entry", one) for one in self.entries()], name)

    async def begin(self, label: str) -> Listed:
        self.current = entry(f"{len(self.listed):012x}", label)
        self.listed.append(self.current)
        return self.current

    async def switch(self, id: str) -> Listed:
        if id == self.busy:
            raise TalkFault("another program holds that conversation.")
        self.current = next(one for one in self.listed if one.id == id)
        return self.current

    def export(self) -> str:
        return "# initial\n\n**You**\n\nhello\n"

    def last_said(self) -> str:
        return self.said

    def last_exchange(self) -> Exchange | None:
        return Exchange("What is **tea**?", "A *drink*.") if self.current.message_count else None

    async def use(self) -> ContextUse:
        return self.contents

    async def preview(self) -> str:
        return "system\n…"

    async def compact(self) -> tuple[int, int]:
        self.asked += 1
        return 6, 4

    async def change_mode(self, mode: str) -> tuple[str, ...]:
        self.mode = mode
        return (f"mode: {mode}",)

    def tools(self) -> Sequence[ToolLine]:
        return (
            ToolLine(name="read_file", acts=False),
            ToolLine(name="write_file", acts=True),
            ToolLine(name="send_to_session", acts=True, allowed=True),
        )

    def today(self) -> Today:
        return Today(
            day="2026-11-28",
            routes={
                "chat": Spent(requests=3, tokens=4_200, cost=0.021),
                "summary": Spent(requests=1, tokens=900, unpriced=1),
            },
        )

    day_limit = 2.0

    def grants(self) -> tuple[tuple[Grant, bool], ...]:
        return tuple(self.granted)

    class folders:
        """No folder is granted here."""

        @staticmethod
        def listed() -> tuple[tuple[Path, bool], ...]:
            return ()

    async def request(self, request: messages.Request[Any]) -> Any:
        """Make a request of the real workplace."""
        try:
            return await Workplace().request(request)
        except ToolFault as fault:
            raise TalkFault(fault.data or str(fault)) from fault

    def revoke(self, grant: Grant) -> None:
        self.granted = [one for one in self.granted if one[0] is not grant]

    def allowance(self) -> tuple[str, ...]:
        return ()
