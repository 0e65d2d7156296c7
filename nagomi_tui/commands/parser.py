"""The argument parser, and the subcommands that the table of verbs describes: faults take one line, and nothing is guessed."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from nagomi_tui.api.command_client import ask, carried, named
from nagomi_tui.api.verbs import COMMANDS, Verb, request_type
from nagomi_tui.system.console import complain, failure, say_json, spoken, tr
from nagomi_tui.system.environment import terminal_width
from nagomi_tui.system.outcome import Exit
from nagomi_tui.text.words import nearest_name, translatable

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


ARGPARSES_OWN: Final = (
    translatable("usage: "),
    translatable("positional arguments"),
    translatable("options"),
    translatable("show this help message and exit"),
    translatable("argument %(argument_name)s: %(message)s"),
    translatable("not allowed with argument %s"),
    translatable("the following arguments are required: %s"),
    translatable("one of the arguments %s is required"),
    translatable("expected one argument"),
    translatable("expected at most one argument"),
    translatable("expected at least one argument"),
    translatable("ignored explicit argument %r"),
)
"""What argparse says by itself, for the catalog; it looks each sentence up as it says it."""


def _translated(message: str) -> str:
    return spoken().gettext(message)


# argparse has no other way to be told a language that is not the locale's.
setattr(argparse, "_", _translated)  # noqa: B010


_Number = TypeVar("_Number", int, float)


class Parser(argparse.ArgumentParser):
    """argparse, but an option is never abbreviated and a fault takes one line."""

    def __init__(self, *args: Any, **options: Any) -> None:
        ours = {"allow_abbrev": False, "formatter_class": _formatter}
        super().__init__(*args, **(options | ours))
        # argparse would call them by Python's names.
        self.register("type", int, number(int, -1e18, 1e18, tr("whole number")))
        self.register("type", float, number(float, -1e18, 1e18, tr("number")))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is no choice, with the one that is spelt most like it."""
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, no_choice(str(value), list(action.choices)))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and refuse what this very command does not take, by its own name.

        argparse lets the parser of `nagomi` refuse it, which knows the options of no command.
        """
        found, left = super().parse_known_args(args, namespace)
        if left:
            self.error(self._not_taken(left))
        return found, left

    def _not_taken(self, left: list[str]) -> str:
        option = left[0].partition("=")[0]
        known = [name for name in self._option_string_actions if name.startswith("--")]
        if option.startswith("--"):
            near = nearest_name(option, known)
        else:
            near = next((name for name in known if name[1:3] == option), "")
        if near:
            return _mistaken(option, near)
        return tr("unrecognized arguments: {arguments}", arguments=" ".join(left))

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one sentence and end with the code for usage."""
        hint = tr("`{program} --help` shows what it takes.", program=self.prog)
        if message.endswith(("?", "？")):
            complain(f"{message} {hint}")
        else:
            complain(tr("{message}. {hint}", message=message, hint=hint))
        raise SystemExit(int(Exit.USAGE))


def _mistaken(value: str, near: str) -> str:
    return tr("there is no `{value}`; did you mean `{near}`?", value=value, near=near)


def no_choice(value: str, choices: Sequence[str]) -> str:
    """Return what is said of a value that is none of these: the nearest one, or all."""
    if near := nearest_name(value, choices):
        return _mistaken(value, near)
    return tr("there is no `{value}`, only {choices}", value=value, choices=", ".join(choices))


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Return a formatter that knows its width: to find it out, argparse imports compressors."""
    return argparse.HelpFormatter(prog, width=max(terminal_width() - 2, 30))


def add(commands: Commands, name: str, run: Callable[..., int | None] | None, help: str) -> Parser:
    """Add a subcommand that is carried out by `run(arguments)`; None where one of its own must follow."""
    parser = commands.add_parser(name, help=help, description=help)
    parser.set_defaults(run=run)
    return parser


def add_verbs(parser: Parser, metavar: str = "COMMAND", *, required: bool = False) -> Commands:
    """Let a command be followed by one of several, which are to be added to what is returned."""
    return parser.add_subparsers(metavar=metavar, parser_class=Parser, required=required)


def add_session(parser: Parser, **options: Any) -> None:
    """Let the command take a session."""
    parser.add_argument(
        "session",
        metavar="SESSION",
        help=tr("number, name, id or its beginning; `.` is the session this runs in"),
        **options,
    )


def number(kind: type[_Number], least: float, most: float, what: str) -> Callable[[str], _Number]:
    """Return what makes an option's value a number; of others it says that they are no `what`."""

    def convert(text: str) -> _Number:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(tr("`{value}` is no {what}", value=text, what=what))
        return value

    return convert


def add_flag(parser: argparse._ActionsContainer, *names: str, help: str, **options: Any) -> None:
    """Let the command take an option that is there or not."""
    parser.add_argument(*names, action="store_true", help=help, **options)


def add_json(parser: Parser) -> None:
    """Let the command answer in JSON."""
    add_flag(parser, "--json", help=tr("answer in JSON"))


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
        raise failure("This request does not fit: {reason}.", Exit.USAGE, reason=exc) from exc
    found = ask(kind(id=0, **fields))
    if verb.json and arguments.json:
        say_json(found)


def _value(field: str, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(carried, value))
    if isinstance(value, str):
        return named(value) if field == "session" else carried(value)
    return value
