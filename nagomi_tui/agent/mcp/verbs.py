"""Tools for other agents only: one waits for a session, one answers a session's question."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from msgspec import Meta

from nagomi_tui.agent.tools.interface import Actor, Given, Output, Plan, Reader, ToolFault
from nagomi_tui.agent.tools.session_actors import typable
from nagomi_tui.agent.tools.session_readers import SessionName
from nagomi_tui.api import messages
from nagomi_tui.core.text.plain import visible
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.agent.tools.connected import ConnectedWorkplace
    from nagomi_tui.words import Words

_MOST_SECONDS = 600.0
_ANSWERS = translatable("Answer the question of {number} {name}")


class WaitGiven(Given, frozen=True, kw_only=True):
    """A session, and the event to wait for, for at most `seconds`."""

    session: SessionName
    until: Annotated[
        Literal["exit", "silence", "output"],
        Meta(description="The command has ended, nothing was printed for a while, or a line fits."),
    ] = "silence"
    pattern: Annotated[
        str, Meta(max_length=500, description="Regular expression for `output`.")
    ] = ""
    seconds: Annotated[float, Meta(gt=0, le=_MOST_SECONDS)] = 60.0


class WaitForSession(Reader[WaitGiven]):
    """Waits for a session's end, silence or a matching line of output."""

    name: ClassVar = "wait_for_session"
    description: ClassVar = (
        "Wait until a session has ended, was silent for a few seconds, or printed a line that fits "
        "a pattern; or until the time is over."
    )
    given: ClassVar = WaitGiven
    seconds: ClassVar = _MOST_SECONDS + 20.0

    def __init__(self, workplace: ConnectedWorkplace) -> None:
        self._workplace = workplace

    async def read(self, given: WaitGiven) -> Output:
        """Return why the wait ended, with the exit code and the line found, if any."""
        order = messages.Wait(
            id=0,
            session=given.session,
            until=given.until,
            pattern=given.pattern,
            timeout=given.seconds,
        )
        waited = await self._workplace.request(order, timeout=given.seconds + 10.0)
        code = "" if waited.exit_code is None else f" Exit code {waited.exit_code}."
        return Output(f"The wait ended by: {waited.reason}.{code}", waited.line or None)


class AnswerGiven(Given, frozen=True, kw_only=True):
    """A session, and the choice to answer its question with."""

    session: SessionName
    choice: Annotated[str, Meta(min_length=1, max_length=40, description="Key of the choice.")]


class AnswerSession(Actor[AnswerGiven]):
    """Answers the question that a session shows on its screen."""

    name: ClassVar = "answer_session"
    description: ClassVar = (
        "Answer the question with choices that stands open in a session, by one choice's key. "
        "The user is asked first."
    )
    given: ClassVar = AnswerGiven

    def __init__(self, workplace: ConnectedWorkplace, words: Words) -> None:
        self._workplace = workplace
        self._words = words

    async def plan(self, given: AnswerGiven) -> Plan:
        """Return the question and the choice; a grant covers this session."""
        session = await typable(self._workplace, given.session)
        asked = await self._workplace.request(messages.Asks(id=0, session=session.session_id))
        question = asked.question
        if question is None:
            raise ToolFault("No question with choices stands there.")
        choice = question.choice(given.choice)
        if choice is None:
            keys = ", ".join(one.key for one in question.choices)
            raise ToolFault("There is no such choice. There are:", keys)
        lines = (question.text, *question.details, f"→ {choice.key} {choice.label}")
        return Plan(
            title=self._words.say(_ANSWERS, number=session.number, name=session.name),
            detail="\n".join(visible(line) for line in lines),
            target=session.session_id,
            risk="medium",
            act=partial(self._answer, session.session_id, choice.key, question.question_id),
        )

    async def _answer(self, session: str, choice: str, question: str) -> Output:
        """Answer the question, if the session still shows the same one."""
        await typable(self._workplace, session)
        order = messages.Answer(id=0, session=session, choice=choice, question=question)
        sent = await self._workplace.request(order, acts=True)
        return Output("Answered." if sent.taken else "Sent, but the question stands there still.")
