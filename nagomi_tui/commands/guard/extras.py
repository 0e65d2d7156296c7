"""What `nagomi guard install` offers beside the hooks: the status line, and `/sessions`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nagomi_tui.commands.confirm import confirm
from nagomi_tui.commands.guard.place import user_only
from nagomi_tui.commands.hooks import fault, say_change
from nagomi_tui.commands.speech import say, tr

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence

    from nagomi_tui.agent_hooks.files import Change
    from nagomi_tui.agent_hooks.plan import HookSet
    from nagomi_tui.guard.install.extras import GuardCommand, GuardStatusLine
    from nagomi_tui.guard.install.hook_set import GuardHooks


def offer(arguments: Namespace, meant: Sequence[GuardHooks]) -> None:
    """Put these into the clients' settings if the user wants them; renew those that are there.

    A status line of the user's own is replaced, or hidden, only if the user says so at a terminal.
    """
    from nagomi_tui.guard.install.extras import GuardStatusLine, extras

    for extra in (one for hooks in meant for one in extras(hooks)):
        if isinstance(extra, GuardStatusLine):
            _offer_status_line(arguments, extra)
        else:
            _offer_command(arguments, extra)


def installed_extras(arguments: Namespace, meant: Sequence[GuardHooks]) -> list[HookSet]:
    """Return those that are there, and nagomi's; the last that was installed comes first."""
    from nagomi_tui.guard.install.extras import extras

    found: Iterator[HookSet] = (one for hooks in meant for one in extras(hooks))
    return [one for one in found if _status(arguments, one) in ("installed", "outdated")][::-1]


def planned(plan: Callable[..., Change], one: HookSet, arguments: Namespace) -> Change:
    """Return what is planned for one of them.

    Raises:
        CommandError: its file is broken, or cannot be read.
    """
    from nagomi_tui.agent_hooks.plan import Unfit

    project = not arguments.user
    try:
        return plan(one, project=project)
    except Unfit as exc:
        raise fault(exc, one.path(project=project)) from exc


def carry_out(change: Change) -> None:
    """Carry out one change.

    Raises:
        CommandError: the file cannot be written, or has just been changed by somebody else.
    """
    from nagomi_tui.agent_hooks import files
    from nagomi_tui.agent_hooks.plan import Unfit

    try:
        files.carry_out(change)
    except Unfit as exc:
        raise fault(exc, change.path) from exc


def _offer_status_line(arguments: Namespace, line: GuardStatusLine) -> None:
    import msgspec

    status = _status(arguments, line)
    above, hidden = line.others(project=not arguments.user)
    if status == "foreign":
        replacing = msgspec.structs.replace(line, replaces=True)
        question = tr(
            "You have a status line of your own. Have the guard's in its place? "
            "`nagomi guard uninstall` puts yours back."
        )
        kept = tr("The status line in {path} is yours, and stays.", path=_path(arguments, line))
        _put(arguments, replacing, question, given=arguments.status_line, else_say=kept)
    elif status == "absent" and hidden:
        path = hidden[-1]
        question = tr(
            "You have a status line of your own in {path}. Have the guard's here, which hides it?",
            path=path,
        )
        kept = tr("The status line in {path} is yours, and stays.", path=path)
        _put(arguments, line, question, given=arguments.status_line, else_say=kept)
    else:
        question = tr("Have the guard in {agent}'s status line as well?", agent=line.hooks.title)
        _put(arguments, line, question, given=arguments.status_line, sure=True)
    if above and _status(arguments, line) == "installed":
        say(tr("The status line in {path} wins over the guard's.", path=above[-1]))


def _offer_command(arguments: Namespace, command: GuardCommand) -> None:
    if _status(arguments, command) == "foreign":
        if arguments.slash_command:
            path = _path(arguments, command)
            say(tr("{path} is there already and is not of nagomi. Nothing was changed.", path=path))
        return
    question = tr(
        "Have the slash command `/sessions` in {agent} as well? It shows how the guard stands.",
        agent=command.hooks.title,
    )
    _put(arguments, command, question, given=arguments.slash_command, sure=True)


def _put(
    arguments: Namespace,
    extra: HookSet,
    question: str,
    *,
    given: bool,
    sure: bool = False,
    else_say: str = "",
) -> None:
    """Show and write one, if the user wants it.

    Args:
        arguments: the command's.
        extra: what is written.
        question: what is asked first.
        given: whether the user has asked for it on the command line.
        sure: whether that is enough, so that nothing is asked.
        else_say: what is said if the user wants it and it is not written.
    """
    from nagomi_tui.agent_hooks import files

    change = planned(files.install, extra, arguments)
    renews = sure and _status(arguments, extra) == "outdated"
    can_ask = sys.stdin is not None and sys.stdin.isatty()
    asks = can_ask and (given or not arguments.yes)
    if change.is_none or not (given or renews or asks):
        return
    if not (sure or asks):
        say(else_say)
        return
    say_change(change)
    user_only("nagomi guard install")
    if not confirm(question, yes=sure and (given or renews)):
        if else_say:
            say(else_say)
        return
    carry_out(change)
    say(tr("Done. Agents that run take it up at once or at their next start."))


def _status(arguments: Namespace, extra: HookSet) -> str:
    from nagomi_tui.agent_hooks import files
    from nagomi_tui.agent_hooks.plan import Unfit

    try:
        return files.status(extra, project=not arguments.user)
    except Unfit:
        return "foreign"


def _path(arguments: Namespace, extra: HookSet) -> str:
    return str(extra.path(project=not arguments.user))
