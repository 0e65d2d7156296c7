"""`nagomi hands login` and `logout`: ssh asks for what it wants, and stays logged in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nagomi_tui.commands.hands.reaching import in_order, reach
from nagomi_tui.commands.outcome import Exit
from nagomi_tui.commands.parser import add
from nagomi_tui.commands.resident import ask
from nagomi_tui.commands.speech import complain, say, tr

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands
    from nagomi_tui.hands.hand import Hand


def register(verbs: Commands) -> None:
    """Add the verbs of this file."""
    opener = add(
        verbs, "login", log_in, tr("let ssh ask for a password, or about the host's key, and stay")
    )
    opener.add_argument("name", metavar="NAME", help=tr("its name"))
    opener.add_argument(
        "--pane", action="store_true", help=tr("ask in a session of its own, not here")
    )
    closer = add(verbs, "logout", log_out, tr("end the ssh that has logged in"))
    closer.add_argument("name", metavar="NAME", help=tr("its name"))


def log_in(arguments: Namespace) -> int:
    """Let ssh ask on this terminal, else in a session's pane; then reach for the hand."""
    from nagomi_tui.hands import master, registry

    with in_order():
        hand = registry.load().meant(arguments.name)
        if arguments.pane or not (os.isatty(0) and os.isatty(1)):
            master.check(hand)
            _ask_in_pane(hand)
            return int(Exit.OK)
        if not master.log_in(hand):
            complain(tr("You are not logged in to {name}.", name=hand.name))
            return int(Exit.FAILED)
    return reach(hand.name)


def _ask_in_pane(hand: Hand) -> None:
    """Start a session that logs in, and say where it is."""
    from nagomi_tui.api.messages import Create
    from nagomi_tui.hands.asking import login_command

    name, folder = f"login-{hand.name}", os.path.expanduser("~")
    made = ask(Create(id=0, cmd=login_command(hand.name), cwd=folder, name=name), start=True)
    say(tr("ssh asks in session {number} ({name}).", number=made.number, name=made.name))


def log_out(arguments: Namespace) -> int:
    """End the ssh that has logged in, and with it what goes over it."""
    from nagomi_tui.hands import master, registry

    with in_order():
        hand = registry.load().meant(arguments.name)
    if master.close(hand):
        return int(Exit.OK)
    complain(tr("You are not logged in to {name}.", name=hand.name))
    return int(Exit.FAILED)
