"""Todos from clients, sent as a whole list or as changes of single tasks (H-28)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, cast

import msgspec

from nagomi_tui.guard.decide.documents import Mirrored, Mode, State, Status, Todo
from nagomi_tui.guard.decide.events import ToolUse
from nagomi_tui.guard.decide.texts import numbered

_STATUSES: Final = ("pending", "in_progress", "completed")
UNREADABLE: Final = ("(a list that cannot be read)",)
"""What stands for a list of todos that is no such list."""
_BEGUN: Final = ("in_progress", "completed")
_MOST: Final = 500
"""Most copies of the client's tasks; the oldest are forgotten."""
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
    """Return the state after a tool has set or changed todos (DC-20).

    In discussion it changes only the copy of the client's tasks: none of them is approved.
    """
    if use.agent_id:
        return state
    todos, is_go = incoming(use), state.mode is Mode.IMPLEMENTATION
    if todos is not None:
        return _with(state, todos) if is_go else state
    match use.tool:
        case "TaskCreate":
            return _created(use, state, is_go=is_go)
        case "TaskUpdate":
            return _updated(use, state, is_go=is_go)
        case _:
            return state


def closed(state: State) -> State:
    """Return the state in which the list of todos is whole: no further task may be added to it."""
    tasks = tuple(msgspec.structs.replace(one, adds=False) for one in state.own.tasks)
    return _with_tasks(state, tasks)


def without_done(state: State) -> State:
    """Return the state without the copies of tasks that belong to the active todos."""
    done = _contents(state.todos.active)
    return _with_tasks(state, tuple(one for one in state.own.tasks if one.content not in done))


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
    """Return how a first todo list differs from the proposal; empty if it does not (DB-8).

    A list that is made task by task is told of at the first task that was not proposed in its
    place, or else when the first of too few is begun.
    """
    proposed, before = state.own.proposal, _contents(state.todos.active)
    set_ = _first_list(use, state, before) if proposed else None
    if set_ is None or set_ == proposed:
        return ""
    is_more = use.tool == "TaskCreate"
    if is_more and (set_ == proposed[: len(set_)] or before != proposed[: len(before)]):
        return ""
    if use.tool == "TaskUpdate" and before and set_ != proposed[: len(set_)]:
        return ""
    return (
        "The todos differ from those that were proposed.\n"
        f"PROPOSED ({len(proposed)} items):\n{numbered(proposed)}\n"
        f"SET ({len(set_)} items):\n{numbered(set_)}"
    )


def _first_list(use: ToolUse, state: State, before: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the list that a tool sets, extends or begins; None where that is not its first."""
    if use.tool == "TodoWrite":
        todos = incoming(use)
        return None if todos is None or before else _contents(todos)
    if use.tool == "TaskCreate":
        subject = str(use.input.get("subject", ""))
        return None if subject in before else (*before, subject)
    found = _mirrored(use, state) if use.tool == "TaskUpdate" else None
    if found is None or use.input.get("status") not in _BEGUN or _is_begun(state):
        return None
    return before or _contents(_adopted(found, state))


def _after(use: ToolUse, state: State, before: tuple[str, ...]) -> tuple[str, ...] | None:
    if use.tool == "TodoWrite":
        todos = incoming(use)
        return UNREADABLE if todos is None else _contents(todos)
    if use.tool == "TaskCreate":
        subject = str(use.input.get("subject", ""))
        return None if _may_add(subject, state) else (*before, subject)
    if use.tool == "TaskUpdate":
        return _after_update(use, state, before)
    return None


def _may_add(subject: str, state: State) -> bool:
    """Whether a task is in the list, or in addition to tasks that made it and are not begun yet."""
    contents = _contents(state.todos.active)
    if subject in contents:
        return True
    adding = {one.content for one in state.own.tasks if one.adds}
    return not _is_begun(state) and state.active_protocol is None and adding.issuperset(contents)


def _is_begun(state: State) -> bool:
    return any(todo.status != "pending" for todo in state.todos.active)


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


def _created(use: ToolUse, state: State, *, is_go: bool) -> State:
    subject = str(use.input.get("subject", ""))
    task = use.response.get("task") if isinstance(use.response, dict) else None
    number = str(task.get("id", "")) if isinstance(task, dict) else ""
    adds = is_go and subject not in _contents(state.todos.active)
    others = (one for one in state.own.tasks if one.id != number)
    tasks = (*others, Mirrored(id=number, content=subject, adds=adds))
    state = _with_tasks(state, tasks[-_MOST:])
    if not adds:
        return state
    form = use.input.get("activeForm")
    new = Todo(content=subject, active_form=form if isinstance(form, str) else None)
    return _with(state, (*state.todos.active, new))


def _updated(use: ToolUse, state: State, *, is_go: bool) -> State:
    found, status = _mirrored(use, state), use.input.get("status")
    if found is None:
        return state
    if is_go and not state.todos.active and status in _BEGUN:
        state = _with(state, _adopted(found, state))
    state = _with_tasks(state, tuple(_copies(use, found, state)))
    if not is_go or status not in _STATUSES:
        return state
    new = cast("Status", status)
    return _with(
        state,
        tuple(
            msgspec.structs.replace(todo, status=new) if todo.content == found.content else todo
            for todo in state.todos.active
        ),
    )


def _copies(use: ToolUse, changed: Mirrored, state: State) -> Iterator[Mirrored]:
    """Yield the copies of the client's tasks after one was changed or deleted."""
    status, subject = use.input.get("status"), use.input.get("subject")
    for one in state.own.tasks:
        if one.id != changed.id:
            yield one
        elif status != "deleted":
            yield msgspec.structs.replace(
                one,
                status=cast("Status", status) if status in _STATUSES else one.status,
                content=subject if isinstance(subject, str) else one.content,
            )


def _adopted(begun: Mirrored, state: State) -> tuple[Todo, ...]:
    """Return the list of an agent that begins a task which it had made before the approval.

    It is what was proposed, if all of it was made and this task is in it; else all open tasks.
    """
    known = {one.content: one for one in state.own.tasks}
    proposed = state.own.proposal
    if begun.content in proposed and known.keys() >= set(proposed):
        chosen = [known[content] for content in proposed]
    else:
        chosen = [one for one in known.values() if one.status != "completed" or one == begun]
    return tuple(Todo(content=one.content, status=one.status) for one in chosen)


def _mirrored(use: ToolUse, state: State) -> Mirrored | None:
    number = str(use.input.get("taskId", ""))
    return next((one for one in state.own.tasks if one.id == number), None)


def _with(state: State, todos: tuple[Todo, ...]) -> State:
    return msgspec.structs.replace(state, todos=state.todos.with_active(todos))


def _with_tasks(state: State, tasks: tuple[Mirrored, ...]) -> State:
    return state.with_own(msgspec.structs.replace(state.own, tasks=tasks))


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
