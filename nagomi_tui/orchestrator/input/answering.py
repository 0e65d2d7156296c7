"""Reads the question that is open on a session's screen, and types the answer to it."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import anyio
import msgspec

from nagomi_tui.api.messages import AnswerSent, OpenStanding
from nagomi_tui.judge.choices import behind_words, read_arrows, read_draft, read_question
from nagomi_tui.judge.evidence import Foreground, Wait
from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.questions import Choice, Question
from nagomi_tui.judge.resolver import agent_questions, foreground_manifest, shell_rests
from nagomi_tui.judge.screen_rules import Manifest
from nagomi_tui.judge.verdict import State
from nagomi_tui.orchestrator.input.sender import InputSender
from nagomi_tui.orchestrator.judging.explaining import Reasons
from nagomi_tui.orchestrator.judging.session_judge import SessionJudge
from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.table import naming
from nagomi_tui.text.rows import Cursor, Row
from nagomi_tui.text.words import translatable

_KEYS: Final = ("enter", "escape")
"""Choices that are keys by name; any other is typed as it is."""
_AGAIN_SECONDS: Final = 2.0
"""Seconds in which the same menu is not answered again: the key would reach what follows it."""
_TAKEN_SECONDS: Final = 2.0
_SEEN_SECONDS: Final = 0.5
"""Seconds within which the worker reports on processes after silence or input."""
_MARKED_SECONDS: Final = 0.6
"""Seconds after which a menu that still stands, marked at what was chosen, wants Enter as well."""
_LOOK_PAUSE: Final = 0.05


class _Answered(msgspec.Struct, frozen=True):
    """The last answer to a session: its question, the time, and the output by then in bytes."""

    question: str
    at: float
    offset: int


class Answering:
    """Reads the open question of a session, and answers it."""

    def __init__(self, sender: InputSender, asking: Asking, reasons: Reasons) -> None:
        self._sender = sender
        self._asking = asking
        self._reasons = reasons
        self._busy: set[str] = set()
        """Ids of sessions that are being answered, which get one answer at a time."""
        self._answered: dict[str, _Answered] = {}

    async def asks(self, who: Requester, session: SessionRuntime) -> OpenStanding:
        """Return the session's state with reasons, and the question or draft on its screen."""
        found = await self._asking.look(session)
        standing = self._reasons.why(session, who.words)
        told: dict[str, Any] = {**msgspec.structs.asdict(standing), **naming(session)}
        return OpenStanding(**told, question=found.question, draft=found.draft or "")

    async def answer(
        self, who: Requester, session: SessionRuntime, choice: str, *, question: str = ""
    ) -> AnswerSent:
        """Send one choice of the question on the screen, followed by Enter if a line is read.

        `question` is the id of the question that is meant; "" means whichever is on the screen.

        Raises:
            Refusal: there is no question, another one, no such choice, or an answer to it is on
                its way; nothing was sent.
        """
        if session.session_id in self._busy:
            sentence = translatable("{name} is being answered just now; nothing more was sent.")
            raise Refusal("refused", sentence, name=session.info.name)
        self._busy.add(session.session_id)
        try:
            reads_lines = await self._reads_lines(session)
            asked = (await self._asking.look(session)).question
            meant = _meant(session, asked, choice, question)
            assert asked is not None
            self._check_again(session, asked)
            taken = await self._send(who, session, asked, meant, at_once=reads_lines)
        finally:
            self._busy.discard(session.session_id)
        if not taken and not asked.by_line:
            self._answered.pop(session.session_id, None)
        return AnswerSent(choice=meant, by_line=asked.by_line, taken=taken)

    # --- steps

    async def _send(
        self,
        who: Requester,
        session: SessionRuntime,
        question: Question,
        choice: Choice,
        *,
        at_once: bool,
    ) -> bool:
        """Send a choice, and return whether it was taken."""
        line = question.by_line and choice.key not in _KEYS
        sent_at = time.monotonic()
        if choice.key in _KEYS:
            self._sender.press_named(who, session, (choice.key,))
        elif not line or not question.typed:
            self._sender.type_text(who, session, choice.key)
        entered = line and (at_once or await self._wants_enter(session, question, choice, sent_at))
        if entered:
            self._sender.press_named(who, session, ("enter",))
        elif not line and choice.key not in _KEYS:
            if await self._answer_taken(session, question, by_key=False, within=_MARKED_SECONDS):
                return True
            if self._asking.is_marked(session, choice.key):
                self._sender.press_named(who, session, ("enter",))
        return await self._answer_taken(session, question, by_key=line and not entered)

    async def _wants_enter(
        self, session: SessionRuntime, question: Question, choice: Choice, sent_at: float
    ) -> bool:
        """Wait until a typed choice shows on its line; return whether Enter is still needed.

        If the terminal is not in line mode, the program may have taken the key alone.
        """
        seen = await self._look_since(session, sent_at)
        for _ in range(round(_TAKEN_SECONDS / _LOOK_PAUSE)):
            now = self._asking.read(session).question
            if not session.running or now is None or now.question_id != question.question_id:
                return False
            if now.typed.lower() == choice.key.lower():
                return seen is None or not seen.canonical or seen.wait is Wait.READ
            await anyio.sleep(_LOOK_PAUSE)
        return False

    async def _answer_taken(
        self,
        session: SessionRuntime,
        before: Question,
        *,
        by_key: bool,
        within: float = _TAKEN_SECONDS,
    ) -> bool:
        """Return whether the question has gone; with `by_key`, also whether the key shows."""
        for _ in range(round(within / _LOOK_PAUSE)):
            await anyio.sleep(_LOOK_PAUSE)
            now = self._asking.read(session).question
            if not session.running or now is None or now.question_id != before.question_id:
                return True
            if by_key and now.typed != before.typed:
                return True
        return False

    def _check_again(self, session: SessionRuntime, question: Question) -> None:
        """Refuse to answer a question again that was answered and has not gone yet."""
        before, now = self._answered.get(session.session_id), time.monotonic()
        if before is not None and before.question == question.question_id:
            if question.by_line and session.run.offset == before.offset:
                sentence = translatable(
                    "{name} has not taken the last answer yet; nothing more was sent."
                )
                raise Refusal("refused", sentence, name=session.info.name)
            if not question.by_line and now < before.at + _AGAIN_SECONDS:
                sentence = translatable("{name} was answered a moment ago; nothing more was sent.")
                raise Refusal("refused", sentence, name=session.info.name)
        self._answered[session.session_id] = _Answered(
            question.question_id, now, session.run.offset
        )

    async def _reads_lines(self, session: SessionRuntime) -> bool:
        """Return whether the terminal is in line mode, which keeps a line back until Enter."""
        seen = await self._look_since(
            session, time.monotonic() - (time.time() - session.run.output_at)
        )
        return seen is not None and seen.canonical

    async def _look_since(self, session: SessionRuntime, moment: float) -> Foreground | None:
        """Return the worker's report on processes after `moment`, or None if none comes."""
        for _ in range(round(_SEEN_SECONDS / _LOOK_PAUSE)):
            seen = self._asking.foreground(session)
            if seen is not None and seen.at > moment:
                return seen
            await anyio.sleep(_LOOK_PAUSE)
        return None


def _meant(session: SessionRuntime, question: Question | None, key: str, asked: str) -> Choice:
    """Return the choice of a question that has this key, if the question is the `asked` one.

    Raises:
        Refusal: the question that stands there is another one, or cannot be answered so.
    """
    name = session.info.name
    if question is None:
        raise Refusal("refused", "{name} asks nothing that could be answered by a key.", name=name)
    if asked not in ("", question.question_id):
        sentence = translatable("{name} asks something else by now: {question} Nothing was sent.")
        raise Refusal("refused", sentence, name=name, question=question.text)
    if question.options:
        sentence = translatable(
            "{name} is answered on its own screen, with the arrow keys: {question}"
        )
        raise Refusal("refused", sentence, name=name, question=question.text)
    choice = question.choice(key)
    if choice is None:
        sentence = translatable("“{choice}” is none of its choices: {choices}.")
        listed = ", ".join(known.key for known in question.choices)
        raise Refusal("bad_request", sentence, choice=key, choices=listed)
    if choice.key not in _KEYS and question.typed.lower() not in ("", choice.key.lower()):
        sentence = translatable(
            "“{typed}” is typed there already: Enter sends it. Nothing was sent."
        )
        raise Refusal("refused", sentence, typed=question.typed)
    return choice


_CATCH_UP_SECONDS: Final = 0.5
_PAUSE: Final = 0.005
_ABOVE: Final = 40
"""Lines above a small screen in which a question is looked for."""

_ENTERS: Final = re.compile(
    r"(?i)\b(?:enter|return)(?: to|:)? (?:confirm|continue|select|submit|choose|accept)\b"
)


class Open(msgspec.Struct, frozen=True):
    """What was read; `draft` is None if the program has no input field of its own."""

    question: Question | None = None
    draft: str | None = None


class Asking:
    """Reads screens by the rules for the program in the foreground."""

    def __init__(self, judged: Mapping[SessionRuntime, SessionJudge]) -> None:
        self._judged = judged

    async def look(self, session: SessionRuntime) -> Open:
        """Read the screen once all output so far is on it."""
        await session.run.rebuilt.wait()
        for _ in range(round(_CATCH_UP_SECONDS / _PAUSE)):
            if not session.run.backlog:
                break
            await anyio.sleep(_PAUSE)
        return self.read(session)

    def is_marked(self, session: SessionRuntime, key: str) -> bool:
        """Tell whether a menu's mark stands at the choice with this key, and Enter is what takes it."""
        screen = session.run.screen
        rows = [row.text for row in screen.screen()] if screen is not None else []
        marked = re.compile(rf"^[\s│┃|]*[❯›»▸▶➜→>●] *{re.escape(key)}[.)\]] ")
        return any(map(marked.match, rows)) and any(map(_ENTERS.search, rows))

    def read(self, session: SessionRuntime) -> Open:
        run = session.run
        manifest = self.manifest_of(session)
        if run.screen is None or not session.running or manifest is None:
            return Open()
        rows, cursor = run.screen.screen(), run.screen.cursor
        question = self._question(session, manifest, rows, cursor)
        if question is not None and not question.text and not run.screen.modes.alt_screen:
            # On a screen with room for the choices alone, what is asked has scrolled up.
            oldest, top, _ = run.screen.bounds
            above = run.screen.lines(max(oldest, top - _ABOVE), top)
            below = msgspec.structs.replace(cursor, y=cursor.y + len(above))
            whole = self._question(session, manifest, [*above, *rows], below)
            question = whole if whole and whole.choices == question.choices else question
        if question is not None or manifest.input is None:
            return Open(question)
        return Open(None, read_draft(manifest.input, rows))

    def _question(
        self, session: SessionRuntime, manifest: Manifest, rows: Sequence[Row], cursor: Cursor
    ) -> Question | None:
        """Return what is asked in these rows by the program's own rules, or by any where it calls."""
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
        return question

    def _calling(self, session: SessionRuntime) -> Judge | None:
        """Return the judge of a session that is shown to need its user."""
        judged = self._judged.get(session)
        calls = judged is not None and judged.judge.shown.state is State.ATTENTION
        return judged.judge if judged is not None and calls else None

    def at_prompt(self, session: SessionRuntime) -> bool:
        """Return whether a shell is at its prompt, with nothing typed."""
        judged = self._judged.get(session)
        return judged is not None and shell_rests(judged.judge.known, judged.judge.book)

    def foreground(self, session: SessionRuntime) -> Foreground | None:
        """Return the worker's last report on foreground processes, or None."""
        judged = self._judged.get(session)
        return judged.judge.known.foreground if judged is not None else None

    def was_unseen(self, session: SessionRuntime, since: float) -> bool:
        """Return whether text was typed without an echo since then, in monotonic seconds."""
        judged = self._judged.get(session)
        return judged is not None and judged.unseen_at >= since

    def manifest_of(self, session: SessionRuntime) -> Manifest | None:
        """Return the rules for the foreground program, or None while a shell is at its prompt."""
        judged = self._judged.get(session)
        if judged is None or shell_rests(judged.judge.known, judged.judge.book):
            return None
        judge = judged.judge
        found = foreground_manifest(judge.known, judge.book)
        if found is not None and (found.question or found.input):
            return found
        return judge.book.named("generic")
