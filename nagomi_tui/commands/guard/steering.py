"""`nagomi guard approve`, `stop` and `undo`: what the user does to the guard of sessions from a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.commands.confirm import confirm
from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import add, add_json, add_session
from nagomi_tui.commands.resident import ask, named
from nagomi_tui.commands.speech import complain, say, say_json, tr

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from nagomi_tui.commands.parser import Commands


def register(commands: Commands) -> None:
    """Add the commands of this group."""
    stopper = add(
        commands, "stop", stop, tr("stop an agent at once: back to discussion, without todos")
    )
    add_session(stopper, nargs="?", default="")
    stopper.add_argument("--all", action="store_true", help=tr("stop the agents of all sessions"))
    add_json(stopper)
    approver = add(
        commands, "approve", approve, tr("approve what an agent proposes, so that it may write")
    )
    add_session(approver)
    approver.add_argument(
        "todo", metavar="N", nargs="*", type=int, help=tr("only these of the todos (default: all)")
    )
    approver.add_argument("--yes", action="store_true", help=tr("do not ask"))
    approver.add_argument(
        "--silent", action="store_true", help=tr("type nothing into the agent's prompt")
    )
    add_json(approver)
    undoer = add(
        commands, "undo", undo, tr("undo what changed in discussion, which nobody approved")
    )
    add_session(undoer)
    undoer.add_argument("--yes", action="store_true", help=tr("do not ask"))
    add_json(undoer)


def approve(arguments: Namespace) -> int:
    """Approve all or some of the todos that are offered, once the user has seen them."""
    from nagomi_tui.api.messages import GuardApprove, GuardShow

    _refuse_inside("approve")
    session = named(arguments.session)
    offered = ask(GuardShow(id=0, session=session)).offered
    todos = _chosen(offered, arguments.todo)
    if not arguments.json:
        _say_offered(todos)
    if not confirm(tr("Approve this?"), yes=arguments.yes):
        complain(tr("Nothing was approved."))
        return int(Exit.FAILED)
    order = GuardApprove(id=0, session=session, todos=todos, tell=not arguments.silent)
    done = ask(order)
    if arguments.json:
        say_json(done)
    elif not (done.told or arguments.silent):
        say(tr("Approved; tell the agent to go on, since nothing could be typed into its prompt."))
    return int(Exit.OK)


def _refuse_inside(verb: str) -> None:
    """Refuse, before anything is asked, what programs of a strict session are always refused.

    Raises:
        CommandError: this command runs in one.
    """
    from nagomi_tui.guard.hook import door

    if door.is_inside():
        raise CommandError(
            tr(
                "only the user may run `{what}`, and this is a strict session, where nobody can tell "
                "who asks. Approve in nagomi itself, or in a terminal outside of it.",
                what=f"nagomi guard {verb}",
            )
        )


def _chosen(offered: Sequence[str], numbers: Sequence[int]) -> tuple[str, ...]:
    if wrong := [number for number in numbers if not 1 <= number <= len(offered)]:
        raise CommandError(tr("there is no todo {number}.", number=wrong[0]), Exit.USAGE)
    wanted = set(numbers) or set(range(1, len(offered) + 1))
    return tuple(todo for number, todo in enumerate(offered, 1) if number in wanted)


def _say_offered(todos: Sequence[str]) -> None:
    from nagomi_tui.core.text.plain import printable

    for number, todo in enumerate(todos, 1):
        say(f"{number:>3}  {printable(todo)}")
    if not todos:
        say(tr("Nothing is proposed: the agent may set its todos itself."))


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


def undo(arguments: Namespace) -> int:
    """Put back what has changed in discussion, once the user has seen it."""
    from nagomi_tui.api.messages import GuardNoticed, GuardUndo
    from nagomi_tui.core.text.plain import printable

    _refuse_inside("undo")
    session = named(arguments.session)
    found = ask(GuardNoticed(id=0, session=session))
    if not found.change:
        complain(tr("Nothing has changed that nobody approved."))
        return int(Exit.FAILED)
    if not arguments.json:
        for line in found.lines:
            say(printable(line))
    if not confirm(tr("Undo this?"), yes=arguments.yes):
        complain(tr("Nothing was undone."))
        return int(Exit.FAILED)
    done = ask(GuardUndo(id=0, session=session, change=found.change))
    if arguments.json:
        say_json(done)
    else:
        say(tr("Undone: {paths}", paths=", ".join(map(printable, done.paths))))
    if done.left:
        left = ", ".join(map(printable, done.left))
        complain(tr("Left, since it has changed once more: {paths}", paths=left))
    return int(Exit.FAILED if done.left else Exit.OK)
