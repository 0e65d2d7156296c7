"""`nagomi hands install`: the far side's own uv or pip makes a Python for the worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.commands.hands.reaching import in_order, reach
from nagomi_tui.commands.outcome import Exit
from nagomi_tui.commands.parser import add
from nagomi_tui.commands.speech import complain, say, tr

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands
    from nagomi_tui.hands.hand import Hand


def register(verbs: Commands) -> None:
    """Add the verb of this file."""
    verb = add(
        verbs, "install", run, tr("have uv or pip there install what its worker is faster with")
    )
    verb.add_argument("name", metavar="NAME", help=tr("its name"))


def run(arguments: Namespace) -> int:
    """Install for a hand that there is."""
    from nagomi_tui.hands import registry

    with in_order():
        hand = registry.load().meant(arguments.name)
    return install(hand)


def install(hand: Hand) -> int:
    """Install there, say what was done, and reach for the hand; return the command's exit code."""
    from nagomi_tui.hands import installing

    say(tr("Installing behind {name}; this may take minutes.", name=hand.name))
    with in_order():
        done = installing.install(hand, {})
    if done.half:
        told = {"name": hand.name, "by": done.by, "said": done.half}
        complain(tr("{by} behind {name} could not fetch all; the worker is slower: {said}", **told))
    else:
        say(tr("{by} behind {name} has installed it.", name=hand.name, by=done.by))
    return int(Exit.FAILED) if done.half else reach(hand.name)
