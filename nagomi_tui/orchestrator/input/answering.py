"""Types the answer to the question that is open on a session's screen."""

from __future__ import annotations

import time
from typing import Final

import anyio
import msgspec

from nagomi_tui.api.messages import AnswerSent
from nagomi_tui.judge.evidence import Foreground, Wait
from nagomi_tui.judge.questions import Choice, Question
from nagomi_tui.orchestrator.input.sender import InputSender
from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
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
    """Answers the open question of a session."""

    def __init__(self, sender: InputSender) -> None:
        self._sender, self._asking = sender, sender.asking
        self._busy: set[str] = set()
        """Ids of sessions that are being answered, which get one answer at a time."""
        self._answered: dict[str, _Answered] = {}

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
