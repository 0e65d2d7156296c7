"""What the judge's pane does for its user: answer, correct, run a next step, ask the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec
from textual.message import Message

from nagomi_tui.api.messages import Act, Answer, AskJudge, Correct, Failed
from nagomi_tui.judge.verdict import Risk
from nagomi_tui.text.cells import visible
from nagomi_tui.view.common.translate import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import Acted, Advised, AnswerSent, Request
    from nagomi_tui.judge.verdict import State
    from nagomi_tui.view.connection.link import Link

Answered = TypeVar("Answered")


class Reported(Message):
    """A sentence for the user."""

    def __init__(self, text: str, *, fault: bool = False) -> None:
        super().__init__()
        self.text = text
        self.fault = fault


class SessionStarted(Message):
    """A next step runs in a new session."""

    def __init__(self, session_id: str) -> None:
        super().__init__()
        self.session_id = session_id


class ConfirmationAsked(Message):
    """Something is done only if the user says so once more."""

    def __init__(self, title: str, question: str, yes: str, go_on: Callable[[], None]) -> None:
        super().__init__()
        self.title = title
        self.question = question
        self.yes = yes
        self.go_on = go_on


class JudgeActions:
    """Sends the user's choices to the orchestrator, and posts what came of them."""

    def __init__(
        self, link: Link, *, post: Callable[[Message], object], done: Callable[[], object]
    ) -> None:
        self._link = link
        self._post = post
        self._done = done
        self.asking: set[str] = set()
        """Ids of sessions that the model is being asked about."""

    def answer(self, session_id: str, question_id: str, choice: str) -> None:
        """Send one choice of this very question."""
        order = Answer(id=0, session=session_id, choice=choice, question=question_id)

        def answered(answer: AnswerSent) -> None:
            if not answer.taken:
                self._fault(tr("The answer was sent, but the question still stands there."))

        self._send(order, answered)

    def correct(self, session_id: str, state: State) -> None:
        """Tell the orchestrator the session's real state."""
        self._send(Correct(id=0, session=session_id, state=state), lambda _: None)

    def run(self, order: Act) -> None:
        """Run a next step: after a question if it is risky, in a new session if this one is busy."""

        def answered(answer: Acted | Failed) -> None:
            if isinstance(answer, Failed):
                self._refused(order, answer)
            elif answer.new:
                self._post(SessionStarted(answer.session_id))
            self._done()

        self._link.request(order, answered)

    def ask_model(self, session_id: str) -> None:
        """Ask the model (判定して): it answers as advice, or a sentence says why not."""

        def answered(answer: Advised | Failed) -> None:
            self.asking.discard(session_id)
            if fault := answer.message if isinstance(answer, Failed) else answer.reason:
                self._fault(fault)
            self._done()

        self.asking.add(session_id)
        self._link.request(AskJudge(id=0, session=session_id), answered)

    # --- steps

    def _send(self, request: Request[Answered], then: Callable[[Answered], None]) -> None:
        def answered(answer: Answered | Failed) -> None:
            if isinstance(answer, Failed):
                self._fault(answer.message)
            else:
                then(answer)
            self._done()

        self._link.request(request, answered)

    def _refused(self, order: Act, answer: Failed) -> None:
        command = visible(order.command)
        if answer.code == "risky":
            from nagomi_tui.judge.next_steps import risk_of  # it loads what reads commands

            sure = msgspec.structs.replace(order, sure=True)
            high = risk_of(order.command) is Risk.HIGH
            title, yes = (
                tr("The risk is high") if high else tr("It does more than read"),
                tr("Run it"),
            )
            question = f"{command}\n\n{tr('It may change or delete more than it says.')}"
            self._post(ConfirmationAsked(title, question, yes, lambda: self.run(sure)))
        elif answer.code == "busy":
            anew = msgspec.structs.replace(order, anew=True)
            title, yes = tr("A program is in front"), tr("Run it there")
            where = tr("It can run in a new session in the same folder.")
            without = tr(
                "What was set in this one, such as a virtual environment, is not set there."
            )
            question = f"{command}\n\n{where} {without}"
            self._post(ConfirmationAsked(title, question, yes, lambda: self.run(anew)))
        else:
            self._fault(answer.message)

    def _fault(self, text: str) -> None:
        self._post(Reported(text, fault=True))
