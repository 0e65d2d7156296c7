"""A single question outside all conversations: a context of limited size, one request, no tools.

It does not use the work overlay (F-17), writes no inner notes (MB-10), and does not wait for a turn
in any conversation.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from nagomi_tui.agent.modes.sections import escaped
from nagomi_tui.agent.modes.tags import inner_blocks
from nagomi_tui.agent.providers.interface import (
    Answered,
    ModelFault,
    ModelRequest,
    TextPiece,
    Usage,
)
from nagomi_tui.core.text.plain import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.agent.common.values import Clock, Mask
    from nagomi_tui.agent.modes.snapshot import Awareness, Thread
    from nagomi_tui.agent.turns.runner import Model

QUESTION_LIMIT: Final = 8000
"""Most characters of a question; the rest is cut."""
MEMORY_LIMIT: Final = 2000
"""Most characters of the agent's memory that go with a question, from its beginning."""
SESSIONS_LIMIT: Final = 60
_LINE_LENGTH: Final = 200
_TOKENS: Final = 2000


class Known(Protocol):
    """The context of a question."""

    async def self_awareness(self) -> Awareness | None:
        """Return the workplace's sessions; None if no workplace runs."""

    def notes(self) -> str:
        """Return the notes that the current mode adds; may be empty."""

    def memory(self) -> str:
        """Return the agent's memory; may be empty."""


class AskAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer; its context was gathered `context_age` seconds before it was complete."""

    answer: str
    context_age: float
    usage: Usage = Usage()


class Asking:
    """Answers single questions, in every agent mode (MC-5)."""

    def __init__(
        self, model: Callable[[], Model], system: Callable[[], str], known: Known, *, mask: Mask,
        now: Clock,
    ) -> None:  # fmt: skip
        self._model = model
        self._system = system
        self._known = known
        self._mask = mask
        self._now = now

    async def ask(self, question: str) -> AskAnswer:
        """Ask the model, and return its answer without inner blocks.

        Raises:
            ModelFault: there is no answer, or an empty one.
        """
        looked = self._now()
        request = await self.request(question)
        pieces: list[str] = []
        answered = None
        async with aclosing(self._model().ask(request)) as events:
            async for event in events:
                if isinstance(event, TextPiece):
                    pieces.append(event.text)
                elif isinstance(event, Answered):
                    answered = event
        answer = inner_blocks("".join(pieces)).visible.strip()
        if answered is None or not answer:
            raise ModelFault("broken")
        return AskAnswer(
            answer=answer, context_age=max(0.0, self._now() - looked), usage=answered.usage
        )

    async def request(self, question: str) -> ModelRequest:
        """Return the request for a question, with notes, memory and sessions, all masked (F-14)."""
        sections = (
            self._known.notes(),
            _section("memory", self._known.memory()[:MEMORY_LIMIT]),
            _section("workspace_status", _listed(await self._known.self_awareness())),
        )
        context = "\n".join(section for section in sections if section)
        content = self._mask(f"{context}\n\n{question.strip()[:QUESTION_LIMIT]}".strip())
        return ModelRequest(
            system=self._system(),
            messages=[{"role": "user", "content": content}],
            max_tokens=_TOKENS,
        )


def _listed(awareness: Awareness | None) -> str:
    if awareness is None:
        return "No workplace runs, so there are no sessions."
    lines = [_line(thread) for thread in awareness.threads[:SESSIONS_LIMIT]]
    more = len(awareness.threads) - len(lines)
    return "\n".join(lines + [f"… and {more} more"] * bool(more)) or "There are no sessions."


def _line(thread: Thread) -> str:
    waits = ", waits for the user" if thread.waits else ""
    told = f"{thread.number} {thread.name} ({thread.state}, {thread.phase}{waits})"
    words = " ".join(printable(f"{told}: {thread.summary}").split())
    return words[:_LINE_LENGTH].rstrip(": ")


def _section(name: str, text: str) -> str:
    """Return the text between tags that it cannot close (MB-9); empty if the text is blank."""
    return f"<{name}>\n{escaped(text.strip())}\n</{name}>" if text.strip() else ""
