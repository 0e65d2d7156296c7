"""Hooks of coding agents: install, remove, show, status; and `event`, which they can run."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn, TypeVar

from nagomi_tui.agents import registry
from nagomi_tui.commands.parser import Commands, Parser, add, add_flag, add_json
from nagomi_tui.system.console import confirm, failure, say, say_json, tr
from nagomi_tui.system.environment import terminal_width
from nagomi_tui.system.outcome import CommandError, Exit

if TYPE_CHECKING:
    from nagomi_tui.agents.hooks.files import Change
    from nagomi_tui.agents.hooks.mcp_servers import ServedAgent
    from nagomi_tui.agents.hooks.plan import HookedAgent, HookSet

_Part = TypeVar("_Part", bound="HookSet")


def register(commands: Commands) -> None:
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
    parser.add_argument("--agent", choices=registry.WITH_HOOKS, help=tr("only this agent"))
    add_flag(parser, "--project", help=tr("the settings of this folder's project"))
    if name in ("install", "remove"):
        add_flag(parser, "--yes", help=tr("do not ask"))
    if name == "install":
        text = tr("register `nagomi mcp` with the agents, too, without asking about it")
        add_flag(parser, "--mcp", help=text)
    return parser


def install(arguments: Namespace) -> int:
    """Show what would be written, ask, and write it; then offer the MCP server."""
    from nagomi_tui.agents.hooks import files

    meant = _meant(arguments)
    question = tr("Write these hooks?")
    nothing = tr("The hooks are there already.")
    changed = _change(arguments, files.install, _hooks_of(meant), question, nothing)
    if changed is None:
        return int(Exit.FAILED)
    for agent in changed:
        if agent.hooks.asks_trust:
            say_trust(agent.title)
    _offer_server(arguments, [agent.name for agent in meant])
    return int(Exit.OK)


def _offer_server(arguments: Namespace, names: list[str]) -> None:
    """Register `nagomi mcp` with these agents, if the user wants that."""
    import importlib.util
    import sys

    from nagomi_tui.agents.hooks import files

    asked = not arguments.yes and sys.stdin is not None and sys.stdin.isatty()
    if not (arguments.mcp or asked):
        return
    if importlib.util.find_spec("mcp") is None:
        if arguments.mcp:
            raise failure(
                "the package `mcp` is not installed; `pip install 'nagomi-tui[mcp]'` brings it."
            )
        return
    question = tr(
        "Register nagomi's MCP server as well? The agents can then list and read all sessions, and "
        "ask you before they write to one."
    )
    nothing = tr("The MCP server is registered already.")
    arguments.yes = arguments.mcp
    _change(arguments, files.install, _servers(arguments, names), question, nothing)


def remove(arguments: Namespace) -> int:
    """Show what would go, ask, and take it out."""
    from nagomi_tui.agents.hooks import files

    question, nothing = tr("Take this out?"), tr("There is nothing of nagomi.")
    meant = _meant(arguments, every=True)
    parts: list[HookSet] = [*_hooks_of(meant), *_sound_servers(arguments, meant)]
    changed = _change(arguments, files.remove, parts, question, nothing)
    return int(Exit.FAILED if changed is None else Exit.OK)


def show(arguments: Namespace) -> None:
    """Print what an installation would write."""
    from nagomi_tui.agents.hooks import files

    meant = _meant(arguments)
    for part in _hooks_of(meant):
        change = planned(files.install, part, project=arguments.project)
        if change.is_none:
            say(tr("{path} holds the hooks already.", path=change.path))
        else:
            say_change(change)
    for server in _sound_servers(arguments, meant):
        change = planned(files.install, server, project=arguments.project)
        if not change.is_none:
            say_change(change)


def _hooks_of(meant: Sequence[HookedAgent]) -> list[HookedAgent]:
    """Return the hooks of these agents, once for each of their files."""
    return [part for agent in meant for part in agent.parts]


def status(arguments: Namespace) -> None:
    """Tell for each agent whether its hooks are installed, and where, and of the MCP server."""
    from nagomi_tui.agents.hooks.plan import AGENTS

    found: list[dict[str, str]] = []
    for agent in AGENTS.values():
        if arguments.agent in (None, agent.name):
            path = agent.path(project=arguments.project)
            told = {
                "agent": agent.name,
                "file": str(path),
                "hooks": status_of(agent, project=arguments.project),
            }
            for server in _servers(arguments, [agent.name]):
                told["mcp"] = status_of(server, project=arguments.project)
            found.append(told)
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
        if each.get("mcp") in ("installed", "outdated"):
            registered = tr("`nagomi mcp` is registered")
            say(f"{'':<8} {registered}")


def status_of(part: HookSet, *, project: bool, unfit: str = "broken") -> str:
    """Tell whether a part is installed; `unfit` is the word for a file that cannot be changed."""
    from nagomi_tui.agents.hooks import files
    from nagomi_tui.agents.hooks.formats import Unfit

    try:
        return files.status(part, project=project)
    except Unfit:
        return unfit


def event(words: Sequence[str]) -> NoReturn:
    """Decide one event and hand it on, or with an agent's name only hand it on.

    This ends the process: with 0, or with 2 where that is how the agent wants a refusal.
    """
    if words and words[0] not in registry.AGENTS and words[0][:1].isupper():
        _decide(words[0], words[1] if len(words) > 1 else "")
    from nagomi_tui.event import main

    main([*words[:1], "", *words[1:]])


def _decide(event: str, agent: str) -> NoReturn:
    """Decide the event on stdin, taking the parent process for the client; end with code 0 or 2."""
    from nagomi_tui.agents.registry import GUARDED
    from nagomi_tui.guard.hook.entrance import finish, read, set_deadline
    from nagomi_tui.guard.hook.program import decide, failed

    agent = agent if agent in GUARDED else next(iter(GUARDED))
    try:
        set_deadline()
        data, pid = read(), os.getppid()
    except Exception as exc:
        data, pid, answer = b"", 0, failed(agent, event, exc)
    else:
        answer = decide(agent, event, data, pid)
    denied = answer.guard.get("denied", "") if event == "PreToolUse" else ""
    for fd, told in ((1, b"" if answer.refused else answer.data), (2, denied.encode())):
        with open(fd, "wb", closefd=False) as out:
            out.write(told)
    sys.stdout = None  # Nothing else may follow it.
    finish(2 if denied else 0, agent, data, pid, answer.guard)


def _change(
    arguments: Namespace,
    plan: Callable[..., Change],
    parts: Sequence[_Part],
    question: str,
    nothing: str,
) -> list[_Part] | None:
    """Carry out what is planned for each part, after asking once.

    Return the parts that were changed, or None after a no.
    """
    all_planned = ((part, planned(plan, part, project=arguments.project)) for part in parts)
    changes = [(part, change) for part, change in all_planned if not change.is_none]
    if not changes:
        say(nothing)
        return []
    for _, change in changes:
        say_change(change)
    if not confirm(question, yes=arguments.yes):
        say(tr("Nothing was changed."))
        return None
    for _, change in changes:
        carry_out(change)
    say(tr("Done. Agents that run take it up at once or at their next start."))
    return [part for part, _ in changes]


def _sound_servers(arguments: Namespace, meant: Sequence[HookedAgent]) -> list[ServedAgent]:
    """Return the servers of these agents, but for files that are broken: they hold up no hooks."""
    servers = _servers(arguments, [agent.name for agent in meant])
    return [one for one in servers if status_of(one, project=arguments.project) != "broken"]


def _servers(arguments: Namespace, names: Sequence[str]) -> list[ServedAgent]:
    """Return the entries of `nagomi mcp` for the agents that have a file for it."""
    from nagomi_tui.agents.hooks.mcp_servers import AGENTS

    known = [AGENTS[name] for name in names if name in AGENTS]
    return [one for one in known if one.facts.project_file or not arguments.project]


def _meant(arguments: Namespace, *, every: bool = False) -> list[HookedAgent]:
    """Return the agents that are named, or those that are there.

    Raises:
        CommandError: none is there.
    """
    import shutil

    from nagomi_tui.agents.hooks.plan import AGENTS

    if arguments.agent:
        return [AGENTS[arguments.agent]]
    found = [
        agent for agent in AGENTS.values() if every or shutil.which(agent.name) or agent.is_there
    ]
    if not found:
        *others, last = (agent.title for agent in AGENTS.values())
        raise failure(
            "neither {others} nor {last} is there; `--agent` names one that will be.",
            others=", ".join(others),
            last=last,
        )
    return found


def planned(plan: Callable[..., Change], part: HookSet, *, project: bool) -> Change:
    """Return what is planned for the settings of a project, or of the user.

    Raises:
        CommandError: the file is broken, or cannot be read.
    """
    from nagomi_tui.agents.hooks.formats import Unfit

    try:
        return plan(part, project=project)
    except Unfit as exc:
        raise _fault(exc, part.path(project=project)) from exc


def carry_out(change: Change) -> None:
    """Carry out one change.

    Raises:
        CommandError: the file cannot be written, or has just been changed by somebody else.
    """
    from nagomi_tui.agents.hooks import files
    from nagomi_tui.agents.hooks.formats import Unfit

    try:
        files.carry_out(change)
    except Unfit as exc:
        raise _fault(exc, change.path) from exc


def say_trust(title: str) -> None:
    """Say that an agent asks its user about new hooks."""
    say(
        tr(
            "{agent} asks at its next start whether you trust these hooks; they work after that.",
            agent=title,
        )
    )


def _fault(exc: Exception, path: object) -> CommandError:
    sentence, values = getattr(exc, "sentence", str(exc)), getattr(exc, "values", {})
    return failure(sentence, **{**values, "path": path})


def say_change(change: Change) -> None:
    """Print the change as a diff; a terminal shows the beginning of lines that are too long for it."""
    from nagomi_tui.agents.hooks import files
    from nagomi_tui.text.cells import cells, cut

    lines = files.diff(change)
    width = terminal_width() if sys.stdout.isatty() else max(map(cells, lines), default=0)
    for line in lines:
        say(cut(line, width))
    if any(cells(line) > width for line in lines):
        say(tr("(Long lines are cut here; with `| cat` behind the command they are whole.)"))
