"""The question that stands open in the session in front, so that its keys can be handed on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from nagomi_tui.api.messages import Asks, Failed, OpenStanding
from nagomi_tui.judge.questions import Question
from nagomi_tui.sessions.session import Condition, Session, State
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap.actions import key_label
from nagomi_tui.view.screens.prompt import Keys

_Asked: TypeAlias = "tuple[str, float | None, str]"
"""A session's id, since when it calls, and what it says: another one may be another question."""


class OpenQuestion:
    """Follows the session in front, and asks for its question while it calls."""

    def __init__(self, link: Link, changed: Callable[[], object]) -> None:
        self.question: Question | None = None
        """The question, or None while there is none or it is not known yet."""
        self._link = link
        self._changed = changed
        """Called when another question, or none, stands there."""
        self._asked: _Asked | None = None

    def follow(self, session: Session | None) -> None:
        """Ask for this session's question if it calls, once for each call."""
        asked = _asked(session)
        if asked != self._asked:
            self._asked = asked
            self._know(None)
            self.ask()

    def ask(self) -> None:
        """Ask for the question that stands there now: it may be drawn late, or have gone."""
        asked = self._asked
        if asked is None:
            return

        def answered(answer: OpenStanding | Failed) -> None:
            if self._asked == asked:
                self._know(None if isinstance(answer, Failed) else answer.question)

        self._link.request(Asks(id=0, session=asked[0]), answered)

    def _know(self, question: Question | None) -> None:
        before, self.question = self.question, question
        if before != question:
            self._changed()


def keys_of(question: Question | None) -> Keys:
    """Return the keys that answer a question, as the prompt hands them on."""
    if question is None:
        return Keys()
    return Keys(
        frozenset(choice.key for choice in question.choices),
        menu=bool(question.options),
        question=question.question_id,
    )


def answers(question: Question) -> str:
    """Return the keys that answer a question, as they are written for a user."""
    if question.options:
        return f"↑ ↓ {key_label('enter')}"
    return ", ".join(key_label(choice.key) for choice in question.choices)


def typed_answers(question: Question) -> str:
    """Return the keys that answer a question in the prompt, as they are written for a user."""
    if question.options:
        return answers(question)
    typed = [key_label(choice.key) for choice in question.choices if choice.key != "enter"]
    if not typed:
        return key_label("enter")
    return tr("{keys} and {enter}", keys=", ".join(typed), enter=key_label("enter"))


def _asked(session: Session | None) -> _Asked | None:
    calls = session is not None and session.phase is Condition.ATTENTION
    if session is None or not calls or session.state is not State.RUNNING:
        return None
    return session.session_id, session.phase_since, session.summary
