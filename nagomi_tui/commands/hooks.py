"""Hooks of coding agents: install, remove, show, status; and `event`, which they can run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from nagomi_tui.commands.confirm import confirm
from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import Parser, add, add_json
from nagomi_tui.commands.speech import say, say_json, tr
from nagomi_tui.core.agents import registry
from nagomi_tui.core.agents.registry import WITH_HOOKS

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    from nagomi_tui.agent_hooks.files import Change
    from nagomi_tui.agent_hooks.plan import HookedAgent
    from nagomi_tui.commands.parser import Commands


def register(commands: Commands) -> None:
    """Add the commands of this group."""
    parser = add(commands, "hooks", status, tr("let coding agents tell nagomi how they stand"))
    verbs = parser.add_subparsers(metavar="COMMAND", parser_class=Parser)
    _verb(verbs, "install", install, tr("write nagomi's hooks into the agents' settings"))
    _verb(verbs, "remove", remove, tr("take nagomi's hooks out of the agents' settings"))
    _verb(verbs, "show", show, tr("show what would be written, and write nothing"))
    add_json(_verb(verbs, "status", status, tr("tell whether the hooks are installed")))
    parser.set_defaults(run=status, agent=None, project=False, json=False)
    # `nagomi_tui/cli.py` carries it out itself; here it is only named for the help.
    told = tr("decide an agent's hook event, and hand it on (for its hooks)")
    for name in ("hook", "event"):
        sender = add(commands, name, event, told)
        sender.usage = f"nagomi {name} EVENT [AGENT] < JSON, nagomi {name} AGENT [JSON]"


def _verb(verbs: Commands, name: str, run: Callable[..., int | None], help: str) -> Parser:
    parser = add(verbs, name, run, help)
    parser.add_argument("--agent", choices=WITH_HOOKS, help=tr("only this agent"))
    parser.add_argument(
        "--project", action="store_true", help=tr("the settings of this folder's project")
    )
    if name in ("install", "remove"):
        parser.add_argument("--yes", action="store_true", help=tr("do not ask"))
    return parser


def install(arguments: Namespace) -> int:
    """Show what would be written, ask, and write it."""
    from nagomi_tui.agent_hooks import files

    question = tr("Write these hooks?")
    nothing = tr("The hooks are there already.")
    changed = _change(arguments, files.install, question, nothing)
    if changed is None:
        return int(Exit.FAILED)
    for agent in changed:
        if agent.hooks.asks_trust:
            asks = tr(
                "{agent} asks at its next start whether you trust these hooks; "
                "they work after that.",
                agent=agent.title,
            )
            say(asks)
    return int(Exit.OK)


def remove(arguments: Namespace) -> int:
    """Show what would go, ask, and take it out."""
    from nagomi_tui.agent_hooks import files

    question, nothing = tr("Take these hooks out?"), tr("There are no hooks of nagomi.")
    changed = _change(arguments, files.remove, question, nothing, every=True)
    return int(Exit.FAILED if changed is None else Exit.OK)


def show(arguments: Namespace) -> None:
    """Print what an installation would write."""
    from nagomi_tui.agent_hooks import files

    for agent in (part for each in _meant(arguments) for part in each.parts):
        change = _planned(files.install, agent, arguments)
        if change.is_none:
            say(tr("{path} holds the hooks already.", path=change.path))
        else:
            say_change(change)


def status(arguments: Namespace) -> None:
    """Tell for each agent whether its hooks are installed, and where."""
    from nagomi_tui.agent_hooks import files
    from nagomi_tui.agent_hooks.plan import AGENTS, Unfit

    found = []
    for agent in AGENTS.values():
        if arguments.agent in (None, agent.name):
            path = agent.path(project=arguments.project)
            try:
                installed: str = files.status(agent, project=arguments.project)
            except Unfit:
                installed = "broken"
            found.append({"agent": agent.name, "file": str(path), "hooks": installed})
    if arguments.json:
        say_json(found)
        return
    words = {
        "installed": tr("installed"),
        "outdated": tr("of another version; `nagomi hooks install` renews them"),
        "absent": tr("not installed"),
        "broken": tr("its file is broken"),
    }
    for each in found:
        say(f"{each['agent']:<8} {words[each['hooks']]}  {each['file']}")


def event(words: Sequence[str]) -> NoReturn:
    """Decide one event and hand it on, or with an agent's name only hand it on.

    This ends the process: with 0, or with 2 where that is how the agent wants a refusal.
    """
    if words and words[0] not in registry.AGENTS and words[0][:1].isupper():
        from nagomi_tui.guard.hook.command import main as decide

        decide(words[0], words[1] if len(words) > 1 else "")
    from nagomi_tui.event import main

    main([*words[:1], "", *words[1:]])


def _change(
    arguments: Namespace,
    plan: Callable[..., Change],
    question: str,
    nothing: str,
    *,
    every: bool = False,
) -> list[HookedAgent] | None:
    """Carry out what is planned for each agent meant, after asking once.

    Return the agents whose settings were changed, or None after a no.
    """
    from nagomi_tui.agent_hooks import files
    from nagomi_tui.agent_hooks.plan import Unfit

    meant = _meant(arguments, every=every)
    parts = [part for agent in meant for part in agent.parts]
    planned = [(agent, _planned(plan, agent, arguments)) for agent in parts]
    changes = [(agent, change) for agent, change in planned if not change.is_none]
    if not changes:
        say(nothing)
        return []
    for _, change in changes:
        say_change(change)
    if not confirm(question, yes=arguments.yes):
        say(tr("Nothing was changed."))
        return None
    for _, change in changes:
        try:
            files.carry_out(change)
        except Unfit as exc:
            raise fault(exc, change.path) from exc
    say(tr("Done. Agents that run take it up at once or at their next start."))
    return [agent for agent, _ in changes]


def _meant(arguments: Namespace, *, every: bool = False) -> list[HookedAgent]:
    """Return the agents that are named, or those that are there.

    Raises:
        CommandError: none is there.
    """
    import shutil

    from nagomi_tui.agent_hooks.plan import AGENTS

    if arguments.agent:
        return [AGENTS[arguments.agent]]
    found = [
        agent for agent in AGENTS.values() if every or shutil.which(agent.name) or agent.is_there
    ]
    if not found:
        *others, last = (agent.title for agent in AGENTS.values())
        raise CommandError(
            tr(
                "neither {others} nor {last} is there; `--agent` names one that will be.",
                others=", ".join(others),
                last=last,
            )
        )
    return found


def _planned(plan: Callable[..., Change], agent: HookedAgent, arguments: Namespace) -> Change:
    from nagomi_tui.agent_hooks.plan import Unfit

    try:
        return plan(agent, project=arguments.project)
    except Unfit as exc:
        raise fault(exc, agent.path(project=arguments.project)) from exc


def fault(exc: Exception, path: object) -> CommandError:
    sentence, values = getattr(exc, "sentence", str(exc)), getattr(exc, "values", {})
    return CommandError(tr(sentence, **{**values, "path": path}))


def say_change(change: Change) -> None:
    """Print the change as a diff."""
    import difflib

    before, after = change.before or "", change.after or ""
    here, there = (
        str(change.path) if text is not None else "/dev/null"
        for text in (change.before, change.after)
    )
    lines = (before.splitlines(), after.splitlines(), here, there)
    for line in difflib.unified_diff(*lines, lineterm="", n=2):
        say(line)
