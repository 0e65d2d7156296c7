"""`nagomi guard`: agents discuss first, and only the user lets them write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.commands.guard import (
    classify,
    install,
    more,
    settings,
    standing,
    steering,
    tasks,
)
from nagomi_tui.commands.parser import Parser
from nagomi_tui.commands.speech import tr

if TYPE_CHECKING:
    from nagomi_tui.commands.parser import Commands

_SUBCOMMANDS = (standing, tasks, settings, install, steering, classify, more)
"""One module for each, with `register(commands)`."""


def register(commands: Commands) -> None:
    """Add the commands of this group."""
    parser = commands.add_parser("guard", help=tr("agents discuss before they write"))
    inner = parser.add_subparsers(metavar="COMMAND", parser_class=Parser, required=True)
    for subcommand in _SUBCOMMANDS:
        subcommand.register(inner)
