"""Serves nagomi's tools by the Model Context Protocol (MCP) over stdin and stdout, and asks the user in the workplace."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from nagomi_tui import __version__
from nagomi_tui.agent.mcp.consent_program import VARIABLE, YES
from nagomi_tui.agent.mcp.tasks import (
    StartAndWait,
    Tasks,
    Watching,
    result_of,
    takes_tasks,
    tasks_of,
)
from nagomi_tui.agent.mcp.tools import (
    Agent,
    AskAgent,
    FinishTodo,
    GetMode,
    SetMode,
    SetTodos,
    ShowTodos,
    StartTodo,
)
from nagomi_tui.agent.providers.interface import ToolCall
from nagomi_tui.agent.talk.events import Choice, Question
from nagomi_tui.agent.tools.granted import Granted, ToolContext
from nagomi_tui.agent.tools.interface import (
    CONSENT_PROGRAM,
    Actor,
    Plan,
    Reader,
    ToolFault,
    Workplace,
)
from nagomi_tui.agent.tools.toolbox import Toolbox
from nagomi_tui.agent.tools.verbs import verb_tools
from nagomi_tui.api import messages
from nagomi_tui.masking import mask
from nagomi_tui.settings.store import load
from nagomi_tui.system import paths
from nagomi_tui.system.environment import line_of
from nagomi_tui.text.words import Words, language_from, of, translatable

_INSTRUCTIONS = (
    "The sessions of nagomi, a terminal workplace: list them, read them, wait for them, ask why "
    "they stand as they do. What writes to a session is asked of the user there first. To have a "
    "command run or an agent work, and to go on when it is done or needs somebody: start_and_wait."
)

_REPORTS = frozenset({SetTodos.name, StartTodo.name, FinishTodo.name})
"""Tools with which an agent reports on its own todos: they write, but do not ask the user."""


def run() -> None:
    """Run the MCP server until stdin is closed."""
    anyio.run(_serve)


async def _serve() -> None:
    words = of(language_from(os.environ, load(aside=False).settings.language))
    workplace = Workplace()
    toolbox = toolbox_of(workplace, words, paths.socket_folder() / "api")
    watching = Watching(toolbox, workplace)
    async with tasks_of(watching) as tasks, stdio_server() as (incoming, outgoing):
        server: Server[Any] = Server(
            "nagomi",
            version=__version__,
            instructions=_INSTRUCTIONS,
            on_list_tools=partial(_list, toolbox),
        )
        call = partial(_call, toolbox, watching, tasks)
        server.add_request_handler("tools/call", types.CallToolRequestParams, call)
        tasks.serve(server)
        await server.run(incoming, outgoing, server.create_initialization_options())


def toolbox_of(workplace: Workplace, words: Words, agent_socket: Path) -> Toolbox:
    """Return the tools for other agents; `agent_socket` is that of the resident agent's HTTP API."""
    agent = Agent(agent_socket)
    consent = Consent(workplace, words)
    context = ToolContext(workplace, Granted(Path.cwd()), mask, time.time, words)
    tools: tuple[Reader[Any] | Actor[Any], ...] = (
        *verb_tools(context),
        StartAndWait(context),
        GetMode(agent),
        SetMode(agent, words),
        AskAgent(agent),
        ShowTodos(),
        SetTodos(),
        StartTodo(),
        FinishTodo(),
    )
    return Toolbox(tools, ask_user=consent.ask, mask=mask, allows=consent.allows)


async def _list(
    toolbox: Toolbox,
    _context: ServerRequestContext[Any],
    _params: types.PaginatedRequestParams | None,
) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=schema.name,
                description=schema.description,
                input_schema=schema.parameters,
                annotations=types.ToolAnnotations(
                    read_only_hint=not toolbox.acts(schema.name) and schema.name not in _REPORTS
                ),
            )
            for schema in toolbox.schemas
        ]
    )


async def _call(
    toolbox: Toolbox,
    watching: Watching,
    tasks: Tasks,
    context: ServerRequestContext[Any],
    params: types.CallToolRequestParams,
) -> types.CallToolResult | dict[str, Any]:
    call = ToolCall(str(context.request_id), params.name, params.arguments or {})
    if call.name not in Watching.TOOLS:
        return result_of(await toolbox.use(call))
    if takes_tasks(context):
        return tasks.begin(context, call)
    return result_of(await watching.use(call))


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
        session = await self._workplace.find(plan.target.partition("\0")[0])
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
        if question.again:
            lines += ["", question.again]
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


if __name__ == "__main__":
    run()
