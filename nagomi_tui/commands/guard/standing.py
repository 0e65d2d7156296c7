"""`nagomi guard state`, `mode`, `todos`, `flags`, `approve`, `stop`, `undo` and `classify`; and `nagomi todos`."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from nagomi_tui.api.command_client import ask, named
from nagomi_tui.commands.guard import project
from nagomi_tui.commands.parser import Commands, add, add_flag, add_json, add_session, add_verbs
from nagomi_tui.guard.decide.afterwards import set_status, set_todos
from nagomi_tui.guard.decide.documents import Config, Mode, State, Status, plain
from nagomi_tui.guard.decide.events import Decision
from nagomi_tui.guard.files.folder import Here
from nagomi_tui.system.console import complain, confirm, failure, say, say_json, tr
from nagomi_tui.system.decoding import decoder
from nagomi_tui.system.outcome import Exit
from nagomi_tui.text.cells import printable
from nagomi_tui.text.words import translatable

_PARTS: Final = ("task", "todos", "flags", "mode")
_DISCUSS: Final = ("discussion", "no")
_IMPLEMENT: Final = ("implementation", "go")
_NOTED: Final = {
    "context_85": translatable("The agent was warned that its context is 85 percent full."),
    "context_90": translatable("The agent was warned that its context is 90 percent full."),
    "noob": translatable("The tour is not done: `nagomi guard kickstart full` begins it."),
}


def register(commands: Commands) -> None:
    state = add(commands, "state", show, tr("show mode, task, todos and flags"))
    state.add_argument("show", nargs="?", choices=("show", *_PARTS), help=tr("only this part"))
    state.add_argument("part", nargs="?", choices=_PARTS, help=tr("only this part"))
    changes = add(commands, "mode", mode, tr("show the mode, or change it"))
    changes.add_argument(
        "mode",
        nargs="?",
        choices=(*_DISCUSS, *_IMPLEMENT, "bypass", "off"),
        help=tr("discussion is open to all, the others to the user; off ends a bypass"),
    )
    clears = add(commands, "todos", todos, tr("show the approved todos, or clear them"))
    clears.add_argument("verb", nargs="?", choices=("show", "clear"), default="show")
    flag = add(commands, "flags", flags, tr("show what was noted, or clear it"))
    flag.add_argument("verb", nargs="?", choices=("show", "clear", "clear-context"), default="show")
    for parser in (state, changes, clears, flag):
        add_json(parser)


def show(arguments: Namespace) -> None:
    """Print the state or a part of it."""
    found, is_guarded, hooks = project.state_now(), *project.reach()
    part = arguments.part or ("" if arguments.show in (None, "show") else arguments.show)
    value = plain(found)
    picked = {"task": value["current_task"], "todos": value["todos"], "flags": value["flags"]}
    if arguments.json:
        whole = {**value, "guarded": is_guarded}
        say_json({"mode": found.mode} if part == "mode" else picked.get(part, whole))
        return
    if not is_guarded:
        say(hooks)
        return
    lines = {
        "mode": [_mode(found)],
        "task": [_task(found)],
        "todos": _todos(found),
        "flags": _flags(found),
    }
    wanted = [part] if part else list(lines)
    text = "\n".join(line for name in wanted for line in lines[name])
    say(text if part else f"{text}\n{hooks}")
    if not part:
        project.complain_of_settings()


def mode(arguments: Namespace) -> None:
    """Show the mode or change it; back to discussion leads a way for everybody."""
    from nagomi_tui.guard.decide.prompt import stopped

    wanted = arguments.mode
    if wanted is not None:
        if wanted not in (*_DISCUSS, "off"):
            project.user_only(f"nagomi guard mode {wanted}")
        with project.changing_state() as editing:
            state = editing.state
            if wanted in _DISCUSS:
                state = stopped(state)
            elif wanted in _IMPLEMENT:
                state = msgspec.structs.replace(state, mode=Mode.IMPLEMENTATION)
            else:
                bypass = msgspec.structs.replace(state.flags, bypass_mode=wanted == "bypass")
                state = msgspec.structs.replace(state, flags=bypass)
            editing.state = state
        project.wait_until_read_only()
    found = project.state_now()
    if arguments.json:
        say_json({"mode": found.mode, "bypass": found.flags.bypass_mode})
        return
    is_guarded, told = project.reach()
    say(_mode(found) if is_guarded else told)


def todos(arguments: Namespace) -> None:
    """Show the todos, or clear them while that is allowed."""
    if arguments.verb == "clear":
        _clear()
    found = project.state_now()
    if arguments.json:
        say_json(plain(found)["todos"])
    else:
        say("\n".join(_todos(found)))


def flags(arguments: Namespace) -> None:
    """Show the flags, or clear them."""
    if arguments.verb != "show":
        project.user_only(f"nagomi guard flags {arguments.verb}")
        with project.changing_state() as editing:
            kept = editing.state.flags
            if arguments.verb == "clear":
                kept = kept.cleared()
            kept = msgspec.structs.replace(kept, context_85=False, context_90=False)
            editing.state = msgspec.structs.replace(editing.state, flags=kept)
    found = project.state_now()
    if arguments.json:
        say_json(plain(found)["flags"])
    else:
        say("\n".join(_flags(found)))


def _clear() -> None:
    """Clear the todos in hand: the user's to do, but for the moment after others came back (D-59)."""
    from nagomi_tui.guard.caller import doubt

    with project.changing_state() as editing:
        state = editing.state
        if state.todos.active and not state.api.todos_clear and doubt():
            raise failure(
                "the todos can be cleared only right after earlier ones came back, or by the user. "
                "`nagomi guard mode discussion` ends the work at them."
            )
        api = msgspec.structs.replace(state.api, todos_clear=False)
        cleared = state.todos.with_active(())
        editing.state = msgspec.structs.replace(state, todos=cleared, api=api)


def _mode(state: State) -> str:
    line = (
        tr("Mode: implementation") if state.mode is Mode.IMPLEMENTATION else tr("Mode: discussion")
    )
    if state.active_protocol:
        line += f" ({state.active_protocol.value})"
    if state.flags.bypass_mode:
        line += "\n" + tr("The guard is bypassed: it lets everything but its own files be written.")
    return line


def _task(state: State) -> str:
    task = state.current_task
    if task.file is None:
        return tr("Task: none")
    return tr(
        "Task: {name} ({status}), branch {branch}, sessions/tasks/{file}",
        name=task.name,
        status=task.status or "?",
        branch=task.branch or "none",
        file=task.file,
    )


def _todos(state: State) -> list[str]:
    marks = {"pending": "□", "in_progress": "▶", "completed": "✓"}
    active, aside = state.todos.active, [state.todos.stashed, *state.todos.below]
    lines = [f"{n}. {marks[todo.status]} {todo.content}" for n, todo in enumerate(active, 1)]
    if not lines:
        lines = [tr("No todos are approved.")]
    if state.own.proposal and not active:
        lines += [tr("Proposed:"), *(f"{n}. {one}" for n, one in enumerate(state.own.proposal, 1))]
    count = sum(map(len, aside))
    return [*lines, *([tr("Put aside: {count}", count=count)] if count else [])]


def _flags(state: State) -> list[str]:
    """Return what was noted; the mode tells of a bypass."""
    told = [tr(said) for name, said in _NOTED.items() if getattr(state.flags, name)]
    return told or [tr("Nothing is noted.")]


# --- `nagomi todos`


def register_todos(commands: Commands) -> None:
    """Let agents without a tool for it set their todos and tick them off (H-30)."""
    parser = add(commands, "todos", todos, tr("set and tick off the todos of a guarded project"))
    parser.set_defaults(json=False, verb="show")
    verbs = add_verbs(parser)
    add_json(add(verbs, "show", todos, tr("show the todos")))
    setting = add(verbs, "set", set_list, tr("set the list, or propose it in discussion"))
    setting.add_argument("todos", nargs="+", metavar="TODO", help=tr("one thing to do"))
    add_json(setting)
    start, done = partial(mark, "in_progress"), partial(mark, "completed")
    for name, run, help in (
        ("start", start, tr("say that one is being worked at")),
        ("done", done, tr("tick one off")),
    ):
        verb = add(verbs, name, run, help)
        verb.add_argument("number", type=int, metavar="NUMBER", help=tr("its number in the list"))
        add_json(verb)


def set_list(arguments: Namespace) -> int:
    """Set the list, if it is the approved one; in discussion it is kept as a proposal."""
    return _decided(arguments, partial(set_todos, arguments.todos))


def mark(status: Status, arguments: Namespace) -> int:
    """Give a todo another status; with the last one that is completed, discussion begins."""
    return _decided(arguments, partial(set_status, arguments.number, status))


def _decided(arguments: Namespace, decide: Callable[[State, Config], Decision]) -> int:
    config = project.config_now()
    with project.changing_state() as editing:
        decision = decide(editing.state, config)
        editing.state = decision.state
    if not arguments.json:
        code = project.told(decision)
        if not decision.denied and not decision.context:
            arguments.verb = "show"
            todos(arguments)
        return code
    say_json(
        {
            "mode": decision.state.mode,
            "todos": plain(decision.state)["todos"],
            "denied": decision.denied or None,
            "told": decision.context,
        }
    )
    return int(Exit.FAILED if decision.denied else Exit.OK)


# --- what steers an agent


def register_steering(commands: Commands) -> None:
    stopper = add(
        commands, "stop", stop, tr("stop an agent at once: back to discussion, without todos")
    )
    add_session(stopper, nargs="?", default="")
    add_flag(stopper, "--all", help=tr("stop the agents of all sessions"))
    add_json(stopper)
    approver = add(
        commands, "approve", approve, tr("approve what an agent proposes, so that it may write")
    )
    add_session(approver)
    approver.add_argument(
        "todo", metavar="N", nargs="*", type=int, help=tr("only these of the todos (default: all)")
    )
    add_flag(approver, "--yes", help=tr("do not ask"))
    add_flag(approver, "--silent", help=tr("type nothing into the agent's prompt"))
    add_json(approver)
    undoer = add(
        commands, "undo", undo, tr("undo what changed in discussion, which nobody approved")
    )
    add_session(undoer)
    add_flag(undoer, "--yes", help=tr("do not ask"))
    add_json(undoer)


def approve(arguments: Namespace) -> int:
    """Approve all or some of the todos that are offered, once the user has seen them."""
    from nagomi_tui.api.messages import GuardApprove, GuardShow

    _refuse_inside("approve")
    project.user_only("nagomi guard approve")
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
    from nagomi_tui.system import strict_door

    if strict_door.is_inside():
        raise failure(
            "only the user may run `{what}`, and this is a strict session, where nobody can tell "
            "who asks. Approve in nagomi itself, or in a terminal outside of it.",
            what=f"nagomi guard {verb}",
        )


def _chosen(offered: Sequence[str], numbers: Sequence[int]) -> tuple[str, ...]:
    if wrong := [number for number in numbers if not 1 <= number <= len(offered)]:
        raise failure("there is no todo {number}.", Exit.USAGE, number=wrong[0])
    wanted = set(numbers) or set(range(1, len(offered) + 1))
    return tuple(todo for number, todo in enumerate(offered, 1) if number in wanted)


def _say_offered(todos: Sequence[str]) -> None:
    for number, todo in enumerate(todos, 1):
        say(f"{number:>3}  {printable(todo)}")
    if not todos:
        say(tr("Nothing is proposed: the agent may set its todos itself."))


def stop(arguments: Namespace) -> int:
    """Stop one session's agent, or all."""
    from nagomi_tui.api.messages import GuardStop

    if bool(arguments.session) == arguments.all:
        raise failure("name a session, or give `--all`.", Exit.USAGE)
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

    _refuse_inside("undo")
    project.user_only("nagomi guard undo")
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


_LONGEST: Final = 1024 * 1024
"""Bytes of the longest line of JSON that is taken."""


def register_classify(commands: Commands) -> None:
    add(
        commands,
        "classify",
        classify,
        tr('tell for each line of JSON, {"command", "cwd"}, whether it only reads'),
    )


def classify(_: Namespace) -> None:
    """Answer each line of stdin with one line; what is no command writes."""
    from nagomi_tui.shell.classifier import classify as told
    from nagomi_tui.shell.patterns import Patterns
    from nagomi_tui.shell.words import Verdict

    class Line(msgspec.Struct):
        command: str
        cwd: str = ""

    if sys.stdin is None or sys.stdout is None:
        raise failure("there is no stdin to read.", Exit.USAGE)
    decode = decoder(Line).decode
    while line := sys.stdin.buffer.readline(_LONGEST):
        if not line.strip():
            continue
        try:
            given = decode(line)
            found = told(given.command, Patterns(folder=Here(given.cwd or os.curdir)))
        except (msgspec.MsgspecError, UnicodeDecodeError) as exc:
            found = Verdict("write", f"a line that is no command: {exc}")
        answer = {"verdict": found.verdict, "reason": found.reason, "at": found.at}
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()
