"""Handles requests about verdicts, questions, next steps, corrections and traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final

import msgspec

from nagomi_tui.api import messages, printing
from nagomi_tui.judge.verdict import beside_state
from nagomi_tui.orchestrator.guard.guards import Guards
from nagomi_tui.orchestrator.input.answering import Answering
from nagomi_tui.orchestrator.input.sender import InputSender
from nagomi_tui.orchestrator.judging.advisor import Advisor
from nagomi_tui.orchestrator.judging.explaining import Reasons
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.lifecycle.creating import NextSteps
from nagomi_tui.orchestrator.server.dispatch import Asker, Group
from nagomi_tui.orchestrator.sessions.table import SessionTable, naming
from nagomi_tui.sessions.order import next_in_need
from nagomi_tui.sessions.session import Session
from nagomi_tui.sessions.standing import ending
from nagomi_tui.system import console
from nagomi_tui.text.words import Words, of

_NOBODY_WAITS: Final = 3
"""The exit code of `nagomi next` where nobody waits."""


def listing(
    request: messages.Print, found: Sequence[Session], words: Words, *, home: str
) -> messages.Printed:
    """Return the list of these sessions; folders below `home` are shown with `~`."""
    listed = tuple(messages.whole(info) for info in found)
    if request.json:
        return messages.Printed(text=console.as_json([*map(_with_its_end, listed)]), code=0)
    text = printing.table(listed, words, width=request.width, home=home)
    return messages.Printed(text=text, code=0)


def _with_its_end(session: messages.WholeSession) -> messages.WholeSession:
    """Return a session with what its command ended with, where no words of it tell more."""
    told = beside_state(session.summary) or ending(session, of("en").say) or session.summary
    return msgspec.structs.replace(session, summary=told)


def first_in_need(
    request: messages.Print, found: Sequence[Session], words: Words
) -> messages.Printed:
    """Return which of these sessions has waited longest for the user."""
    info = next_in_need(found)
    waiting = None if info is None else messages.whole(info)
    text = console.as_json(waiting) if request.json else printing.in_need(waiting, words)
    return messages.Printed(text=text, code=_NOBODY_WAITS if info is None else 0)


@dataclass(eq=False)
class JudgeRequests(Group):
    """What is asked of the judges, each by a message of `api/messages/judge.py`."""

    sessions: SessionTable
    judges: Judges
    _: KW_ONLY
    guards: Guards
    sender: InputSender
    steps: NextSteps
    advisor: Advisor

    def __post_init__(self) -> None:
        self._reasons = Reasons(self.judges, self.guards.unapproved.reason)
        self._answering = Answering(self.sender)

    async def why(self, client: Asker, request: messages.Why) -> messages.Standing:
        """Return a session's state, and the reasons for it."""
        session = await self.sessions.find(request.session)
        return self._reasons.why(session, client.requester.words)

    async def asks(self, client: Asker, request: messages.Asks) -> messages.OpenStanding:
        """Return a session's state, and the question or draft on its screen."""
        session = await self.sessions.find(request.session)
        found = await self.sender.asking.look(session)
        told: dict[str, Any] = msgspec.structs.asdict(
            self._reasons.why(session, client.requester.words)
        )
        return messages.OpenStanding(
            **{**told, **naming(session)}, question=found.question, draft=found.draft or "",
            advice=self.advisor.said_of(session),
        )  # fmt: skip

    async def answer(self, client: Asker, request: messages.Answer) -> messages.AnswerSent:
        """Answer the open question of a session."""
        session = await self.sessions.find_typable(request.session)
        return await self._answering.answer(
            client.requester, session, request.choice, question=request.question
        )

    async def act(self, client: Asker, request: messages.Act) -> messages.Acted:
        """Run a next step; beside a session in discussion only its user runs what writes."""
        session = await self.sessions.find(request.session)
        await self.guards.gate.check_command(client, session, request.command)
        return await self.steps.act(
            client.requester, session, request.command, sure=request.sure, anew=request.anew
        )

    async def next_waiting(self, client: Asker, request: messages.NextWaiting) -> messages.Waiting:
        """Return the session that has waited longest for the user."""
        found = next_in_need(self.sessions.infos)
        return messages.Waiting(session=None if found is None else messages.whole(found))

    async def print(self, client: Asker, request: messages.Print) -> messages.Printed:
        """Return what a command prints that asks for no more than this."""
        words = client.requester.words
        match request.command:
            case "ls":
                home = client.requester.env.get("HOME", "")
                return listing(request, self.sessions.infos, words, home=home)
            case "next":
                return first_in_need(request, self.sessions.infos, words)
            case "why":
                session = await self.sessions.find(request.session)
                standing = self._reasons.why(session, words)
                text = (
                    console.as_json(standing) if request.json else printing.account(standing, words)
                )
                return messages.Printed(text=text, code=0)

    async def correct(self, client: Asker, request: messages.Correct) -> messages.SessionNamed:
        session = await self.sessions.find(request.session)
        await self._reasons.correct(session, request.state)
        return messages.SessionNamed(**naming(session))

    async def ask_judge(self, client: Asker, request: messages.AskJudge) -> messages.Advised:
        return await self.advisor.ask(await self.sessions.find(request.session))

    async def trace(self, client: Asker, request: messages.Trace) -> messages.TraceStanding:
        """Switch a session's trace on or off, or return whether there is one."""
        return self.judges.traces.switch(await self.sessions.find(request.session), request.action)
