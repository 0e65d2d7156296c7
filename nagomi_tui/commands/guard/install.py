"""`nagomi guard install` and `uninstall`: hooks in agents' settings, and what goes beside them."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from nagomi_tui.agents.registry import GUARDED
from nagomi_tui.commands.guard.project import user_only
from nagomi_tui.commands.hooks import carry_out, planned, say_change, say_trust, status_of
from nagomi_tui.commands.parser import Commands, Parser, add, add_flag, add_json
from nagomi_tui.guard.files.project import Project, find
from nagomi_tui.guard.files.state import Busy, changed_by_user, edit_state, forget_state
from nagomi_tui.system.console import confirm, failure, say, say_json, tr
from nagomi_tui.system.outcome import CommandError, Exit

if TYPE_CHECKING:
    from nagomi_tui.agents.hooks.files import Change
    from nagomi_tui.agents.hooks.plan import HookSet
    from nagomi_tui.guard.install.hooks import GuardCommand, GuardHooks, GuardStatusLine


def offer(arguments: Namespace, meant: Sequence[GuardHooks]) -> None:
    """Put these into the clients' settings if the user wants them; renew those that are there.

    A status line of the user's own is replaced, or hidden, only if the user says so at a terminal.
    """
    from nagomi_tui.guard.install.hooks import GuardStatusLine, extras

    for extra in (one for hooks in meant for one in extras(hooks)):
        if isinstance(extra, GuardStatusLine):
            _offer_status_line(arguments, extra)
        else:
            _offer_command(arguments, extra)


def installed_extras(arguments: Namespace, meant: Sequence[GuardHooks]) -> list[HookSet]:
    """Return those that are there, and nagomi's; the last that was installed comes first."""
    from nagomi_tui.guard.install.hooks import extras

    found: Iterator[HookSet] = (one for hooks in meant for one in extras(hooks))
    return [one for one in found if _status(arguments, one) in ("installed", "outdated")][::-1]


@contextmanager
def _changed_by_user(root: str) -> Iterator[None]:
    """Let an approval in the project outlast what its user changes of the hooks.

    Raises:
        CommandError: its state cannot be read or sealed.
    """
    project = Project(Path(root))
    try:
        with changed_by_user(project):
            yield
    except OSError as exc:
        raise _not_written(project, exc) from exc


def _not_written(project: Project, exc: Exception) -> CommandError:
    return failure("{path} cannot be written: {reason}.", path=project.state_file, reason=exc)


def _offer_status_line(arguments: Namespace, line: GuardStatusLine) -> None:
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
    from nagomi_tui.agents.hooks import files

    change = planned(files.install, extra, project=not arguments.user)
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
    return status_of(extra, project=not arguments.user, unfit="foreign")


def _path(arguments: Namespace, extra: HookSet) -> str:
    return str(extra.path(project=not arguments.user))


def register(commands: Commands) -> None:
    parser = add(commands, "install", install, tr("guard this project: agents discuss first"))
    _options(parser)
    add_flag(
        parser,
        "--status-line",
        help=tr("the guard in the agent's status line, too, without asking about it"),
    )
    add_flag(
        parser, "--slash-command", help=tr("`/sessions` in the agent, too, without asking about it")
    )
    parser = add(commands, "uninstall", uninstall, tr("take the guard out of this project"))
    _options(parser)
    add_flag(parser, "--dry-run", help=tr("show what would go, and change nothing"))
    add_json(parser)


def _options(parser: Parser) -> None:
    parser.add_argument("--agent", choices=GUARDED, help=tr("only this agent"))
    add_flag(parser, "--user", help=tr("your own settings, for all your projects"))
    add_flag(parser, "--diff", help=tr("show every line of the change"))
    add_flag(parser, "--yes", help=tr("do not ask"))


def install(arguments: Namespace) -> int:
    """Show what would be written, ask, and write it; then offer what can stand beside the hooks."""
    from nagomi_tui.agents.hooks import files

    meant = _meant(arguments, every=False)
    changes = _planned(files.install, meant, arguments)
    if changes:
        user_only("nagomi guard install")
        _say_changes(changes, every_line=arguments.diff)
        if not confirm(tr("Write these hooks?"), yes=arguments.yes):
            say(tr("Nothing was changed."))
            return int(Exit.FAILED)
        with _changed_by_user(meant[0].root):
            for _, change in changes:
                carry_out(change)
        say(tr("Done. Agents that run take it up at once or at their next start."))
        for hooks in meant:
            _say_trust(hooks)
    else:
        paths = ", ".join(_path(arguments, one) for one in meant)
        say(tr("The guard is there already: {files}.", files=paths))
    if not arguments.user:
        begin(meant[0])
        for hooks in meant:
            _say_reach(hooks)
    offer(arguments, meant)
    return int(Exit.OK)


def uninstall(arguments: Namespace) -> int:
    """Show what would go, ask, and take it out; the project's tasks and settings stay."""
    from nagomi_tui.agents.hooks import files

    meant = _meant(arguments, every=True)
    sets = [*installed_extras(arguments, meant), *meant]
    changes = _planned(files.remove, sets, arguments)
    named = sorted({str(change.path) for _, change in changes})
    if not arguments.json:
        _say_changes(changes, every_line=arguments.diff)
        if not changes:
            say(tr("There is no guard in {folder}.", folder=meant[0].root))
    if arguments.dry_run or not changes:
        return _removed(arguments, named, done=False)
    user_only("nagomi guard uninstall")
    if not confirm(tr("Take the guard out?"), yes=arguments.yes):
        say(tr("Nothing was changed."))
        return int(Exit.FAILED)
    with _changed_by_user(meant[0].root):
        for one in sets:
            # One file may hold several of these, and is another one after the first.
            carry_out(planned(files.remove, one, project=not arguments.user))
    is_all = not arguments.user and _forget(meant)
    if not arguments.json:
        stays = tr("The guard is gone. The folder sessions/ with your tasks and settings stays.")
        say(tr("The guard is gone.") if is_all else stays)
    return _removed(arguments, named, done=True)


def write_hooks(folder: str) -> bool:
    """Have the agents of a folder's project guarded, after it was shown and asked; tell whether they are.

    Raises:
        CommandError: nobody can be asked, or nothing can be written.
    """
    from nagomi_tui.agents.hooks import files

    arguments = Namespace(agent=None, user=False, yes=False)
    meant = _meant(arguments, every=False, root=str(find(folder, {}).root))
    changes = _planned(files.install, meant, arguments)
    _say_changes(changes, every_line=False)
    if changes and not confirm(tr("Write these hooks?"), yes=False):
        return False
    for _, change in changes:
        carry_out(change)
    begin(meant[0])
    for hooks in meant:
        _say_reach(hooks)
    return True


def begin(hooks: GuardHooks) -> None:
    """Make the guard's state in a project, in discussion, so that all see from now on that it is there.

    Raises:
        CommandError: it cannot be written.
    """
    project = Project(Path(hooks.root))
    try:
        with edit_state(project):
            pass
    except (OSError, Busy) as exc:
        raise _not_written(project, exc) from exc


def _forget(meant: Sequence[GuardHooks]) -> bool:
    """Remove the guard's state where no agent has its hooks any more and nothing is in it."""
    from nagomi_tui.agents.hooks import files
    from nagomi_tui.guard.install.hooks import GuardHooks

    root = meant[0].root
    if any(files.status(GuardHooks(name, root), project=True) != "absent" for name in GUARDED):
        return False
    return forget_state(Project(Path(root)))


def _say_changes(changes: Sequence[tuple[HookSet, Change]], *, every_line: bool) -> None:
    """Print for each file in few lines what becomes of it, or the whole change."""
    for hooks, change in changes:
        if every_line:
            say_change(change)
        else:
            _say_file(hooks, change)
    if changes and not every_line:
        say(tr("`--diff` shows every line."))


def _say_file(hooks: HookSet, change: Change) -> None:
    from nagomi_tui.guard.hook.events import DECIDERS
    from nagomi_tui.guard.install.hooks import GuardHooks

    if change.before is None:
        say(tr("{path} (a new file)", path=change.path))
    elif change.after is None:
        say(tr("{path} (the file goes)", path=change.path))
    else:
        say(tr("{path} (all else in it stays)", path=change.path))
    if not isinstance(hooks, GuardHooks):
        return
    decided = ", ".join(event for event in hooks.events if event in DECIDERS)
    others = ", ".join(event for event in hooks.events if event not in DECIDERS)
    sign = "+" if change.back else "-"
    for line in (
        tr("decides at {events}", events=decided),
        tr("hears of {events}", events=others),
        tr(
            "by {program}, with nagomi's hook; where that fails, no tool runs",
            program=sys.executable,
        ),
    ):
        say(f"  {sign} {line}")


def _removed(arguments: Namespace, named: Sequence[str], *, done: bool) -> int:
    if arguments.json:
        say_json({"files": named, "removed": done})
    return int(Exit.OK)


def _meant(arguments: Namespace, *, every: bool, root: str = "") -> list[GuardHooks]:
    """Return the agents that are named, or those that are there, in a project or in this folder's.

    Raises:
        CommandError: none is there.
    """
    import shutil

    from nagomi_tui.guard.install.hooks import GuardHooks, project_here

    root = root or str(project_here())
    if arguments.agent:
        return [GuardHooks(arguments.agent, root)]
    known = [GuardHooks(name, root) for name in GUARDED]
    found = [
        hooks
        for hooks in known
        if every or shutil.which(hooks.agent) or hooks.path(project=False).parent.is_dir()
    ]
    if not found:
        raise failure(
            "none of these agents is there: {agents}; `--agent` names one that will be.",
            agents=", ".join(hooks.title for hooks in known),
        )
    return found


def _planned(
    plan: Callable[..., Change], sets: Sequence[HookSet], arguments: Namespace
) -> list[tuple[HookSet, Change]]:
    changes = [(one, planned(plan, one, project=not arguments.user)) for one in sets]
    return [(one, change) for one, change in changes if not change.is_none]


def _say_trust(hooks: GuardHooks) -> None:
    if hooks.asks_trust:
        say_trust(hooks.title)
    else:
        say(tr("{agent} runs them once you have trusted this folder in it.", agent=hooks.title))


def _say_reach(hooks: GuardHooks) -> None:
    """Say in which folders an agent has to be started to have these hooks."""
    if GUARDED[hooks.agent].reads_above:
        sentence = tr(
            "{agent} is guarded where it is started in {folder}, or below that in the same repository.",
            agent=hooks.title,
            folder=hooks.root,
        )
    else:
        sentence = tr(
            "{agent} is guarded where it is started in {folder} itself; in a folder below that it is "
            "not, unless by `nagomi new --guard`.",
            agent=hooks.title,
            folder=hooks.root,
        )
    say(sentence)
