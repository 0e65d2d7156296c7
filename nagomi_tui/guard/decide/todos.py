"""Todos from clients, sent as a whole list or as changes of single tasks (H-28)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from nagomi_tui.guard.decide.state import Mirrored, State, Status, Todo
from nagomi_tui.guard.decide.texts import numbered

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.events import ToolUse

_STATUSES: Final = ("pending", "in_progress", "completed")
_ITEM: Final = re.compile(r"^\s*(?:[-*•□☐]|\d+[.)])\s+(?:\[[ x]\]\s+)?(?P<words>\S.*?)\s*$")


def incoming(use: ToolUse) -> tuple[Todo, ...] | None:
    """Return the todo list that a tool sets; None if it sets none, or an invalid one."""
    given = use.input.get("todos")
    if use.tool != "TodoWrite" or not isinstance(given, list):
        return None
    found = [_todo(one) for one in given]
    return None if None in found else cast("tuple[Todo, ...]", tuple(found))


def changed_by(use: ToolUse, state: State) -> tuple[str, ...] | None:
    """Return the todo list after a change that was not approved; None if nothing changes.

    A subagent's own list does not count (DB-19).
    """
    before = _contents(state.todos.active)
    if not before or use.agent_id:
        return None
    after = _after(use, state, before)
    return None if after is None or after == before else after


def stored(use: ToolUse, state: State) -> State:
    """Return the state after a tool has set or changed todos (DC-20)."""
    if use.agent_id:
        return state
    todos = incoming(use)
    if todos is not None:
        return _with(state, todos)
    match use.tool:
        case "TaskCreate":
            return _created(use, state)
        case "TaskUpdate":
            return _updated(use, state)
        case _:
            return state


def proposal(message: str) -> tuple[str, ...]:
    """Return the last list in an agent's message, which is its proposal (DB-8)."""
    lists: list[list[str]] = [[]]
    for line in message.splitlines():
        if found := _ITEM.match(line):
            lists[-1].append(found["words"])
        elif line.strip() and lists[-1]:
            lists.append([])
    return tuple(next((one for one in reversed(lists) if one), []))


def proposed_otherwise(use: ToolUse, state: State) -> str:
    """Return how a first todo list differs from the proposal; empty if it does not (DB-8)."""
    todos, proposed = incoming(use), state.own.proposal
    if todos is None or state.todos.active or not proposed:
        return ""
    if (set_ := _contents(todos)) == proposed:
        return ""
    return (
        "The todos differ from those that were proposed.\n"
        f"PROPOSED ({len(proposed)} items):\n{numbered(proposed)}\n"
        f"SET ({len(set_)} items):\n{numbered(set_)}"
    )


def _after(use: ToolUse, state: State, before: tuple[str, ...]) -> tuple[str, ...] | None:
    if use.tool == "TodoWrite":
        todos = incoming(use)
        return ("(a list that cannot be read)",) if todos is None else _contents(todos)
    if use.tool == "TaskCreate":
        subject = str(use.input.get("subject", ""))
        return None if _may_add(subject, state) else (*before, subject)
    if use.tool == "TaskUpdate":
        return _after_update(use, state, before)
    return None


def _may_add(subject: str, state: State) -> bool:
    """Whether a task is in the list, or may be added as no todo was begun yet."""
    mirrored = {one.content for one in state.own.tasks}
    if subject in _contents(state.todos.active) and subject not in mirrored:
        return True
    begun = any(todo.status != "pending" for todo in state.todos.active)
    return not begun and state.active_protocol is None and len(mirrored) == len(state.todos.active)


def _after_update(use: ToolUse, state: State, before: tuple[str, ...]) -> tuple[str, ...] | None:
    found = _mirrored(use, state)
    if found is None:
        return None
    if use.input.get("status") == "deleted":
        return tuple(one for one in before if one != found.content)
    subject = use.input.get("subject")
    if isinstance(subject, str):
        return tuple(subject if one == found.content else one for one in before)
    return None


def _created(use: ToolUse, state: State) -> State:
    subject = str(use.input.get("subject", ""))
    task = use.response.get("task") if isinstance(use.response, dict) else None
    number = str(task.get("id", "")) if isinstance(task, dict) else ""
    tasks = (*state.own.tasks, Mirrored(id=number, content=subject))
    state = state.with_own(msgspec.structs.replace(state.own, tasks=tasks))
    if subject in _contents(state.todos.active):
        return state
    form = use.input.get("activeForm")
    new = Todo(content=subject, active_form=form if isinstance(form, str) else None)
    return _with(state, (*state.todos.active, new))


def _updated(use: ToolUse, state: State) -> State:
    found, status = _mirrored(use, state), use.input.get("status")
    if found is None or status not in _STATUSES:
        return state
    new = cast("Status", status)
    return _with(
        state,
        tuple(
            msgspec.structs.replace(todo, status=new) if todo.content == found.content else todo
            for todo in state.todos.active
        ),
    )


def _mirrored(use: ToolUse, state: State) -> Mirrored | None:
    number = str(use.input.get("taskId", ""))
    return next((one for one in state.own.tasks if one.id == number), None)


def _with(state: State, todos: tuple[Todo, ...]) -> State:
    return msgspec.structs.replace(state, todos=state.todos.with_active(todos))


def _contents(todos: tuple[Todo, ...]) -> tuple[str, ...]:
    return tuple(todo.content for todo in todos)


def _todo(given: Any) -> Todo | None:
    if not isinstance(given, dict) or not isinstance(given.get("content"), str):
        return None
    status, form = given.get("status", "pending"), given.get("activeForm")
    if status not in _STATUSES:
        return None
    return Todo(
        content=given["content"],
        status=status,
        active_form=form if isinstance(form, str) else None,
    )
