"""`nagomi api`: what other programs can say to nagomi, and what they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.commands.outcome import Exit
from nagomi_tui.commands.parser import Parser, add
from nagomi_tui.commands.speech import tr, write

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands


def register(commands: Commands) -> None:
    """Add the command and its parts."""
    api = add(commands, "api", _nothing, tr("for programs that talk with nagomi's socket"))
    parts = api.add_subparsers(metavar="COMMAND", parser_class=Parser, required=True)
    add(parts, "schema", schema, tr("print all messages, and what is answered, as JSON Schema"))


def _nothing(arguments: Namespace) -> int:
    """Argparse asks for a subcommand before this could be called."""
    return int(Exit.USAGE)


def schema(arguments: Namespace) -> None:
    """Print the schema of the front-end socket."""
    import json

    from nagomi_tui.api.schema import schema as described

    write(f"{json.dumps(described(), indent=2)}\n")
