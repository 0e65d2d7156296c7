"""`nagomi guard tasks`, `protocol` and their like: tasks of a guarded project."""

from __future__ import annotations

import contextlib
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import Final

import msgspec

from nagomi_tui import __version__
from nagomi_tui.commands.guard import project as place
from nagomi_tui.commands.parser import Commands, add, add_flag, add_json, add_verbs
from nagomi_tui.guard.decide.branches import Unknown
from nagomi_tui.guard.decide.documents import VERSION, Protocol, State, Task, plain
from nagomi_tui.guard.decide.protocols import begun
from nagomi_tui.guard.decide.status_line import Told, Tree, context_of, rendered, tree_of
from nagomi_tui.guard.files.context import Fill, write_fill
from nagomi_tui.guard.files.git import Git
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import Broken, read_config, read_state
from nagomi_tui.guard.tasks import folder
from nagomi_tui.guard.tasks.task_file import TaskFile
from nagomi_tui.system.console import complain, failure, say, say_json, tr, write
from nagomi_tui.system.decoding import from_json
from nagomi_tui.system.outcome import CommandError, Exit


def register(commands: Commands) -> None:
    parser = add(commands, "tasks", list_tasks, tr("list the tasks, or take one in hand"))
    parser.set_defaults(all=False)
    add_json(parser)
    verbs = add_verbs(parser)
    listing = add(verbs, "list", list_tasks, tr("list the open tasks"))
    add_flag(listing, "--all", help=tr("completed ones and parts, too"))
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
    project = place.here()
    for file, is_read in folder.broken(project):
        if is_read:
            complain(tr("{file}: its head has no end, so that nothing of it counts.", file=file))
        else:
            complain(tr("{file} cannot be read, and is left out.", file=file))
    found = folder.listed(project) if arguments.all else folder.open_tasks(project)
    _print_tasks(found, as_json=arguments.json)


def show_index(arguments: Namespace) -> None:
    project = place.here()
    known = folder.indexes(project)
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
            tasks = tuple(one for one in folder.open_tasks(project) if folder.holds(index, one))
            _print_tasks(tasks, as_json=arguments.json)
            return
    names = ", ".join(one.file.removesuffix(".md") for one in known) or "-"
    raise failure(
        "there is no index {name}. There are: {names}.", Exit.USAGE, name=wanted, names=names
    )


def show_task(arguments: Namespace) -> None:
    """Print the task in hand, with its file."""
    task = place.state_now().current_task
    if arguments.json:
        say_json(plain(task))
    elif task.file is None:
        say(tr("Task: none"))
    else:
        with _named():
            say(folder.shown(place.here(), *folder.read_task(place.here(), task.file)))


def start(arguments: Namespace) -> None:
    """Begin the start of a task, as its phrase does, and take the task in hand."""
    place.user_only("nagomi guard tasks start")
    project, config = place.here(), place.config_now()
    with _named():
        folder.named(project, arguments.task, os.getcwd())
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
    place.user_only("nagomi guard tasks restore")
    project = place.here()
    with _named():
        task, text = folder.read_task(project, folder.named(project, arguments.task, os.getcwd()))
    with place.changing_state() as editing:
        in_hand = folder.taken(project, task, place.now())
        editing.state = msgspec.structs.replace(editing.state, current_task=in_hand)
    _say_loaded(editing.state, folder.shown(project, task, text), as_json=arguments.json)


def clear(arguments: Namespace) -> None:
    """Have no task in hand."""
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
    phrases = place.config_now().trigger_phrases.task_startup
    phrase = next(iter(phrases), "")
    with _named():
        return folder.startup_load(place.here(), task, os.getcwd(), state, place.now(), phrase)


@contextlib.contextmanager
def _named() -> Iterator[None]:
    """Make a command's error of a task that is not there."""
    try:
        yield
    except folder.NoTask as exc:
        raise CommandError(str(exc)) from exc


def _say_loaded(state: State, told: str, *, as_json: bool) -> None:
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


_LONGEST: Final = 1024 * 1024


def register_more(commands: Commands) -> None:
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
    is_told = sys.stdin is not None and not sys.stdin.isatty()
    data = sys.stdin.buffer.read(_LONGEST) if is_told else b""
    write(f"{status_line(place.here(), data)}\n")


def install_agents(_: Namespace) -> None:
    """Write the texts for subagents into the project."""
    from nagomi_tui.guard.tasks.shipped_texts import install_agents as install

    place.user_only("nagomi guard agents install")
    new, kept = install(place.here())
    if new:
        say(tr("Written: {names}", names=", ".join(new)))
    if kept:
        say(tr("There already, and left as they are: {names}", names=", ".join(kept)))


def remove_agents(_: Namespace) -> None:
    """Remove the texts for subagents from the project."""
    from nagomi_tui.guard.tasks.shipped_texts import remove_agents as remove

    place.user_only("nagomi guard agents remove")
    gone, kept = remove(place.here())
    say(tr("Removed: {names}", names=", ".join(gone) or "-"))
    if kept:
        say(tr("Changed by somebody, and left as they are: {names}", names=", ".join(kept)))


def kickstart(arguments: Namespace) -> None:
    """Begin the tour, go on with it, or end it."""
    from nagomi_tui.guard.tasks import shipped_texts

    if arguments.verb == "subagents":
        say(shipped_texts.short_tour())
        return
    if arguments.verb != "next":
        place.user_only(f"nagomi guard kickstart {arguments.verb}")
    project = place.here()
    with place.changing_state() as editing:
        state = editing.state
        number = {"full": 1, "next": state.own.chapter + 1, "complete": 0}[arguments.verb]
        if arguments.verb == "next" and not state.own.chapter:
            raise failure(
                "no tour is under way; the user begins it with `nagomi guard kickstart full`."
            )
        state = shipped_texts.at_chapter(state, min(number, len(shipped_texts.chapters())))
        flags = msgspec.structs.replace(state.flags, noob=arguments.verb != "complete")
        editing.state = msgspec.structs.replace(state, flags=flags)
    if arguments.verb == "complete":
        shipped_texts.remove_tour_task(project)
        say(tr("The tour is over."))
        return
    if arguments.verb == "full":
        shipped_texts.make_tour_task(project, place.now()[:10])
        say(tr("The tour begins with the agent's next session in this project. Its first chapter:"))
    say(shipped_texts.chapter(number))


def bring_over(arguments: Namespace) -> None:
    """Take over the files of cc-sessions."""
    from nagomi_tui.guard.tasks.importing import bring_over as bring

    place.user_only("nagomi guard import")
    project = place.here()
    if not project.sessions.is_dir():
        raise failure("there is no folder sessions/ in {folder}.", folder=project.root)
    try:
        report = bring(project, (sys.executable, "-m", "nagomi_tui"), place.now())
    except Broken as exc:
        raise failure("nothing was taken over: {reason}.", reason=exc) from exc
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
    if arguments.json:
        say_json({"nagomi": __version__, "sessions": VERSION})
    else:
        say(f"nagomi {__version__} (sessions {VERSION})")


_GIT_SECONDS: Final = 1.0


def status_line(project: Project, data: bytes) -> str:
    """Return the two lines for what the client tells; figures are noted for the hooks (DB-25)."""
    try:
        told = from_json(data, Told)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        told = Told()
    context = context_of(told)
    if told.context_window.current_usage is not None:
        with contextlib.suppress(OSError):
            write_fill(told.session_id, Fill(*context))
    try:
        state, style = read_state(project).state, read_config(project).features.icon_style
    except (Broken, OSError) as exc:
        return f"nagomi guard: {exc}"
    task = state.current_task.name
    return rendered(
        context, task, state.mode, _tree(project), len(folder.open_tasks(project)), style
    )


def _tree(project: Project) -> Tree | None:
    git = Git(project.root, _GIT_SECONDS)
    with contextlib.suppress(Unknown):
        lines = git.lines("status", "--porcelain=v2", "--branch", "--untracked-files=no")
        return tree_of(lines) if lines else None
    return None
