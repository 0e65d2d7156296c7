"""Reaches for a hand, and says what was found; what all commands about hands have in common."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.resident import ask
from nagomi_tui.commands.speech import complain, say, spoken, tr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.messages import HandStanding


@contextmanager
def in_order() -> Iterator[None]:
    """Turn faults of hands and of their file into errors of the command."""
    from nagomi_tui.hands.hand import BadHand

    try:
        yield
    except BadHand as exc:
        raise CommandError(tr(exc.message, **exc.values), Exit.USAGE) from exc


def machine(standing: HandStanding) -> str:
    """Return what a hand's machine is."""
    from nagomi_tui.api.machine import machine_words

    return machine_words(standing, spoken())


def reach(name: str) -> int:
    """Reach for a hand and say what was found; return the command's exit code."""
    from nagomi_tui.api.messages import ReachHand

    found = ask(ReachHand(id=0, name=name), start=True)
    if found.reached:
        told = {"name": found.name, "pid": found.pid, "sessions": found.sessions}
        say(tr("{name} is there: worker {pid}, sessions: {sessions}.", **told))
        if words := machine(found):
            say(words)
        if found.plain:
            sentence = tr(
                "Its worker runs without compiled modules, and slower; `nagomi hands install {name}` "
                "brings them.",
                name=found.name,
            )
            say(sentence)
    else:
        complain(found.fault)
    return int(Exit.OK if found.reached else Exit.FAILED)
