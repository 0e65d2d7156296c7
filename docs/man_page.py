"""Writes nagomi's man page from its command line, in the macros of man(7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from docs.commands import arguments, leaves
from nagomi_tui import __version__, cli

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

_VARIABLES: Final = (
    ("NAGOMI_HOME", "The folder of settings, sessions and logs, in place of the usual ones."),
    ("NAGOMI_LANG", "The language of commands, ja or en, in place of the locale's."),
    ("NAGOMI_SESSION_ID", "Set in a session: its id, which . stands for on a command line."),
)
_FILES: Final = (
    ("~/.config/nagomi/settings.json", "Settings; nagomi doctor says where they are here."),
    ("~/.config/nagomi/keymap.toml", "Keys of your own."),
    ("~/.local/state/nagomi/", "What is kept of sessions, and the log of the resident processes."),
)


def page() -> str:
    """Return the page; `NAGOMI_LANG` is its language."""
    return "\n".join(_lines(cli.parser())) + "\n"


def _lines(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f'.TH NAGOMI 1 "" "nagomi {__version__}" "User Commands"'
    yield from (".SH NAME", r"nagomi \- a workplace in the terminal for many agents and commands")
    yield from (".SH SYNOPSIS", ".B nagomi", '.RI [ COMMAND " [" ARGUMENT... ]]')
    yield from (".SH DESCRIPTION", _text(parser.description or ""))
    yield _text(
        "A session is named by its number, name, id, or the unique beginning of one of them; "
        ". is the session that a command runs in."
    )
    yield ".SH COMMANDS"
    for command in leaves(parser):
        yield f".SS {_text(command.prog)}"
        yield _text(command.description or "")
        yield from _table(arguments(command))
    yield from (".SH EXIT STATUS", _text((parser.epilog or "").partition(": ")[2].capitalize()))
    yield from (".SH ENVIRONMENT", *_table(_VARIABLES))
    yield from (".SH FILES", *_table(_FILES))
    yield from (".SH SEE ALSO", ".BR tmux (1)")


def _table(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, meaning in rows:
        yield from (".TP", f".B {_text(term)}", _text(meaning))


def _text(text: str) -> str:
    """Return text with nothing in it that roff would take for its own."""
    plain = text.replace("\\", r"\e").replace("-", r"\-").replace("`", "").replace("\n", " ")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
