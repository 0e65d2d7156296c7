"""`nagomi chat`: talk with the resident agent, in a terminal or once over a pipe."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import add
from nagomi_tui.commands.speech import adopt, complain, language, tr, write

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.agent.chat.program import Open
    from nagomi_tui.commands.parser import Commands


def register(commands: Commands) -> None:
    """Add the command of this group."""
    parser = add(commands, "chat", chat, tr("talk with the resident agent"))
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--conversation",
        metavar="C",
        default="",
        help=tr("go on with this one: id, label, or the beginning of either"),
    )
    which.add_argument("--new", metavar="LABEL", help=tr("begin another conversation"))
    parser.add_argument(
        "--folder",
        metavar="DIR",
        action="append",
        default=[],
        help=tr("let its tools see this folder, too; may be given several times"),
    )
    parser.add_argument(
        "-p",
        dest="text",
        metavar="TEXT",
        help=tr("print the answer to TEXT, with what comes on stdin behind it, and end"),
    )


def chat(arguments: Namespace) -> int:
    """Talk until the user ends it, or answer once."""
    from nagomi_tui.agent.talk.interface import TalkFault

    text = _text(arguments.text)
    open_talk = _opening(arguments)
    try:
        return _talk(open_talk) if text is None else _once(open_talk, text)
    except TalkFault as exc:
        raise CommandError(str(exc)) from exc


def _text(given: str | None) -> str | None:
    """Return what is asked once; None to talk on the terminal.

    Raises:
        CommandError: nothing is asked, or there is no terminal to talk on.
    """
    piped = sys.stdin is not None and not sys.stdin.isatty()
    if given is None and not piped:
        if sys.stdout is None or not sys.stdout.isatty():
            sentence = tr("to talk, a terminal is needed; `nagomi chat -p TEXT` answers once.")
            raise CommandError(sentence, Exit.USAGE)
        return None
    from nagomi_tui.commands.talk import stdin_text

    parts = (given or "", stdin_text() if piped else "")
    text = "\n\n".join(part for part in parts if part.strip())
    if not text:
        raise CommandError(tr("nothing was asked."), Exit.USAGE)
    return text


def _opening(arguments: Namespace) -> Open:
    """Return what opens the conversation that is meant."""
    from nagomi_tui import words
    from nagomi_tui.agent.chat.opening import Wanted, opened
    from nagomi_tui.commands.resident import carried
    from nagomi_tui.settings.loading import load

    settings = load(aside=False).settings
    adopt(settings.language)
    wanted = Wanted(
        conversation=carried(arguments.conversation),
        new=None if arguments.new is None else carried(arguments.new),
        folders=tuple(_folder(carried(folder)) for folder in arguments.folder),
    )
    return partial(opened, wanted, settings, words.of(language()))


def _folder(named: str) -> str:
    path = os.path.abspath(os.path.expanduser(named))
    if not os.path.isdir(path):
        raise CommandError(tr("{folder} is no folder.", folder=named), Exit.USAGE)
    return path


def _talk(open_talk: Open) -> int:
    from nagomi_tui import paths, words
    from nagomi_tui.agent.chat import program

    history = paths.make_private(paths.state_folder()) / "chat_history"
    return program.run(open_talk, history, words.of(language()))


def _once(open_talk: Open, text: str) -> int:
    from nagomi_tui import words
    from nagomi_tui.agent.chat import once

    return once.ask(open_talk, text, once.Once(_print, complain, words.of(language())))


def _print(text: str) -> None:
    write(text)
    sys.stdout.flush()
