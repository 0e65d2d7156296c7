"""Reads what is open on a session's screen: a question with choices, or a draft."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import anyio
import msgspec

from nagomi_tui.core.judge.questions.asking import Question
from nagomi_tui.core.judge.questions.choices import (
    behind_words,
    read_arrows,
    read_draft,
    read_question,
)
from nagomi_tui.core.judge.resolver import agent_questions, foreground_manifest, shell_rests
from nagomi_tui.core.judge.verdict import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.core.judge.evidence import Foreground
    from nagomi_tui.core.judge.judge import Judge
    from nagomi_tui.core.judge.manifest import Manifest
    from nagomi_tui.orchestrator.judging.judged import Judged
    from nagomi_tui.orchestrator.sessions.roles import Named, Typable

_CATCH_UP_SECONDS: Final = 0.5
_PAUSE: Final = 0.005

_ENTERS: Final = re.compile(
    r"(?i)\b(?:enter|return)(?: to|:)? (?:confirm|continue|select|submit|choose|accept)\b"
)


class Open(msgspec.Struct, frozen=True):
    """What was read; `draft` is None if the program has no input field of its own."""

    question: Question | None = None
    draft: str | None = None


class Asking:
    """Reads screens by the rules for the program in the foreground."""

    def __init__(self, judged: Mapping[Named, Judged]) -> None:
        self._judged = judged

    async def look(self, session: Typable) -> Open:
        """Read the screen once all output so far is on it."""
        await session.run.rebuilt.wait()
        for _ in range(round(_CATCH_UP_SECONDS / _PAUSE)):
            if not session.run.backlog:
                break
            await anyio.sleep(_PAUSE)
        return self.read(session)

    def is_marked(self, session: Typable, key: str) -> bool:
        """Tell whether a menu's mark stands at the choice with this key, and Enter is what takes it."""
        screen = session.run.screen
        rows = [row.text for row in screen.screen()] if screen is not None else []
        marked = re.compile(rf"^[\s│┃|]*[❯›»▸▶➜→>●] *{re.escape(key)}[.)\]] ")
        return any(map(marked.match, rows)) and any(map(_ENTERS.search, rows))

    def read(self, session: Typable) -> Open:
        """Read the screen at once."""
        run = session.run
        manifest = self.manifest_of(session)
        if run.screen is None or not session.running or manifest is None:
            return Open()
        rows, cursor = run.screen.screen(), run.screen.cursor
        question = read_question(manifest.question, rows, cursor)
        judge = self._calling(session)
        if question is None and judge is not None:
            agent = judge.agent
            rules = agent_questions(agent, judge.book) if agent else ()
            question = (
                read_question(rules, rows, cursor)
                or read_question(manifest.question, rows, behind_words(rows, cursor))
                or read_arrows(rows, asks=bool(agent))
            )
        if question is not None or manifest.input is None:
            return Open(question)
        return Open(None, read_draft(manifest.input, rows))

    def _calling(self, session: Named) -> Judge | None:
        """Return the judge of a session that is shown to need its user."""
        judged = self._judged.get(session)
        calls = judged is not None and judged.judge.shown.state is State.ATTENTION
        return judged.judge if judged is not None and calls else None

    def at_prompt(self, session: Named) -> bool:
        """Return whether a shell is at its prompt, with nothing typed."""
        judged = self._judged.get(session)
        return judged is not None and shell_rests(judged.judge.known, judged.judge.book)

    def foreground(self, session: Named) -> Foreground | None:
        """Return the worker's last report on foreground processes, or None."""
        judged = self._judged.get(session)
        return judged.judge.known.foreground if judged is not None else None

    def was_unseen(self, session: Named, since: float) -> bool:
        """Return whether text was typed without an echo since then, in monotonic seconds."""
        judged = self._judged.get(session)
        return judged is not None and judged.unseen_at >= since

    def manifest_of(self, session: Named) -> Manifest | None:
        """Return the rules for the foreground program, or None while a shell is at its prompt."""
        judged = self._judged.get(session)
        if judged is None or shell_rests(judged.judge.known, judged.judge.book):
            return None
        judge = judged.judge
        found = foreground_manifest(judge.known, judge.book)
        if found is not None and (found.question or found.input):
            return found
        return judge.book.named("generic")
