"""The argument parser: faults are one sentence, and nothing is guessed from half a word."""

from __future__ import annotations

import argparse
import os
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from nagomi_tui.commands.outcome import Exit
from nagomi_tui.commands.speech import complain, tr

if TYPE_CHECKING:
    from collections.abc import Callable

    Commands = argparse._SubParsersAction["Parser"]


class Parser(argparse.ArgumentParser):
    """argparse, but an option is never abbreviated and a fault takes one line."""

    def __init__(self, *args: Any, **options: Any) -> None:
        ours = {"allow_abbrev": False, "formatter_class": _formatter}
        super().__init__(*args, **(options | ours))

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one sentence and end with the code for usage."""
        hint = tr("`{program} --help` shows what it takes.", program=self.prog)
        complain(f"{message}. {hint}")
        raise SystemExit(int(Exit.USAGE))


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Return a formatter that knows its width: to find it out, argparse imports compressors."""
    return argparse.HelpFormatter(prog, width=_width())


@cache
def _width() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns):
        return max(int(columns) - 2, 30)
    try:
        return max(os.get_terminal_size(1).columns - 2, 30)
    except OSError:
        return 78


def add(commands: Commands, name: str, run: Callable[..., int | None], help: str) -> Parser:
    """Add a subcommand that is carried out by `run(arguments)`."""
    parser = commands.add_parser(name, help=help, description=help)
    parser.set_defaults(run=run)
    return parser


def add_session(parser: Parser, **options: Any) -> None:
    """Let the command take a session."""
    parser.add_argument(
        "session",
        metavar="SESSION",
        help=tr("number, name, id or its beginning; `.` is the session this runs in"),
        **options,
    )


def add_json(parser: Parser) -> None:
    """Let the command answer in JSON."""
    parser.add_argument("--json", action="store_true", help=tr("answer in JSON"))
