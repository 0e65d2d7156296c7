"""What leaves the prompt and the judge's pane: texts, keys, answers, next steps, questions to the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from nagomi_tui.api import messages as m
from nagomi_tui.judge.verdict import ASK_JUDGE, Risk
from nagomi_tui.sessions.session import Session
from nagomi_tui.text.cells import cut, printable, visible
from nagomi_tui.text.words import translatable
from nagomi_tui.view.actions.asking import Asking, Handlers
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap.bindings import hint
from nagomi_tui.view.screens.judge_pane import JudgePane
from nagomi_tui.view.screens.open_question import answers

_DRAFT: Final = 60
"""Columns of a draft in a sentence."""
_NOT_TAKEN: Final = translatable("The answer was sent, but the question still stands there.")
_MODIFIERS: Final = {"shift": 1, "ctrl": 4}


class PromptHandlers(Handlers):
    """Sends what the prompt's user writes, and says what was refused."""

    def __init__(
        self,
        asking: Asking,
        judge: JudgeHandlers,
        *,
        take_back: Callable[[str], object],
        typed: Callable[[], object],
    ) -> None:
        """`take_back` shows a sentence that was told no longer.

        `typed` hears that the session in front was typed into.
        """
        super().__init__(asking)
        self._judge = judge
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
            self._link.send(m.Press(session=session.session_id, key=last, mods=mods, text=text))
            self._typed()

    def answer(self, choice: str, question: str) -> None:
        """Answer the question of the session in front, if it still stands there."""
        session = self._state.current
        if session is None:
            return
        self._typed()

        def answered(answer: m.AnswerSent | m.Failed) -> None:
            if isinstance(answer, m.Failed):
                self._tell(answer.message, error=True, session=session.session_id)
            elif not answer.taken:
                self._tell(tr(_NOT_TAKEN), error=True, session=session.session_id)
            else:
                self._take_back(self._refusal)

        order = m.Answer(id=0, session=session.session_id, choice=choice, question=question)
        self._link.request(order, answered)

    # --- texts

    def send(self, text: str, *, hidden: bool = False, early: bool = False) -> None:
        """Send the prompt's text; a secret is kept nowhere, be it known here or by the orchestrator.

        One that was begun `early`, before the question that stands open, is not sent: to a program
        that reads a line it could be an answer.
        """
        session = self._state.current
        if session is None:
            return
        if text.strip() == ASK_JUDGE and not hidden:
            self._judge.ask_model(
                m.AskJudge(id=0, session=session.session_id), self._main.judge_pane
            )
            return
        if early:
            self._main.give_back(session.session_id, text)
            self._tell_in_the_way(session)
            return
        self._typed()

        self._state.sent(session.session_id)
        self._main.show()

        def answered(answer: m.Sent | m.Failed) -> None:
            if isinstance(answer, m.Failed):
                if not hidden:
                    self._main.give_back(session.session_id, text)
                if answer.code == "refused":
                    self._tell_in_the_way(session, answer.message)
                else:
                    self._tell(answer.message, error=True, session=session.session_id)
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

        self._link.request(m.Send(id=0, session=session.session_id, text=text), answered)

    def _tell_in_the_way(self, session: Session, otherwise: str = "") -> None:
        """Say why a text was not sent, and which key does what is to be done first."""

        def answered(found: m.OpenStanding | m.Failed) -> None:
            said = "" if isinstance(found, m.Failed) else _in_the_way(session, found)
            self._refusal = said or otherwise
            self._tell(self._refusal, error=True, session=session.session_id)

        self._link.request(m.Asks(id=0, session=session.session_id), answered)


class JudgeHandlers(Handlers):
    """Carries out what is asked for in the judge's pane."""

    def carry_out(
        self, pane: JudgePane, request: m.Answer | m.Correct | m.Act | m.AskJudge
    ) -> None:
        """Send it, tell what went wrong, and have the pane look again."""

        def answered(answer: object) -> None:
            if isinstance(answer, m.Failed):
                self._refused(pane, request, answer)
            elif isinstance(answer, m.Acted) and answer.new:
                self._asking.expect(answer.session_id)
            elif isinstance(answer, m.AnswerSent) and not answer.taken:
                self._tell_fault(tr(_NOT_TAKEN))
            pane.ask()

        if isinstance(request, m.AskJudge):
            self.ask_model(request, pane)
        else:
            asked: m.Request[Any] = request
            self._link.request(asked, answered)

    def ask_model(self, request: m.AskJudge, pane: JudgePane) -> None:
        """Ask the model (判定して): it answers as advice, or a sentence says why not."""

        def answered(answer: m.Advised | m.Failed) -> None:
            pane.asking.discard(request.session)
            failed = isinstance(answer, m.Failed)
            if fault := answer.message if isinstance(answer, m.Failed) else answer.reason:
                self._tell(fault, error=failed, session=request.session)
            pane.ask()

        pane.asking.add(request.session)
        self._link.request(request, answered)

    def _refused(
        self, pane: JudgePane, request: m.Answer | m.Correct | m.Act | m.AskJudge, answer: m.Failed
    ) -> None:
        """Ask before a risky next step is run, and before one is run elsewhere; else say why not."""
        if not isinstance(request, m.Act) or answer.code not in ("risky", "busy"):
            self._tell_fault(answer.message)
            return
        if answer.code == "risky":
            from nagomi_tui.judge.next_steps import risk_of  # it loads what reads commands

            anyway = replace(request, sure=True)
            high = risk_of(request.command) is Risk.HIGH
            title = tr("The risk is high") if high else tr("It does more than read")
            yes, why = tr("Run it"), tr("It may change or delete more than it says.")
        else:
            anyway = replace(request, anew=True)
            title, yes = tr("A program is in front"), tr("Run it there")
            where = tr("It can run in a new session in the same folder.")
            without = tr(
                "What was set in this one, such as a virtual environment, is not set there."
            )
            why = f"{where} {without}"
        question = f"{visible(request.command)}\n\n{why}"
        self._asking.confirm(
            title, question, yes, lambda: self.carry_out(pane, anyway), sudden=True
        )

    def _tell_fault(self, text: str) -> None:
        self._tell(text, error=True, session=self._state.focused)


def _in_the_way(session: Session, found: m.OpenStanding) -> str:
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
