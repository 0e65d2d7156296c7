"""Tools with which an agent in a guarded project reports its todos, as `nagomi todos` does (H-30).

The project is that of the current folder. The tools write only the guard's own state, and put no
todo into effect that the user has not approved; therefore they do not ask the user.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar

import anyio.to_thread
from msgspec import Meta

from nagomi_tui.agent.tools.interface import Given, Output, Reader, ToolFault
from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.todo_commands import MOST, set_status, set_todos
from nagomi_tui.guard.files.config import read_config
from nagomi_tui.guard.files.documents import Broken
from nagomi_tui.guard.files.project import find
from nagomi_tui.guard.files.state import edit_state, read_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.guard.decide.config import Config
    from nagomi_tui.guard.decide.events import Decision
    from nagomi_tui.guard.decide.state import State, Status


class NothingGiven(Given, frozen=True, kw_only=True):
    """No input."""


class ListGiven(Given, frozen=True, kw_only=True):
    """All todos, which replace the former list."""

    todos: Annotated[list[str], Meta(min_length=1, max_length=MOST)]


class NumberGiven(Given, frozen=True, kw_only=True):
    """A todo, by its number."""

    number: Annotated[int, Meta(ge=1, description="Its number in the list, from 1.")]


class ShowTodos(Reader[NothingGiven]):
    """Shows the guard's mode and the approved todos."""

    name: ClassVar = "todos_show"
    description: ClassVar = "Show the mode of this guarded project, and its approved todos."
    given: ClassVar = NothingGiven

    async def read(self, given: NothingGiven) -> Output:
        """Return the mode and the todos."""
        state = await anyio.to_thread.run_sync(_state)
        return Output(f"The mode is {state.mode.value}.", _listed(state))


class SetTodos(Reader[ListGiven]):
    """Sets the list of approved todos, or proposes one."""

    name: ClassVar = "todos_set"
    description: ClassVar = (
        "Set the todos of this guarded project, exactly as the user approved them; in discussion, "
        "propose them to the user. To change approved todos takes the approval back."
    )
    given: ClassVar = ListGiven

    async def read(self, given: ListGiven) -> Output:
        """Set or propose the list, and return what became of it."""
        return await _changed(partial(set_todos, given.todos))


class StartTodo(Reader[NumberGiven]):
    """Marks a todo as in progress."""

    name: ClassVar = "todos_start"
    description: ClassVar = "Say that one of the approved todos is being worked at."
    given: ClassVar = NumberGiven

    async def read(self, given: NumberGiven) -> Output:
        """Mark the todo, and return the list."""
        return await _marked(given.number, "in_progress")


class FinishTodo(Reader[NumberGiven]):
    """Marks a todo as completed."""

    name: ClassVar = "todos_done"
    description: ClassVar = (
        "Tick one of the approved todos off; after the last it is discussion again."
    )
    given: ClassVar = NumberGiven

    async def read(self, given: NumberGiven) -> Output:
        """Mark the todo, and return the list; after the last todo, what happens next."""
        return await _marked(given.number, "completed")


async def _marked(number: int, status: Status) -> Output:
    def decide(state: State, config: Config) -> Decision:
        return set_status(number, status, state, config)

    return await _changed(decide)


async def _changed(decide: Callable[[State, Config], Decision]) -> Output:
    decision = await anyio.to_thread.run_sync(_edited, decide)
    if decision.denied:
        raise ToolFault(decision.denied, in_lines=True)
    said = "\n".join(decision.context) or f"The mode is {decision.state.mode.value}."
    return Output(said, _listed(decision.state), in_lines=True)


def _edited(decide: Callable[[State, Config], Decision]) -> Decision:
    project = find(os.getcwd(), os.environ)
    if not project.is_known:
        raise ToolFault("Nothing guards this folder: its user runs `nagomi guard install` there.")
    try:
        config = read_config(project)
        with edit_state(project) as editing:
            decision = decide(editing.state, config)
            editing.state = decision.state
    except (Broken, OSError) as exc:
        raise ToolFault("The guard's files cannot be read or written.", str(exc)) from exc
    return decision


def _state() -> State:
    try:
        return read_state(find(os.getcwd(), os.environ)).state
    except (Broken, OSError) as exc:
        raise ToolFault("The guard's files cannot be read.", str(exc)) from exc


def _listed(state: State) -> str | None:
    lines = [f"{todo.content} ({todo.status})" for todo in state.todos.active]
    return texts.numbered(lines) or None
