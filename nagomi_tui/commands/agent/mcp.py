"""`nagomi mcp`: a server for other agents, which read sessions by it and ask to write to them."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import add
from nagomi_tui.commands.speech import tr

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands


def register(commands: Commands) -> None:
    """Add the command of this group."""
    add(commands, "mcp", serve, tr("serve sessions to other agents over stdin and stdout (MCP)"))


def serve(_arguments: Namespace) -> int:
    """Serve until stdin ends."""
    if importlib.util.find_spec("mcp") is None:
        raise CommandError(
            tr("the package `mcp` is not installed; `pip install 'nagomi-tui[mcp]'` brings it.")
        )
    from nagomi_tui.agent.mcp import server

    server.run()
    return int(Exit.OK)
