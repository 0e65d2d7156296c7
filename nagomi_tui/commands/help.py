"""`nagomi help`: the pages of docs/ in the terminal, in the user's language."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from argparse import Namespace
from itertools import takewhile
from typing import Final

from nagomi_tui.api.verbs import COMMANDS
from nagomi_tui.commands.parser import Commands, add
from nagomi_tui.settings import store
from nagomi_tui.system import console
from nagomi_tui.system.console import tr
from nagomi_tui.system.environment import terminal_width
from nagomi_tui.system.outcome import CommandError, Exit
from nagomi_tui.system.pages import Page, manual, pages
from nagomi_tui.text.cells import cells
from nagomi_tui.text.markdown import Piece, Renderer
from nagomi_tui.text.words import nearest_name

_MANUAL: Final = "man"
"""The topic that is no page of docs/: the manual page of all commands."""
_LINKED: Final = "mkdir -p ~/.local/share/man/man1 && ln -sf {page} ~/.local/share/man/man1/"
_WIDEST: Final = 100
"""Columns beyond which lines of prose are hard to read."""


def register(commands: Commands) -> None:
    parser = add(commands, "help", run, tr("read nagomi's pages; without a topic: list them"))
    parser.add_argument("topic", metavar="TOPIC", nargs="?", help=tr("a page, a command, or `man`"))


def run(arguments: Namespace) -> int:
    """Show a page, the help of a command, or the list of topics.

    Raises:
        CommandError: there is nothing of that name.
    """
    console.adopt(store.load(aside=False).settings.language)
    known = {page.topic: page for page in pages(console.language())}
    topic = (arguments.topic or "").casefold()
    if not topic:
        console.say(_topics(list(known.values())))
    elif topic in known:
        _show(_rendered(known[topic].text))
    elif topic == _MANUAL:
        return _manual()
    else:
        _help_of(topic, known)
    return Exit.OK


def _topics(known: list[Page]) -> str:
    """Return the list of topics, and how one of them is read."""
    rows = [(page.topic, page.title) for page in known]
    rows.append((_MANUAL, tr("The manual page of all commands")))
    width = max(cells(topic) for topic, _ in rows)
    listed = (f"  {topic}{' ' * (width - cells(topic) + 2)}{title}" for topic, title in rows)
    heading = tr("`nagomi help TOPIC` shows a page, `nagomi help COMMAND` what a command takes.")
    return "\n".join((heading, "", *listed))


def _help_of(command: str, known: dict[str, Page]) -> None:
    """Print what `nagomi COMMAND --help` does.

    Raises:
        CommandError: it is no command either.
    """
    from nagomi_tui import cli

    meant = cli.SYNONYMS.get(command, (command,))
    command = " ".join(takewhile(lambda word: not word.startswith("-"), meant))
    commands = {*COMMANDS, *(name for names in cli.GROUPS.values() for name in names)}
    if command in commands:
        cli.parser(command).parse_args([command, "--help"])
    if near := nearest_name(command, (*known, _MANUAL, *commands)):
        sentence = tr(
            "there is no page `{topic}`; did you mean `{near}`?", topic=command, near=near
        )
    elif found := [page.topic for page in known.values() if command in page.text.casefold()]:
        sentence = tr(
            "there is no page `{topic}`; these tell of it: {pages}.",
            topic=command,
            pages=", ".join(found),
        )
    else:
        sentence = tr("there is no page `{topic}`; `nagomi help` lists all.", topic=command)
    raise CommandError(sentence, Exit.USAGE)


def _rendered(markdown: str) -> str:
    """Return a page with its tables and headings set for this terminal; elsewhere as it is."""
    if not sys.stdout.isatty():
        return markdown
    color = not os.environ.get("NO_COLOR")
    return Renderer(color=color).render(Piece(markdown), min(terminal_width(), _WIDEST))


def _show(text: str) -> None:
    """Print text, by the user's pager where it is longer than the terminal."""
    import subprocess

    rows = shutil.get_terminal_size().lines
    pager = _pager()
    if not pager or text.count("\n") < rows or not (sys.stdin.isatty() and sys.stdout.isatty()):
        console.write(text)
        return
    # As git does: colours pass, and less ends by itself where all fits.
    env = {"LESS": "FRX", "LV": "-c"} | os.environ
    try:
        subprocess.run(pager, input=text.encode(), env=env, check=False)
    except OSError:
        console.write(text)


def _pager() -> list[str]:
    """Return the words of the user's pager, `less` where none is named, or nothing."""
    try:
        named = shlex.split(os.environ.get("PAGER", "less"))
    except ValueError:
        named = []
    return named if named and named != ["cat"] and shutil.which(named[0]) else []


def _manual() -> int:
    """Show the manual page by `man`; where that is not there, say where the page is."""
    import subprocess

    page = manual()
    if sys.stdout.isatty() and sys.stdin.isatty() and shutil.which("man"):
        return subprocess.run(["man", str(page)], check=False).returncode
    console.say(
        tr(
            "The manual page is {page}. `man nagomi` finds it once it is linked: {command}",
            page=page,
            command=_LINKED.format(page=shlex.quote(str(page))),
        )
    )
    return Exit.OK
