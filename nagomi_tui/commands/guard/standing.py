"""`nagomi guard state|mode|todos|flags`: how the guard stands, and the way back to discussion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.commands.guard import place
from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import add, add_json
from nagomi_tui.commands.speech import say, say_json, tr

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands
    from nagomi_tui.guard.decide.state import State

_PARTS: Final = ("task", "todos", "flags", "mode")
_DISCUSS: Final = ("discussion", "no")
_IMPLEMENT: Final = ("implementation", "go")


def register(commands: Commands) -> None:
    """Add the commands of this group."""
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
    found, is_guarded, hooks = place.state_now(), *place.reach()
    part = arguments.part or ("" if arguments.show in (None, "show") else arguments.show)
    value = _plain(found)
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


def mode(arguments: Namespace) -> None:
    """Show the mode or change it; back to discussion leads a way for everybody."""
    import msgspec

    from nagomi_tui.guard.decide.prompt import stopped
    from nagomi_tui.guard.decide.state import Mode

    wanted = arguments.mode
    if wanted is not None:
        if wanted not in (*_DISCUSS, "off"):
            place.user_only(f"nagomi guard mode {wanted}")
        with place.changing_state() as editing:
            state = editing.state
            if wanted in _DISCUSS:
                state = stopped(state)
            elif wanted in _IMPLEMENT:
                state = msgspec.structs.replace(state, mode=Mode.GO)
            else:
                bypass = msgspec.structs.replace(state.flags, bypass_mode=wanted == "bypass")
                state = msgspec.structs.replace(state, flags=bypass)
            editing.state = state
        place.wait_until_read_only()
    found = place.state_now()
    if arguments.json:
        say_json({"mode": found.mode, "bypass": found.flags.bypass_mode})
        return
    is_guarded, told = place.reach()
    say(_mode(found) if is_guarded else told)


def todos(arguments: Namespace) -> int:
    """Show the todos, or clear them while that is allowed."""
    if arguments.verb == "clear":
        _clear()
    found = place.state_now()
    if arguments.json:
        say_json(plain_todos(found))
    else:
        lines = "\n".join(_todos(found))
        say(lines)
    return Exit.OK


def flags(arguments: Namespace) -> None:
    """Show the flags, or clear them."""
    import msgspec

    if arguments.verb != "show":
        place.user_only(f"nagomi guard flags {arguments.verb}")
        with place.changing_state() as editing:
            kept = editing.state.flags
            if arguments.verb == "clear":
                kept = kept.cleared()
            kept = msgspec.structs.replace(kept, context_85=False, context_90=False)
            editing.state = msgspec.structs.replace(editing.state, flags=kept)
    found = place.state_now()
    if arguments.json:
        say_json(_plain(found)["flags"])
    else:
        lines = "\n".join(_flags(found))
        say(lines)


def plain_todos(state: State) -> Any:
    """Return the todos as the file has them."""
    return _plain(state)["todos"]


def _clear() -> None:
    """Clear the todos in hand: the user's to do, but for the moment after others came back (D-59)."""
    import msgspec

    from nagomi_tui.guard.caller import doubt

    with place.changing_state() as editing:
        state = editing.state
        if state.todos.active and not state.api.todos_clear and doubt():
            raise CommandError(
                tr(
                    "the todos can be cleared only right after earlier ones came back, or by the user. "
                    "`nagomi guard mode discussion` ends the work at them."
                )
            )
        api = msgspec.structs.replace(state.api, todos_clear=False)
        cleared = state.todos.with_active(())
        editing.state = msgspec.structs.replace(state, todos=cleared, api=api)


def _plain(state: State) -> dict[str, Any]:
    from nagomi_tui.guard.decide.schema import plain

    return plain(state)


def _mode(state: State) -> str:
    from nagomi_tui.guard.decide.state import Mode

    line = tr("Mode: implementation") if state.mode is Mode.GO else tr("Mode: discussion")
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
    values = _plain(state)["flags"]
    return [f"{name}: {str(value).lower()}" for name, value in values.items()]
