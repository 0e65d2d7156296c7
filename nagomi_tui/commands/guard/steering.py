"""`nagomi guard stop`: what the user does to the guard of sessions from a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import add, add_json, add_session
from nagomi_tui.commands.resident import ask, named
from nagomi_tui.commands.speech import complain, say, say_json, tr

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands


def register(commands: Commands) -> None:
    """Add the commands of this group."""
    stopper = add(
        commands, "stop", stop, tr("stop an agent at once: back to discussion, without todos")
    )
    add_session(stopper, nargs="?", default="")
    stopper.add_argument("--all", action="store_true", help=tr("stop the agents of all sessions"))
    add_json(stopper)


def stop(arguments: Namespace) -> int:
    """Stop one session's agent, or all."""
    from nagomi_tui.api.messages import GuardStop

    if bool(arguments.session) == arguments.all:
        raise CommandError(tr("name a session, or give `--all`."), Exit.USAGE)
    session = named(arguments.session) if arguments.session else ""
    done = ask(GuardStop(id=0, session=session))
    if arguments.json:
        say_json(done)
    else:
        stopped = ", ".join(done.sessions)
        say(tr("Stopped: {names}", names=stopped) if stopped else tr("No session is guarded."))
    for fault in done.faults:
        complain(fault)
    return int(Exit.FAILED if done.faults else Exit.OK)
