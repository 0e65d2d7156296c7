"""What the user does from outside of the agent's prompt: approve, stop, go back to discussion (F-10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from nagomi_tui.guard.decide import prompt
from nagomi_tui.guard.decide.phrases import meaning
from nagomi_tui.guard.decide.state import Mode, State, Todo

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.config import Config


class NotOffered(ValueError):
    """What was approved is not what can be approved now."""


def offered(state: State) -> tuple[str, ...]:
    """Return the todos that can be approved: the agent's proposal, or else those that are kept."""
    return state.own.proposal or tuple(todo.content for todo in state.todos.active)


def approved(state: State, todos: tuple[str, ...]) -> State:
    """Return the state in which an agent may do these todos, all or some of what is offered.

    What was done already stays done. Where nothing is offered, the agent may set its todos itself,
    as after the phrase in a prompt.

    Raises:
        NotOffered: one of them is not offered, or their order is another.
    """
    choice = offered(state)
    if not _is_part(todos, choice) or (choice and not todos):
        raise NotOffered
    known = {todo.content: todo for todo in state.todos.active}
    active = tuple(known.get(content) or Todo(content=content) for content in todos)
    own = msgspec.structs.replace(state.own, tasks=())
    new = msgspec.structs.replace(state, mode=Mode.GO, todos=state.todos.with_active(active))
    return new.with_own(own)


def stopped(state: State) -> State:
    """Return the state after an emergency stop (D-33)."""
    return prompt.stopped(state)


def discussed(state: State) -> State:
    """Return the state in which the agent talks again; its todos stay for the next approval."""
    flags = msgspec.structs.replace(state.flags, bypass_mode=False)
    return msgspec.structs.replace(state, mode=Mode.NO, flags=flags)


def go_ahead(todos: tuple[str, ...], config: Config) -> str:
    """Return what is typed into the agent's prompt once todos are approved.

    The agent has worded the todos. They stand as code, in which no phrase of the guard is heard; where
    one would be heard all the same, the words do without them.
    """
    listed = "\n".join(f"{number}. `{_code(todo)}`" for number, todo in enumerate(todos, 1))
    if not listed:
        return _GO
    text = f"{_GO_WITH}\n{listed}"
    return _GO if meaning(text, config) is not None else text


_GO = "The user has approved your todos. Set them exactly as they were approved, and begin."
_GO_WITH = "The user has approved these todos. Set exactly these, in this order, and begin:"


def _is_part(some: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Tell whether some stand in the whole, in the same order."""
    rest = iter(whole)
    return all(one in rest for one in some)


def _code(text: str) -> str:
    """Return a text as it can stand between backticks, on one line."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    return plain.replace("`", "'")
