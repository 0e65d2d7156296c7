"""Requests about a session's state and question, and the user's answers to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from nagomi_tui.api import messages, printing
from nagomi_tui.orchestrator.server.handlers import printed
from nagomi_tui.orchestrator.sessions.naming import naming

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.input.answering import Answering
    from nagomi_tui.orchestrator.judging.advisor import Advisor
    from nagomi_tui.orchestrator.judging.correcting import Correcting
    from nagomi_tui.orchestrator.judging.reasons import Reasons
    from nagomi_tui.orchestrator.judging.traces import Traces
    from nagomi_tui.orchestrator.server.guarded_acting import GuardedActing
    from nagomi_tui.orchestrator.server.handlers.table import Asker, Handlers
    from nagomi_tui.orchestrator.sessions.finder import SessionFinder


class JudgeRequests:
    """Handles requests about verdicts, questions, next steps, corrections and traces."""

    def __init__(
        self,
        finder: SessionFinder,
        reasons: Reasons,
        *,
        answering: Answering,
        acting: GuardedActing,
        correcting: Correcting,
        advisor: Advisor,
        traces: Traces,
    ) -> None:
        self._finder = finder
        self._reasons = reasons
        self._answering = answering
        self._acting = acting
        self._correcting = correcting
        self._advisor = advisor
        self._traces = traces

    async def why(self, client: Asker, request: messages.Why) -> messages.Standing:
        """Return a session's state, and the reasons for it."""
        session = await self._finder.find(request.session)
        return self._reasons.why(session, client.requester.words)

    async def asks(self, client: Asker, request: messages.Asks) -> messages.OpenStanding:
        """Return a session's state, and the question or draft on its screen."""
        session = await self._finder.find(request.session)
        standing = await self._answering.asks(client.requester, session)
        return msgspec.structs.replace(standing, advice=self._advisor.said_of(session))

    async def answer(self, client: Asker, request: messages.Answer) -> messages.AnswerSent:
        """Answer the open question of a session."""
        session = await self._finder.find_typable(request.session)
        return await self._answering.answer(
            client.requester, session, request.choice, question=request.question
        )

    async def act(self, client: Asker, request: messages.Act) -> messages.Acted:
        """Run a next step."""
        session = await self._finder.find(request.session)
        return await self._acting.act(
            client, session, request.command, sure=request.sure, anew=request.anew
        )

    async def next_waiting(self, client: Asker, request: messages.NextWaiting) -> messages.Waiting:
        """Return the session that has waited longest for the user."""
        found = self._finder.next_in_need()
        return messages.Waiting(session=None if found is None else messages.whole(found))

    async def print(self, client: Asker, request: messages.Print) -> messages.Printed:
        """Return what a command prints that asks for no more than this."""
        words = client.requester.words
        match request.command:
            case "ls":
                home = client.requester.env.get("HOME", "")
                return printed.listing(request, self._finder.every(), words, home=home)
            case "next":
                return printed.first_in_need(request, self._finder.every(), words)
            case "why":
                session = await self._finder.find(request.session)
                standing = self._reasons.why(session, words)
                text = (
                    printing.as_json(standing)
                    if request.json
                    else printing.account(standing, words)
                )
                return messages.Printed(text=text, code=0)

    async def correct(self, client: Asker, request: messages.Correct) -> messages.SessionNamed:
        """Correct the state of a session."""
        session = await self._finder.find(request.session)
        await self._correcting.correct(session, request.state)
        return messages.SessionNamed(**naming(session))

    async def ask_judge(self, client: Asker, request: messages.AskJudge) -> messages.Advised:
        """Ask the LLM judge."""
        return await self._advisor.ask(await self._finder.find(request.session))

    async def trace(self, client: Asker, request: messages.Trace) -> messages.TraceStanding:
        """Switch a session's trace on or off, or return whether there is one."""
        return self._traces.switch(await self._finder.find(request.session), request.action)

    HANDLERS: ClassVar[Handlers] = {
        messages.Why: why,
        messages.Asks: asks,
        messages.Answer: answer,
        messages.Act: act,
        messages.NextWaiting: next_waiting,
        messages.Print: print,
        messages.Correct: correct,
        messages.AskJudge: ask_judge,
        messages.Trace: trace,
    }
