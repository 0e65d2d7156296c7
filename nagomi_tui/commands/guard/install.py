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
    parser.add_argument("--yes", action="store_true", help=tr("do not ask"))


def install(arguments: Namespace) -> int:
    """Show what would be written, ask, and write it; then offer what can stand beside the hooks."""
    from nagomi_tui.agent_hooks import files

    meant = _meant(arguments, every=False)
    changes = _planned(files.install, meant, arguments)
    if changes:
        for change in changes:
            say_change(change)
        user_only("nagomi guard install")
        if not confirm(tr("Write these hooks?"), yes=arguments.yes):
            say(tr("Nothing was changed."))
            return int(Exit.FAILED)
        for change in changes:
            carry_out(change)
        say(tr("Done. Agents that run take it up at once or at their next start."))
        for hooks in meant:
            _say_trust(hooks)
    else:
        say(tr("The guard is there already."))
    offer(arguments, meant)
    return int(Exit.OK)


def uninstall(arguments: Namespace) -> int:
    """Show what would go, ask, and take it out; the project's tasks and settings stay."""
    from nagomi_tui.agent_hooks import files

    meant = _meant(arguments, every=True)
    sets = [*installed_extras(arguments, meant), *meant]
    changes = _planned(files.remove, sets, arguments)
    named = sorted({str(change.path) for change in changes})
    if not arguments.json:
        _say_removal(changes)
    if arguments.dry_run or not changes:
        return _removed(arguments, named, done=False)
    user_only("nagomi guard uninstall")
    if not confirm(tr("Take the guard out?"), yes=arguments.yes):
        say(tr("Nothing was changed."))
        return int(Exit.FAILED)
    for one in sets:
        # One file may hold several of these, and is another one after the first.
        carry_out(planned(files.remove, one, arguments))
    if not arguments.json:
        say(tr("The guard is gone. The folder sessions/ with your tasks and settings stays."))
    return _removed(arguments, named, done=True)


def _say_removal(changes: Sequence[Change]) -> None:
    for change in changes:
        say_change(change)
    if not changes:
        say(tr("There is no guard here."))


def _removed(arguments: Namespace, named: Sequence[str], *, done: bool) -> int:
    if arguments.json:
        say_json({"files": named, "removed": done})
    return int(Exit.OK)


def _meant(arguments: Namespace, *, every: bool) -> list[GuardHooks]:
    """Return the agents that are named, or those that are there.

    Raises:
        CommandError: none is there.
    """
    import shutil

    from nagomi_tui.guard.install.hook_set import GuardHooks, project_here

    root = str(project_here())
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
) -> list[Change]:
    changes = [planned(plan, one, arguments) for one in sets]
    return [change for change in changes if not change.is_none]


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
