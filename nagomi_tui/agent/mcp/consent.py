"""Asks the user for consent to a tool call, in a new session of the workplace."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui.agent.mcp.consent_program import VARIABLE, YES
from nagomi_tui.agent.tools.interface import ToolFault
from nagomi_tui.agent.tools.workplace import CONSENT_PROGRAM
from nagomi_tui.api import messages
from nagomi_tui.system.environment import line_of
from nagomi_tui.text.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.agent.talk.events import Choice, Question
    from nagomi_tui.agent.tools.interface import Plan
    from nagomi_tui.agent.tools.workplace import Workplace
    from nagomi_tui.text.words import Words

SETTING: Final = "mcp_sessions"
_SECONDS: Final = 3600.0
"""The longest wait for the user's answer; after it, the answer is no."""
_WHO: Final = translatable("{who} wants to do this:")
_SOMEBODY: Final = translatable("Another agent")
_RISK: Final = translatable("Risk: {risk}")
_PROMPT: Final = translatable("Allow it?")
_NAME: Final = translatable("Permission")
_BY_SESSION: Final = ("send_to_session", "answer_session", "press_keys")


class Consent:
    """The user's consent to the tool calls of another agent."""

    def __init__(self, workplace: Workplace, words: Words) -> None:
        self._workplace = workplace
        self._words = words

    async def allows(self, tool: str, plan: Plan) -> bool:
        """Tell whether the setting `mcp_sessions` names the session that a plan would type into.

        It is False for tools that type into no session.
        """
        if tool not in _BY_SESSION:
            return False
        named = str((await self._workplace.settings()).get(SETTING, ""))
        session = await self._workplace.find(plan.target)
        return session.name in {name.strip() for name in named.split(",")} - {""}

    async def ask(self, question: Question) -> Choice:
        """Ask in a new session, which is removed after it has ended.

        Return `once` if the user agreed, else `no`, also if the wait was too long.
        """
        shown = json.dumps([await self._lines(question), self._words.say(_PROMPT)])
        made = await self._workplace.request(
            messages.Create(
                id=0,
                cmd=line_of([sys.executable, "-P", "-m", CONSENT_PROGRAM]),
                cwd=str(Path.cwd()),
                name=self._words.say(_NAME),
                env={VARIABLE: shown},
            )
        )
        try:
            order = messages.Wait(id=0, session=made.session_id, until="exit", timeout=_SECONDS)
            waited = await self._workplace.request(order, timeout=_SECONDS + 10)
        finally:
            await self._take_away(made.session_id)
        return "once" if (waited.reason, waited.exit_code) == ("exit", YES) else "no"

    async def _lines(self, question: Question) -> list[str]:
        lines = [
            self._words.say(_WHO, who=await self._who()),
            f"  {question.title}",
            "",
            *question.detail.split("\n"),
        ]
        if question.risk:
            lines += ["", self._words.say(_RISK, risk=question.risk)]
        return lines

    async def _who(self) -> str:
        """Return the number and name of the session that this process runs in.

        If it runs in none, return words for an unknown agent.
        """
        with suppress(ToolFault):
            if own := os.environ.get("NAGOMI_SESSION_ID"):
                session = await self._workplace.find(own)
                return f"{session.number} {session.name}"
        return self._words.say(_SOMEBODY)

    async def _take_away(self, session_id: str) -> None:
        with anyio.CancelScope(shield=True), suppress(ToolFault):
            await self._workplace.request(messages.Stop(id=0, session=session_id))
            order = messages.Remove(id=0, session=session_id, history=True)
            await self._workplace.request(order)
