"""Subcommands that the table of verbs describes whole; those that do more are added by their own modules."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from nagomi_tui.api.command_client import ask, carried, named
from nagomi_tui.api.verbs import COMMANDS, request_type
from nagomi_tui.commands.parser import add, add_json
from nagomi_tui.system.console import say_json, tr
from nagomi_tui.system.outcome import CommandError, Exit

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from nagomi_tui.api.verbs import Verb
    from nagomi_tui.commands.parser import Commands, Parser


def add_verb(commands: Commands, name: str, run: Callable[..., int | None] | None = None) -> Parser:
    """Add a subcommand of the table with its arguments; without `run` it makes the verb's request."""
    verb = COMMANDS[name]
    parser = add(commands, name, run or partial(make_request, verb), tr(verb.help))
    for one in verb.arguments:
        options: dict[str, Any] = {"help": tr(one.help)}
        if one.option:
            options |= {"action": "store_true", "dest": one.field}
        elif one.many:
            options |= {"metavar": one.metavar, "nargs": "+"}
        else:
            options |= {"metavar": one.metavar}
        parser.add_argument(one.option or one.field, **options)
    if verb.json:
        add_json(parser)
    return parser


def make_request(verb: Verb, arguments: Namespace) -> None:
    """Make a verb's request with the arguments, and print the result where JSON was asked for.

    Raises:
        CommandError: it was refused, or an argument holds bytes that are no text.
    """
    import msgspec

    from nagomi_tui.system.decoding import from_builtins

    kind = request_type(verb)
    fields = {one.field: _value(one.field, getattr(arguments, one.field)) for one in verb.arguments}
    types = {one.name: one.type for one in msgspec.structs.fields(kind)}
    try:
        fields = {
            name: from_builtins(value, types[name], strict=False) for name, value in fields.items()
        }
    except msgspec.ValidationError as exc:
        sentence = tr("This request does not fit: {reason}.", reason=exc)
        raise CommandError(sentence, Exit.USAGE) from exc
    found = ask(kind(id=0, **fields))
    if verb.json and arguments.json:
        say_json(found)


def _value(field: str, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(carried, value))
    if isinstance(value, str):
        return named(value) if field == "session" else carried(value)
    return value
