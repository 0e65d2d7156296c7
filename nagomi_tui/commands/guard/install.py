"""`nagomi guard install` and `uninstall`: the hook in clients' settings, shown before it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.commands.confirm import confirm
from nagomi_tui.commands.guard.extras import carry_out, installed_extras, offer, planned
from nagomi_tui.commands.guard.place import user_only
from nagomi_tui.commands.hooks import say_change
from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import add, add_json
from nagomi_tui.commands.speech import say, say_json, tr
from nagomi_tui.core.agents.registry import AGENTS

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    from nagomi_tui.agent_hooks.files import Change
    from nagomi_tui.agent_hooks.plan import HookSet
    from nagomi_tui.commands.parser import Commands, Parser
    from nagomi_tui.guard.install.hook_set import GuardHooks

_GUARDED = tuple(name for name, agent in AGENTS.items() if agent.guarded)


def register(commands: Commands) -> None:
    """Add these commands."""
    parser = add(commands, "install", install, tr("guard this project: agents discuss first"))
    _options(parser)
    parser.add_argument(
        "--status-line",
        action="store_true",
        help=tr("the guard in the agent's status line, too, without asking about it"),
    )
    parser.add_argument(
        "--slash-command",
        action="store_true",
        help=tr("`/sessions` in the agent, too, without asking about it"),
    )
    parser = add(commands, "uninstall", uninstall, tr("take the guard out of this project"))
    _options(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help=tr("show what would go, and change nothing")
    )
    add_json(parser)


def _options(parser: Parser) -> None:
    parser.add_argument("--agent", choices=_GUARDED, help=tr("only this agent"))
    parser.add_argument(
        "--user", action="store_true", help=tr("your own settings, for all your projects")
    )
    parser.add_argument("--diff", action="store_true", help=tr("show every line of the change"))
    parser.add_argument("--yes", action="store_true", help=tr("do not ask"))


def install(arguments: Namespace) -> int:
    """Show what would be written, ask, and write it; then offer what can stand beside the hooks."""
    from nagomi_tui.agent_hooks import files

    meant = _meant(arguments, every=False)
    changes = _planned(files.install, meant, arguments)
    if changes:
        user_only("nagomi guard install")
        _say_changes(changes, every_line=arguments.diff)
        if not confirm(tr("Write these hooks?"), yes=arguments.yes):
            say(tr("Nothing was changed."))
            return int(Exit.FAILED)
        for _, change in changes:
            carry_out(change)
        say(tr("Done. Agents that run take it up at once or at their next start."))
        for hooks in meant:
            _say_trust(hooks)
    else:
        say(tr("The guard is there already: {files}.", files=", ".join(_paths(meant, arguments))))
    if not arguments.user:
        begin(meant[0])
        for hooks in meant:
            _say_reach(hooks)
    offer(arguments, meant)
    return int(Exit.OK)


def uninstall(arguments: Namespace) -> int:
    """Show what would go, ask, and take it out; the project's tasks and settings stay."""
    from nagomi_tui.agent_hooks import files

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
    for one in sets:
        # One file may hold several of these, and is another one after the first.
        carry_out(planned(files.remove, one, arguments))
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
    from argparse import Namespace

    from nagomi_tui.agent_hooks import files
    from nagomi_tui.guard.files.project import find

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
    from pathlib import Path

    from nagomi_tui.guard.files.lock import Busy
    from nagomi_tui.guard.files.project import Project
    from nagomi_tui.guard.files.state import edit_state

    project = Project(Path(hooks.root))
    try:
        with edit_state(project):
            pass
    except (OSError, Busy) as exc:
        sentence = tr("{path} cannot be written: {reason}.", path=project.state_file, reason=exc)
        raise CommandError(sentence) from exc


def _forget(meant: Sequence[GuardHooks]) -> bool:
    """Remove the guard's state where no agent has its hooks any more and nothing is in it."""
    from pathlib import Path

    from nagomi_tui.agent_hooks import files
    from nagomi_tui.guard.files.project import Project
    from nagomi_tui.guard.files.state import forget_state
    from nagomi_tui.guard.install.hook_set import GUARDED, GuardHooks

    root = meant[0].root
    if any(files.status(GuardHooks(name, root), project=True) != "absent" for name in GUARDED):
        return False
    return forget_state(Project(Path(root)))


def _paths(sets: Sequence[HookSet], arguments: Namespace) -> list[str]:
    return [str(one.path(project=not arguments.user)) for one in sets]


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
    import sys

    from nagomi_tui.guard.hook.events import DECIDERS
    from nagomi_tui.guard.install.hook_set import GuardHooks

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

    from nagomi_tui.guard.install.hook_set import GuardHooks, project_here

    root = root or str(project_here())
    if arguments.agent:
        return [GuardHooks(arguments.agent, root)]
    known = [GuardHooks(name, root) for name in _GUARDED]
    found = [
        hooks
        for hooks in known
        if every or shutil.which(hooks.agent) or hooks.path(project=False).parent.is_dir()
    ]
    if not found:
        raise CommandError(
            tr(
                "none of these agents is there: {agents}; `--agent` names one that will be.",
                agents=", ".join(hooks.title for hooks in known),
            )
        )
    return found


def _planned(
    plan: Callable[..., Change], sets: Sequence[HookSet], arguments: Namespace
) -> list[tuple[HookSet, Change]]:
    changes = [(one, planned(plan, one, arguments)) for one in sets]
    return [(one, change) for one, change in changes if not change.is_none]


def _say_trust(hooks: GuardHooks) -> None:
    if hooks.asks_trust:
        say(
            tr(
                "{agent} asks at its next start whether you trust these hooks; "
                "they work after that.",
                agent=hooks.title,
            )
        )
    else:
        say(tr("{agent} runs them once you have trusted this folder in it.", agent=hooks.title))


def _say_reach(hooks: GuardHooks) -> None:
    """Say in which folders an agent has to be started to have these hooks."""
    guarded = AGENTS[hooks.agent].guarded
    assert guarded
    if guarded.reads_above:
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
