"""`nagomi guard tasks|protocol`: the tasks of a guarded project, and which is in hand."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from nagomi_tui.commands.guard import place
from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import add, add_json, add_verbs
from nagomi_tui.commands.speech import complain, say, say_json, tr

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from nagomi_tui.commands.parser import Commands
    from nagomi_tui.guard.decide.state import State
    from nagomi_tui.guard.tasks.task_file import TaskFile


def register(commands: Commands) -> None:
    """Add the commands of this group."""
    parser = add(commands, "tasks", list_tasks, tr("list the tasks, or take one in hand"))
    parser.set_defaults(all=False)
    add_json(parser)
    verbs = add_verbs(parser)
    listing = add(verbs, "list", list_tasks, tr("list the open tasks"))
    listing.add_argument("--all", action="store_true", help=tr("completed ones and parts, too"))
    add_json(listing)
    index = add(verbs, "idx", show_index, tr("list the indexes, or the tasks of one"))
    index.add_argument("name", nargs="?", default="list", metavar="NAME")
    add_json(index)
    add_json(add(verbs, "show", show_task, tr("show the task in hand")))
    for name, run, help in (
        ("start", start, tr("begin the start of a task")),
        ("restore", restore, tr("take a task in hand without its start")),
    ):
        verb = add(verbs, name, run, help)
        verb.add_argument(
            "task", metavar="TASK", help=tr("its name or file; @ before it is left out")
        )
        add_json(verb)
    add_json(add(verbs, "clear", clear, tr("have no task in hand")))
    protocol = add(
        commands, "protocol", show_protocol, tr("show the protocol, or load a task for it")
    )
    add_json(protocol)
    loads = add_verbs(protocol)
    load = add(
        loads, "startup-load", startup_load, tr("take the task in hand that is being started")
    )
    load.add_argument("task", metavar="TASK", help=tr("its name or file; @ before it is left out"))
    add_json(load)


def list_tasks(arguments: Namespace) -> None:
    """Print the open tasks; with `--all` all that are not archived."""
    from nagomi_tui.guard.tasks.folder import broken, listed, open_tasks

    project = place.here()
    for file, is_read in broken(project):
        if is_read:
            complain(tr("{file}: its head has no end, so that nothing of it counts.", file=file))
        else:
            complain(tr("{file} cannot be read, and is left out.", file=file))
    found = listed(project) if arguments.all else open_tasks(project)
    _print_tasks(found, as_json=arguments.json)


def show_index(arguments: Namespace) -> None:
    """Print the indexes, or the tasks of one."""
    from nagomi_tui.guard.tasks.folder import holds, indexes, open_tasks

    project = place.here()
    known = indexes(project)
    if arguments.name == "list":
        if arguments.json:
            say_json(known)
        else:
            text = "\n".join(_index_line(one.file, one.name, one.description) for one in known)
            say(text or tr("(none)"))
        return
    wanted = arguments.name.removesuffix(".md")
    for index in known:
        if wanted in (index.name, index.file.removesuffix(".md")):
            tasks = tuple(one for one in open_tasks(project) if holds(index, one))
            _print_tasks(tasks, as_json=arguments.json)
            return
    names = ", ".join(one.file.removesuffix(".md") for one in known) or "-"
    raise CommandError(
        tr("there is no index {name}. There are: {names}.", name=wanted, names=names), Exit.USAGE
    )


def show_task(arguments: Namespace) -> None:
    """Print the task in hand, with its file."""
    from nagomi_tui.guard.decide.schema import plain
    from nagomi_tui.guard.tasks.folder import read_task
    from nagomi_tui.guard.tasks.loading import shown

    task = place.state_now().current_task
    if arguments.json:
        say_json(plain(task))
    elif task.file is None:
        say(tr("Task: none"))
    else:
        with _named():
            say(shown(place.here(), *read_task(place.here(), task.file)))


def start(arguments: Namespace) -> None:
    """Begin the start of a task, as its phrase does, and take the task in hand."""
    from nagomi_tui.guard.decide.protocols import begun
    from nagomi_tui.guard.decide.state import Protocol
    from nagomi_tui.guard.tasks.folder import named

    place.user_only("nagomi guard tasks start")
    project, config = place.here(), place.config_now()
    with _named():
        named(project, arguments.task, os.getcwd())
    with place.changing_state() as editing:
        editing.state, _ = begun(Protocol.START, editing.state, config)
        editing.state, told = _loaded(editing.state, arguments.task)
    _say_loaded(editing.state, told, as_json=arguments.json)


def startup_load(arguments: Namespace) -> None:
    """Take the task in hand whose start is under way (DC-38)."""
    with place.changing_state() as editing:
        editing.state, told = _loaded(editing.state, arguments.task)
    _say_loaded(editing.state, told, as_json=arguments.json)


def restore(arguments: Namespace) -> None:
    """Take a task in hand without its start."""
    import msgspec

    from nagomi_tui.guard.tasks.folder import named, read_task
    from nagomi_tui.guard.tasks.loading import shown, taken

    place.user_only("nagomi guard tasks restore")
    project = place.here()
    with _named():
        task, text = read_task(project, named(project, arguments.task, os.getcwd()))
    with place.changing_state() as editing:
        in_hand = taken(project, task, place.now())
        editing.state = msgspec.structs.replace(editing.state, current_task=in_hand)
    _say_loaded(editing.state, shown(project, task, text), as_json=arguments.json)


def clear(arguments: Namespace) -> None:
    """Have no task in hand."""
    import msgspec

    from nagomi_tui.guard.decide.state import Task

    place.user_only("nagomi guard tasks clear")
    with place.changing_state() as editing:
        editing.state = msgspec.structs.replace(editing.state, current_task=Task())
    _say_loaded(editing.state, tr("Task: none"), as_json=arguments.json)


def show_protocol(arguments: Namespace) -> None:
    """Print which protocol is under way."""
    state = place.state_now()
    if arguments.json:
        say_json({"protocol": state.active_protocol, "startup_load": state.api.startup_load})
    else:
        say(
            state.active_protocol.value
            if state.active_protocol
            else tr("No protocol is under way.")
        )


def _loaded(state: State, task: str) -> tuple[State, str]:
    from nagomi_tui.guard.tasks import loading

    phrases = place.config_now().trigger_phrases.task_startup
    phrase = next(iter(phrases), "")
    with _named():
        return loading.startup_load(place.here(), task, os.getcwd(), state, place.now(), phrase)


@contextlib.contextmanager
def _named() -> Iterator[None]:
    """Make a command's error of a task that is not there."""
    from nagomi_tui.guard.tasks.folder import NoTask

    try:
        yield
    except NoTask as exc:
        raise CommandError(str(exc)) from exc


def _say_loaded(state: State, told: str, *, as_json: bool) -> None:
    from nagomi_tui.guard.decide.schema import plain

    if as_json:
        say_json(plain(state.current_task))
    else:
        say(told)


def _print_tasks(tasks: tuple[TaskFile, ...], *, as_json: bool) -> None:
    if as_json:
        say_json(tasks)
        return
    lines = []
    for one in tasks:
        met, all_of_them = one.criteria
        criteria = f"  {met}/{all_of_them}" if all_of_them else ""
        lines.append(
            f"{one.status:<11} {one.file.removesuffix('/README.md')}{criteria}  {one.title}"
        )
    text = "\n".join(line.rstrip() for line in lines)
    say(text or tr("No task is open."))


def _index_line(file: str, name: str, description: str) -> str:
    return f"{file.removesuffix('.md')}: {name}" + (f" - {description}" if description else "")
