"""`nagomi why`: a session's state, and the rule and evidence behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.commands.parser import add, add_json, add_session
from nagomi_tui.commands.resident import ask, named
from nagomi_tui.commands.speech import say_json, spoken, tr, write

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands


def register(commands: Commands) -> None:
    """Add the command of this group."""
    asker = add(commands, "why", why, tr("say how a session stands, and what that is read from"))
    add_session(asker)
    add_json(asker)


def why(arguments: Namespace) -> None:
    """Ask the session's judge and print its account."""
    from nagomi_tui.api.messages import Why
    from nagomi_tui.api.printing import account

    found = ask(Why(id=0, session=named(arguments.session)))
    if arguments.json:
        say_json(found)
    else:
        write(account(found, spoken()))
