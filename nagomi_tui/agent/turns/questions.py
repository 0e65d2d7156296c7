"""A single question outside of all conversations.

It does not use the work overlay (F-17), writes no inner notes (MB-10), and does not wait for a turn
in any conversation.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Final

import msgspec

from nagomi_tui.agent.modes.inner_notes import inner_blocks
from nagomi_tui.agent.modes.mode import Thread
from nagomi_tui.agent.modes.modes import Modes
from nagomi_tui.agent.modes.notes import section
from nagomi_tui.agent.providers import interface as llm
from nagomi_tui.agent.providers.faults import reason_of
from nagomi_tui.agent.tools.files import MEMORY
from nagomi_tui.agent.tools.interface import ToolFault, Workplace, is_own
from nagomi_tui.agent.tools.toolbox import fenced
from nagomi_tui.agent.turns.models import Models, odd_end
from nagomi_tui.agent.turns.prompts import ask_prompt, persona_of
from nagomi_tui.sessions.session import Session, has_ended
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import files
from nagomi_tui.text.cells import printable
from nagomi_tui.text.words import Words, of, translatable

QUESTION_LIMIT: Final = 8000
"""Most characters of a question; the rest is cut."""
MEMORY_LIMIT: Final = 2000
"""Most characters of the agent's memory that go with a question, from its beginning."""
SESSIONS_LIMIT: Final = 60
_LINE_LENGTH: Final = 200
_TOKENS: Final = 2000


class AskAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer; its context was gathered `context_age` seconds before it was complete."""

    answer: str
    context_age: float
    usage: llm.Usage = llm.Usage()
    notes: tuple[str, ...] = ()
    """Sentences on what of question, context or answer was cut."""


_QUESTION_CUT: Final = translatable("Only the first {count} characters of the question were sent.")
_MEMORY_CUT: Final = translatable("Only the first {count} characters of the memory were sent.")
_SESSIONS_CUT: Final = translatable("Only {count} of {all} sessions were told of.")
_SHORTENED: Final = translatable(
    "The question with what goes along was too long for the model; its middle was left out."
)

_AGAIN: Final = translatable("It was asked again: {why}.")


def _listed(awareness: tuple[Thread, ...] | None) -> str:
    if awareness is None:
        return "No workplace runs, so there are no sessions."
    lines = [_line(thread) for thread in awareness[:SESSIONS_LIMIT]]
    more = len(awareness) - len(lines)
    return "\n".join(lines + [f"… and {more} more"] * bool(more)) or "There are no sessions."


def _line(thread: Thread) -> str:
    waits = ", waits for the user" if thread.waits else ""
    told = f"{thread.number} {thread.name} ({thread.state}, {thread.phase}{waits})"
    words = " ".join(printable(f"{told}: {thread.summary}").split())
    return words[:_LINE_LENGTH].rstrip(": ")


class QuestionContext:
    """The context of a question: the sessions, the notes, and the agent's memory."""

    def __init__(
        self, folder: Path, awareness: Callable[[], Awaitable[tuple[Thread, ...]]], modes: Modes
    ) -> None:
        """`folder` is the agent's workspace folder."""
        self._folder = folder
        self._awareness = awareness
        self._modes = modes

    async def self_awareness(self) -> tuple[Thread, ...] | None:
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


@dataclass(eq=False)
class Questions:
    """Answers single questions, in every agent mode (MC-5); settings are read at each question."""

    settings: Callable[[], Settings]
    models: Models
    known: QuestionContext
    _: KW_ONLY
    mask: llm.Mask
    now: llm.Clock

    async def ask(
        self, question: str, language: str, environment: Mapping[str, str] | None = None
    ) -> AskAnswer:
        """Ask the model, and return its answer without inner blocks; `environment` may hold its key.

        Raises:
            ModelFault: there is no answer, or an empty one.
        """
        looked, words = self.now(), of(language)
        request, notes = await self._request(question, words)
        pieces: list[str] = []
        answered = None
        model = await self.models.guarded(environment)
        async with aclosing(model.ask(request)) as events:
            async for event in events:
                if isinstance(event, llm.TextPiece):
                    pieces.append(event.text)
                elif isinstance(event, llm.Answered):
                    answered = event
                elif isinstance(event, llm.Progress) and event.kind == "cut":
                    notes.append(words.gettext(_SHORTENED))
                elif isinstance(event, llm.Progress) and event.kind == "retry":
                    notes.append(words.say(_AGAIN, why=reason_of(event.cause, words)))
        answer = inner_blocks("".join(pieces)).visible.strip()
        if answered is None or not answer:
            raise llm.ModelFault("broken")
        notes += filter(
            None, (odd_end(answered.stop_reason, words), self.models.unpriced_note(words))
        )
        return AskAnswer(
            answer=answer,
            context_age=max(0.0, self.now() - looked),
            usage=answered.usage,
            notes=tuple(notes),
        )

    async def _request(self, question: str, words: Words) -> tuple[llm.ModelRequest, list[str]]:
        """Return the request for a question, and what of it was cut.

        With it go notes, memory and sessions, all masked (F-14).
        """
        memory, awareness = self.known.memory(), await self.known.self_awareness()
        sections = (
            self.known.notes(),
            section("memory", memory[:MEMORY_LIMIT]),
            section("workspace_status", _listed(awareness)),
        )
        sessions = len(awareness or ())
        say, notes = words.say, list[str]()
        if len(question.strip()) > QUESTION_LIMIT:
            notes.append(say(_QUESTION_CUT, count=f"{QUESTION_LIMIT:,}"))
        if len(memory.strip()) > MEMORY_LIMIT:
            notes.append(say(_MEMORY_CUT, count=f"{MEMORY_LIMIT:,}"))
        if sessions > SESSIONS_LIMIT:
            notes.append(say(_SESSIONS_CUT, count=SESSIONS_LIMIT, all=sessions))
        context = fenced(self.mask("\n".join(section for section in sections if section)))
        content = f"{context}\n\n{self.mask(question.strip()[:QUESTION_LIMIT])}".strip()
        request = llm.ModelRequest(
            system=ask_prompt(persona_of(self.settings(), words.language)),
            messages=[{"role": "user", "content": content}],
            max_tokens=_TOKENS,
            route="ask",
        )
        return request, notes


async def self_awareness(workplace: Workplace, mask: llm.Mask) -> tuple[Thread, ...]:
    """Return the workplace's sessions as they are now, without the agent's own, secrets masked.

    Raises:
        ToolFault: no workplace runs, or it does not answer.
    """
    sessions = await workplace.list_sessions()
    return tuple(_thread(one, mask) for one in sessions if not is_own(one))


def _thread(session: Session, mask: llm.Mask) -> Thread:
    return Thread(
        mask(session.name),
        str(session.phase),
        mask(session.summary or session.title),
        number=session.number,
        state=str(session.state),
        waits=session.waits,
        is_open=not has_ended(session),
    )
