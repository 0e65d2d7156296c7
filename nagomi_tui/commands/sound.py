"""`nagomi sound`: how sound stands, a test, and quiet for a while."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from nagomi_tui.api.command_client import ask
from nagomi_tui.commands.parser import add, add_json
from nagomi_tui.system.console import say, say_json, tr, write
from nagomi_tui.system.outcome import CommandError, Exit

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.api.messages import SoundStanding
    from nagomi_tui.commands.parser import Commands

_KINDS = ("attention", "failure", "success")


def register(commands: Commands) -> None:
    """Add the command and what it can do."""
    group = add(commands, "sound", status, tr("how sound stands, a test, quiet for a while"))
    ways = group.add_subparsers(metavar="WHAT", parser_class=type(group))
    add_json(add(ways, "status", status, tr("what plays sounds, and whether any may be heard")))
    tester = add(ways, "test", test, tr("play a sound now"))
    tester.add_argument(
        "kind", metavar="KIND", nargs="?", default="attention", choices=_KINDS,
        help=tr("attention, failure or success"),
    )  # fmt: skip
    add_json(tester)
    muter = add(ways, "mute", mute, tr("no sound for a while"))
    muter.add_argument(
        "duration", metavar="DURATION", nargs="?", default="1h", help=tr("such as 1h, 90m or 30s")
    )
    add(ways, "unmute", unmute, tr("sounds may be heard again"))


def status(arguments: Namespace) -> None:
    """Say how sound stands."""
    _show(_ask(do="status"), getattr(arguments, "json", False))


def test(arguments: Namespace) -> None:
    """Play a sound, and say what played it."""
    told = _ask(do="test", kind=arguments.kind)
    if told.way == "bell" and sys.stdout is not None and sys.stdout.isatty():
        write("\a")
    _show(told, arguments.json)


def mute(arguments: Namespace) -> None:
    """Have no sound for a while."""
    from nagomi_tui.alerts.calls import seconds

    wanted = seconds(arguments.duration)
    if wanted is None:
        raise CommandError(
            tr("`{text}` is no time; `1h`, `90m` or `30s` are.", text=arguments.duration),
            Exit.USAGE,
        )
    _show(_ask(do="mute", seconds=wanted), False)


def unmute(arguments: Namespace) -> None:
    """Sounds may be heard again."""
    _show(_ask(do="mute", seconds=0.0), False)


def _ask(**what: Any) -> SoundStanding:
    from nagomi_tui.api.messages import Sound

    return ask(Sound(id=0, **what))


def _show(told: SoundStanding, as_json: bool) -> None:
    if as_json:
        say_json(told)
        return
    if told.way != "bell":
        say(tr("Sounds are played by {way}.", way=told.way))
    elif told.far:
        say(tr("You are at another machine: the terminal's bell rings there."))
    else:
        why = told.why or tr("The terminal's bell rings.")
        say(why)
    if told.muted_until:
        clock = time.strftime("%H:%M", time.localtime(told.muted_until))
        say(tr("No sound until {clock}; `nagomi sound unmute` ends that.", clock=clock))
    elif told.quiet:
        say(tr("These are quiet hours: no sound now."))
