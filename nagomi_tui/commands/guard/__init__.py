"""`nagomi guard`: agents discuss first, and only the user lets them write."""

from __future__ import annotations

from nagomi_tui.commands.guard import install, settings, standing, tasks
from nagomi_tui.commands.parser import Commands, Parser
from nagomi_tui.system.console import tr

register_todos = standing.register_todos


def register(commands: Commands) -> None:
    parser = commands.add_parser("guard", help=tr("agents discuss before they write"))
    inner = parser.add_subparsers(metavar="COMMAND", parser_class=Parser, required=True)
    standing.register(inner)
    tasks.register(inner)
    settings.register(inner)
    install.register(inner)
    standing.register_steering(inner)
    standing.register_classify(inner)
    tasks.register_more(inner)
