"""`nagomi --help`, written without an argument parser: that takes longer to load than Python itself.

The commands with their sentences stand in `overview.txt`, which `docs/make_pages.py` makes from the
parser.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from nagomi_tui.system.console import tr
from nagomi_tui.text.cells import wrap

TYPE_CHECKING = False

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "overview.txt")
"""A line for each command: its name, a tab, and its sentence in English."""
_NARROWEST = 30
_GAP = 2


def text(width: int) -> str:
    """Return the help, in the user's language, for a terminal of this width in columns."""
    options = [
        ("-h, --help", tr("show this help")),
        ("--version", tr("show the version")),
    ]
    width = max(width - _GAP, _NARROWEST)
    return "\n".join(
        (
            f"{tr('usage: ')}nagomi [-h] [--version] COMMAND ...",
            "",
            *wrap(description(), width),
            "",
            "COMMAND:",
            *_table(commands(), width),
            "",
            tr("options:"),
            *_table(options, width),
            "",
            *wrap(exit_codes(), width),
            "",
        )
    )


def commands() -> list[tuple[str, str]]:
    """Return the names of all commands, each with its sentence in the user's language."""
    with open(FILE, encoding="utf-8") as lines:
        rows = [line.rstrip("\n").partition("\t") for line in lines]
    return [(name, tr(sentence)) for name, _, sentence in rows]


def description() -> str:
    """Return what nagomi is, in a sentence."""
    return tr("A soft workplace in the terminal. Without a command: open it.")


def exit_codes() -> str:
    return tr(
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such session, "
        "4 nagomi is not running, 5 wait ran out of time, 130 interrupted."
    )


def _table(rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield rows of two columns, of which the second is wrapped."""
    first = max(len(name) for name, _ in rows) + _GAP
    for name, sentence in rows:
        for line in wrap(sentence, width - _GAP - first):
            yield f"  {name:<{first}}{line}"
            name = ""
