"""`nagomi guard statusline|agents|kickstart|import|sessions`: what stands around the guard."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from nagomi_tui.commands.guard import place
from nagomi_tui.commands.outcome import CommandError
from nagomi_tui.commands.parser import add, add_json, add_verbs
from nagomi_tui.commands.speech import say, say_json, tr, write

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands

_LONGEST: Final = 1024 * 1024


def register(commands: Commands) -> None:
    """Add the commands of this group."""
    add(commands, "statusline", statusline, tr("print the two lines of an agent's status line"))
    agents = commands.add_parser("agents", help=tr("texts for subagents in the agent's settings"))
    verbs = add_verbs(agents, required=True)
    add(verbs, "install", install_agents, tr("write those that are not there"))
    add(verbs, "remove", remove_agents, tr("remove those that nobody changed"))
    tour = add(commands, "kickstart", kickstart, tr("lead a newcomer through the guard"))
    tour.add_argument(
        "verb",
        choices=("full", "subagents", "next", "complete"),
        help=tr("begin, only the subagents, the next chapter, or end"),
    )
    add_json(add(commands, "import", bring_over, tr("take over a project from cc-sessions")))
    translated = add(commands, "sessions", sessions, tr("answer a command of cc-sessions"))
    translated.add_argument("words", nargs="...", metavar="COMMAND")
    add_json(add(commands, "version", version, tr("show the version")))


def statusline(_: Namespace) -> None:
    """Print the status line for what the client tells on stdin."""
    from nagomi_tui.guard.tasks.showing import status_line

    data = sys.stdin.buffer.read(_LONGEST) if sys.stdin is not None else b""
    write(f"{status_line(place.here(), data)}\n")


def install_agents(_: Namespace) -> None:
    """Write the texts for subagents into the project."""
    from nagomi_tui.guard.tasks.subagents import install_agents as install

    place.user_only("nagomi guard agents install")
    new, kept = install(place.here())
    if new:
        say(tr("Written: {names}", names=", ".join(new)))
    if kept:
        say(tr("There already, and left as they are: {names}", names=", ".join(kept)))


def remove_agents(_: Namespace) -> None:
    """Remove the texts for subagents from the project."""
    from nagomi_tui.guard.tasks.subagents import remove_agents as remove

    place.user_only("nagomi guard agents remove")
    gone, kept = remove(place.here())
    say(tr("Removed: {names}", names=", ".join(gone) or "-"))
    if kept:
        say(tr("Changed by somebody, and left as they are: {names}", names=", ".join(kept)))


def kickstart(arguments: Namespace) -> None:
    """Begin the tour, go on with it, or end it."""
    import msgspec

    from nagomi_tui.guard.tasks import tour

    if arguments.verb == "subagents":
        say(tour.short_tour())
        return
    if arguments.verb != "next":
        place.user_only(f"nagomi guard kickstart {arguments.verb}")
    project = place.here()
    with place.changing_state() as editing:
        state = editing.state
        number = {"full": 1, "next": state.own.chapter + 1, "complete": 0}[arguments.verb]
        if arguments.verb == "next" and not state.own.chapter:
            raise CommandError(
                tr("no tour is under way; the user begins it with `nagomi guard kickstart full`.")
            )
        state = tour.at_chapter(state, min(number, len(tour.chapters())))
        flags = msgspec.structs.replace(state.flags, noob=arguments.verb != "complete")
        editing.state = msgspec.structs.replace(state, flags=flags)
    if arguments.verb == "complete":
        tour.remove_tour_task(project)
        say(tr("The tour is over."))
        return
    if arguments.verb == "full":
        tour.make_tour_task(project, place.now()[:10])
        say(tr("The tour begins with the agent's next session in this project. Its first chapter:"))
    say(tour.chapter(number))


def bring_over(arguments: Namespace) -> None:
    """Take over the files of cc-sessions."""
    from nagomi_tui.guard.files.documents import Broken
    from nagomi_tui.guard.tasks.importing import bring_over as bring

    place.user_only("nagomi guard import")
    project = place.here()
    if not project.sessions.is_dir():
        raise CommandError(tr("there is no folder sessions/ in {folder}.", folder=project.root))
    try:
        report = bring(project, (sys.executable, "-m", "nagomi_tui"), place.now())
    except Broken as exc:
        raise CommandError(tr("nothing was taken over: {reason}.", reason=exc)) from exc
    if arguments.json:
        say_json(report._asdict())
        return
    lines = (*report.found, *(f"! {line}" for line in report.warnings))
    text = "\n".join(lines)
    say(text)


def sessions(_: Namespace) -> None:
    """Say what this is; `nagomi_tui/cli.py` has put our words in the place of those behind it."""
    say(tr("`nagomi guard sessions COMMAND` answers a command of cc-sessions."))


def version(arguments: Namespace) -> None:
    """Print nagomi's version, and that of cc-sessions whose files are understood."""
    from nagomi_tui import __version__
    from nagomi_tui.guard.decide.state import VERSION

    if arguments.json:
        say_json({"nagomi": __version__, "sessions": VERSION})
    else:
        say(f"nagomi {__version__} (sessions {VERSION})")
