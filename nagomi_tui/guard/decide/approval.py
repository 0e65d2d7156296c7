"""The user's actions outside the agent's prompt: approve, stop, back to discussion (F-10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from nagomi_tui.guard.decide import prompt
from nagomi_tui.guard.decide.phrases import meaning
from nagomi_tui.guard.decide.state import Mode, State, Todo
from nagomi_tui.guard.decide.todos import closed

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.config import Config


class NotOffered(ValueError):
    """The todos to approve are not among those that can be approved now."""


def offered(state: State) -> tuple[str, ...]:
    """Return the todos that can be approved: the agent's proposal, or else the stored todos."""
    return state.own.proposal or tuple(todo.content for todo in state.todos.active)


def approved(state: State, todos: tuple[str, ...]) -> State:
    """Return the state after approving these todos, which are all or some of those offered.

    Completed todos stay completed. If nothing is offered, the agent may then set its todos itself,
    as after a phrase in a prompt.

    Raises:
        NotOffered: a todo is not offered, or the order differs.
    """
    choice = offered(state)
    if not _is_part(todos, choice) or (choice and not todos):
        raise NotOffered
    known = {todo.content: todo for todo in state.todos.active}
    active = tuple(known.get(content) or Todo(content=content) for content in todos)
    own = msgspec.structs.replace(state.own, proposal=todos)
    new = msgspec.structs.replace(state, mode=Mode.GO, todos=state.todos.with_active(active))
    return closed(new.with_own(own))


def stopped(state: State) -> State:
    """Return the state after an emergency stop (D-33)."""
    return prompt.stopped(state)


def discussed(state: State) -> State:
    """Return the state after going back to discussion; todos are kept for the next approval."""
    flags = msgspec.structs.replace(state.flags, bypass_mode=False)
    return msgspec.structs.replace(state, mode=Mode.NO, flags=flags)


def go_ahead(todos: tuple[str, ...], config: Config) -> str:
    """Return the text to type into the agent's prompt after an approval.

    The todos are in the agent's words, so they are put in backticks, where the guard ignores
    phrases. If a phrase would count all the same, the todos are left out.
    """
    if not todos:
        return _GO
    listed = "\n".join(f"{number}. {_on_one_line(todo)}" for number, todo in enumerate(todos, 1))
    text = f"{_GO_WITH}\n```\n{listed}\n```"
    return _GO if meaning(text, config) is not None else text


_GO = "The user has approved your todos. Set them exactly as they were approved, and begin."
_GO_WITH = "The user has approved these todos. Set exactly these, in this order, and begin:"


def _is_part(some: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Tell whether all of `some` are in `whole`, in the same order."""
    rest = iter(whole)
    return all(one in rest for one in some)


def _on_one_line(text: str) -> str:
    """Return a text on one line."""
    return "".join(char if char.isprintable() else " " for char in text)
