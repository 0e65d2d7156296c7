"""Walks the parser of nagomi's command line, for the pages that are made from it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the parser of each command that has no commands of its own."""
    below = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    if not below:
        yield parser
    for commands in below:
        for each in dict.fromkeys(commands.choices.values()):
            yield from leaves(each)


def commands(parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    """Return the commands of a parser that its help names, each with its sentence."""
    below = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    return [(one.dest, one.help or "") for each in below for one in each._choices_actions]


def arguments(parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    """Return how each argument of a command is written, and what it means; `--help` is left out."""
    return [
        (_form(one), one.help)
        for one in parser._actions
        if one.help and argparse.SUPPRESS not in (one.help, one.dest) and one.dest != "help"
    ]


def _form(action: argparse.Action) -> str:
    """Return how an argument is written: `--cwd FOLDER`, `TEXT…`."""
    choices = "|".join(map(str, action.choices)) if action.choices else ""
    named = action.metavar or choices or action.dest.upper()
    value = f"{named}{'…' if action.nargs in ('*', '+', argparse.REMAINDER) else ''}"
    if not action.option_strings:
        return value
    return ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {value}")
