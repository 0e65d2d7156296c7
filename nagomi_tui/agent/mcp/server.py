"""Serves nagomi's tools by the Model Context Protocol (MCP) over stdin and stdout."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from nagomi_tui import __version__
from nagomi_tui.agent.mcp.consent import Consent
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
from nagomi_tui.agent.tools.granted import Granted
from nagomi_tui.agent.tools.toolbox import Toolbox
from nagomi_tui.agent.tools.verbs import verb_tools
from nagomi_tui.agent.tools.workplace import Workplace
from nagomi_tui.masking import mask
from nagomi_tui.settings.store import load
from nagomi_tui.system import paths
from nagomi_tui.text.words import language_from, of

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from nagomi_tui.agent.tools.interface import Actor, Reader
    from nagomi_tui.text.words import Words

_INSTRUCTIONS = (
    "The sessions of nagomi, a terminal workplace: list them, read them, wait for them, ask why "
    "they stand as they do. What writes to a session is asked of the user there first."
)

_REPORTS = frozenset({SetTodos.name, StartTodo.name, FinishTodo.name})
"""Tools with which an agent reports on its own todos: they write, but do not ask the user."""


def run() -> None:
    """Run the MCP server until stdin is closed."""
    anyio.run(_serve)


async def _serve() -> None:
    words = of(language_from(os.environ, load(aside=False).settings.language))
    toolbox = toolbox_of(Workplace(), words, paths.socket_folder() / "api")
    server: Server[Any] = Server(
        "nagomi",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=partial(_list, toolbox),
        on_call_tool=partial(_call, toolbox),
    )
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def toolbox_of(workplace: Workplace, words: Words, agent_socket: Path) -> Toolbox:
    """Return the tools for other agents; `agent_socket` is that of the resident agent's HTTP API."""
    agent = Agent(agent_socket)
    consent = Consent(workplace, words)
    tools: tuple[Reader[Any] | Actor[Any], ...] = (
        *verb_tools(workplace, Granted(Path.cwd()), mask=mask, now=time.time, words=words),
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
    toolbox: Toolbox, context: ServerRequestContext[Any], params: types.CallToolRequestParams
) -> types.CallToolResult:
    call = ToolCall(str(context.request_id), params.name, params.arguments or {})
    result = await toolbox.use(call)
    return types.CallToolResult(
        content=[types.TextContent(text=result.text)], is_error=not result.ok
    )


if __name__ == "__main__":
    run()
