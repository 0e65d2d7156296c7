"""Completion of nagomi's own command line in bash, zsh and fish."""

from __future__ import annotations

import argparse
import os
from argparse import Namespace
from collections.abc import Iterator
from typing import Any, Final

from nagomi_tui.commands.parser import Commands, add
from nagomi_tui.system.console import tr, write
from nagomi_tui.system.outcome import CommandError

VARIABLE: Final = "_ARGCOMPLETE"
"""What the shell sets when it asks for completions."""
_SHELLS: Final = ("bash", "zsh", "fish")


def register(commands: Commands) -> None:
    completer = add(
        commands,
        "completion",
        script,
        tr("print what completes nagomi's commands in a shell: `eval` it, in fish `| source`"),
    )
    completer.add_argument("shell", choices=_SHELLS, help=tr("your shell"))


def script(arguments: Namespace) -> None:
    """Print the shell's part of the completion."""
    from argcomplete.shell_integration import shellcode

    write(shellcode(["nagomi"], shell=arguments.shell))


def begun() -> str:
    """Return the command of the line that is to be completed; none where the cursor is still in it."""
    from argcomplete.lexers import split_line

    before = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))[3]
    return "".join(before[int(os.environ[VARIABLE]) :][:1])


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell that asks how the line under its cursor can go on, and end."""
    import argcomplete

    for action in _arguments(parser):
        names = (*action.option_strings, str(action.metavar or action.dest))
        known = [_COMPLETERS[name] for name in names if name in _COMPLETERS]
        if known and action.choices is None:
            vars(action)["completer"] = known[0]
    argcomplete.autocomplete(parser, always_complete_options="long")


def _arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield every argument of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in dict.fromkeys(action.choices.values()):
                yield from _arguments(below)


def _sessions(**_: Any) -> dict[str, str]:
    """Return the names of all sessions and how each stands; none where nagomi does not run."""
    from nagomi_tui.api.command_client import ask
    from nagomi_tui.api.messages import ListSessions
    from nagomi_tui.sessions.standing import badge_words

    try:
        found = ask(ListSessions(id=0), timeout=1).sessions
    except CommandError:
        return {}
    return {session.name: badge_words(session, tr) for session in found}


def _characters(**_: Any) -> list[str]:
    from nagomi_tui.view.character.library import library

    return [character.id for character in library().whole()]


def _topics(**_: Any) -> dict[str, str]:
    """Return the topics of the pages with their titles."""
    from nagomi_tui.system.console import language
    from nagomi_tui.system.pages import pages

    return {page.topic: page.title for page in pages(language())}


def _folders(prefix: str, **_: Any) -> list[str]:
    from argcomplete.completers import DirectoriesCompleter

    return list(DirectoriesCompleter()(prefix))


def _agents(**_: Any) -> list[str]:
    """Return the names of all agents and other programs that there are rules for."""
    from nagomi_tui.judge import loading
    from nagomi_tui.judge.screen_rules import ANY

    return [one.name for one in loading.load().book.manifests if one.name != ANY]


def _hands(**_: Any) -> list[str]:
    """Return this machine and the hands; it alone where their file cannot be read."""
    from nagomi_tui.hands import registry
    from nagomi_tui.hands.hand import BadHand
    from nagomi_tui.sessions.session import LOCAL

    try:
        return [LOCAL, *(hand.name for hand in registry.load().all)]
    except BadHand:
        return [LOCAL]


def _terms(prefix: str, **_: Any) -> list[str]:
    """Return the terms that choose sessions; of folders those that the one begun can become."""
    from nagomi_tui.api.where import NAMES

    kind, colon, begun = prefix.partition(":")
    if kind == "in" and colon:
        return [f"in:{folder}" for folder in _folders(begun)]
    return [*(f"is:{state}" for state in NAMES), *(f"on:{hand}" for hand in _hands()), "in:"]


_COMPLETERS: Final[dict[str, Any]] = {
    "--agent": _agents,
    "--where": _terms,
    "--worker": _hands,
    "SESSION": _sessions,
    "TOPIC": _topics,
    "character": _characters,
    "CHARACTER": _characters,
    "cwd": _folders,
    "DIR": _folders,
}
