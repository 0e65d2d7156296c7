"""What leaves the prompt: texts for the session in front, keys for its program, answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.api.messages import Answer, AskJudge, Asks, Failed, Press, Send
from nagomi_tui.judge.verdict import ASK_JUDGE
from nagomi_tui.text.cells import cut, printable
from nagomi_tui.view.actions.asking import Handlers
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap.bindings import hint
from nagomi_tui.view.prompt.open_question import answers

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import Advised, AnswerSent, OpenStanding, Sent
    from nagomi_tui.sessions.session import Session
    from nagomi_tui.view.actions.asking import Asking

_DRAFT: Final = 60
"""Columns of a draft in a sentence."""
_MODIFIERS: Final = {"shift": 1, "ctrl": 4}


class PromptHandlers(Handlers):
    """Sends what the prompt's user writes, and says what was refused."""

    def __init__(
        self, asking: Asking, *, take_back: Callable[[str], object], typed: Callable[[], object]
    ) -> None:
        """`take_back` shows a sentence that was told no longer.

        `typed` hears that the session in front was typed into.
        """
        super().__init__(asking)
        self._take_back = take_back
        self._typed = typed
        self._refusal = ""
        """Why a text was not sent, until another one is, or the question is answered."""

    # --- keys

    def press(self, key: str) -> None:
        """Press a key, by Textual's name, in the program of the session in front."""
        if (session := self._state.current) is not None:
            *modifiers, last = key.split("+")
            mods = sum(_MODIFIERS[name] for name in modifiers)
            text = " " if last == "space" else ""
            self._link.send(Press(session=session.session_id, key=last, mods=mods, text=text))
            self._typed()

    def answer(self, choice: str, question: str) -> None:
        """Answer the question of the session in front, if it still stands there."""
        session = self._state.current
        if session is None:
            return
        self._typed()

        def answered(answer: AnswerSent | Failed) -> None:
            if isinstance(answer, Failed):
                self._tell(answer.message, error=True, session=session.session_id)
            elif not answer.taken:
                self._tell(
                    tr("The answer was sent, but the question still stands there."),
                    error=True,
                    session=session.session_id,
                )
            else:
                self._take_back(self._refusal)

        order = Answer(id=0, session=session.session_id, choice=choice, question=question)
        self._link.request(order, answered)

    # --- texts

    def send(self, text: str, *, hidden: bool = False) -> None:
        """Send the prompt's text; a secret is kept nowhere, be it known here or by the orchestrator."""
        session = self._state.current
        if session is None:
            return
        if text.strip() == ASK_JUDGE and not hidden:
            self._ask_judge(session.session_id)
            return
        self._typed()

        self._state.sent(session.session_id)
        self._main.show()

        def answered(answer: Sent | Failed) -> None:
            if isinstance(answer, Failed):
                if not hidden:
                    self._main.give_back(session.session_id, text)
                self._tell_refused(session, answer)
                return
            self._take_back(self._refusal)
            if not hidden and not answer.hidden:
                self._state.remember(session.session_id, text)
            if answer.taken is False:
                name = printable(session.name)
                self._tell(
                    tr("It was typed, but {name} has not taken it so far.", name=name),
                    error=True,
                    session=session.session_id,
                )

        self._link.request(Send(id=0, session=session.session_id, text=text), answered)

    def _tell_refused(self, session: Session, refused: Failed) -> None:
        """Say why a text was not sent, and which key does what is to be done first."""

        def answered(found: OpenStanding | Failed) -> None:
            said = "" if isinstance(found, Failed) else _in_the_way(session, found)
            self._refusal = said or refused.message
            self._tell(self._refusal, error=True, session=session.session_id)

        if refused.code == "refused":
            self._link.request(Asks(id=0, session=session.session_id), answered)
        else:
            self._tell(refused.message, error=True, session=session.session_id)

    def _ask_judge(self, session_id: str) -> None:
        """Ask the LLM judge; its advice comes by itself, and here only what went wrong."""

        def answered(answer: Advised | Failed) -> None:
            failed = isinstance(answer, Failed)
            if fault := answer.message if isinstance(answer, Failed) else answer.reason:
                self._tell(fault, error=failed, session=session_id)

        self._link.request(AskJudge(id=0, session=session_id), answered)


def _in_the_way(session: Session, found: OpenStanding) -> str:
    """Return a sentence on the question or draft that a text would have met, or ""."""
    name, question = printable(session.name), found.question
    if question is not None and question.options:
        return tr(
            "{name} asks: {question} Nothing was sent; {key} gives the program the keys, and "
            "{answers} answer.",
            name=name, question=printable(question.text), key=hint("to_program"),
            answers=answers(question),
        )  # fmt: skip
    if question is not None and question.choices:
        return tr(
            "{name} asks: {question} Nothing was sent; {key}, then one of {answers} answers.",
            name=name, question=printable(question.text), key=hint("judge"),
            answers=answers(question),
        )  # fmt: skip
    if found.draft:
        return tr(
            "A draft stands in the input of {name}: “{draft}”. Nothing was sent; {key} gives the "
            "program the keys.",
            name=name, draft=cut(printable(found.draft), _DRAFT), key=hint("to_program"),
        )  # fmt: skip
    return ""
