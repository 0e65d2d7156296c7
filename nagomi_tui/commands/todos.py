"""`nagomi todos`: the todos of a guarded project, for agents without a tool for them (H-30)."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable

from nagomi_tui.commands.guard import project, standing
from nagomi_tui.commands.parser import Commands, add, add_json, add_verbs
from nagomi_tui.guard.decide.afterwards import set_status, set_todos
from nagomi_tui.guard.decide.documents import Config, State, Status
from nagomi_tui.guard.decide.events import Decision
from nagomi_tui.system.console import say_json, tr
from nagomi_tui.system.outcome import Exit


def register(commands: Commands) -> None:
    parser = add(commands, "todos", show, tr("set and tick off the todos of a guarded project"))
    parser.set_defaults(json=False, verb="show")
    verbs = add_verbs(parser)
    add_json(add(verbs, "show", show, tr("show the todos")))
    setting = add(verbs, "set", set_list, tr("set the list, or propose it in discussion"))
    setting.add_argument("todos", nargs="+", metavar="TODO", help=tr("one thing to do"))
    add_json(setting)
    _numbered(verbs, "start", start, tr("say that one is being worked at"))
    _numbered(verbs, "done", done, tr("tick one off"))


def _numbered(verbs: Commands, name: str, run: Callable[..., int], help: str) -> None:
    parser = add(verbs, name, run, help)
    parser.add_argument("number", type=int, metavar="NUMBER", help=tr("its number in the list"))
    add_json(parser)


def show(arguments: Namespace) -> int:
    return standing.todos(arguments)


def set_list(arguments: Namespace) -> int:
    """Set the list, if it is the approved one; in discussion it is kept as a proposal."""
    return _changed(arguments, lambda state, config: set_todos(arguments.todos, state, config))


def start(arguments: Namespace) -> int:
    """Say that a todo is being worked at."""
    return _marked(arguments, "in_progress")


def done(arguments: Namespace) -> int:
    """Tick a todo off; with the last one discussion begins."""
    return _marked(arguments, "completed")


def _marked(arguments: Namespace, status: Status) -> int:
    return _changed(
        arguments, lambda state, config: set_status(arguments.number, status, state, config)
    )


def _changed(arguments: Namespace, decide: Callable[[State, Config], Decision]) -> int:
    config = project.config_now()
    with project.changing_state() as editing:
        decision = decide(editing.state, config)
        editing.state = decision.state
    if not arguments.json:
        code = project.told(decision)
        if not decision.denied and not decision.context:
            arguments.verb = "show"
            standing.todos(arguments)
        return code
    say_json(
        {
            "mode": decision.state.mode,
            "todos": standing.plain_todos(decision.state),
            "denied": decision.denied or None,
            "told": decision.context,
        }
    )
    return int(Exit.FAILED if decision.denied else Exit.OK)
