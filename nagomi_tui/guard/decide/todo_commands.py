"""Todos that are set and ticked off by a command, for clients without a tool for them (H-30)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.afterwards import after_tool
from nagomi_tui.guard.decide.events import Decision, ToolUse
from nagomi_tui.guard.decide.state import Mode, State, Status, Todo
from nagomi_tui.guard.decide.tools import before_tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.guard.decide.config import Config
    from nagomi_tui.guard.decide.events import Judged

LONGEST: Final = 1000
"""Characters of the longest todo."""
MOST: Final = 200
"""Most todos of one list."""


def set_todos(contents: Sequence[str], state: State, config: Config) -> Decision:
    """Return what a whole list does: in discussion it is a proposal, after that it is compared."""
    wanted = tuple(one.strip() for one in contents)
    if fault := _fault(wanted):
        return Decision(state=state, denied=fault)
    if state.mode is Mode.NO:
        own = msgspec.structs.replace(state.own, proposal=wanted)
        phrase = next(iter(config.trigger_phrases.implementation_mode), "")
        told = texts.PROPOSED.format(n=len(wanted), todos=texts.numbered(wanted), phrase=phrase)
        return Decision(state=state.with_own(own), context=(told,))
    known = {todo.content: todo for todo in state.todos.active}
    return _written(tuple(known.get(one) or Todo(content=one) for one in wanted), state, config)


def set_status(number: int, status: Status, state: State, config: Config) -> Decision:
    """Return what becomes of one todo of the list, counted from 1."""
    todos = state.todos.active
    if state.mode is Mode.NO or not todos:
        return Decision(state=state, denied=texts.NONE_APPROVED)
    if not 1 <= number <= len(todos):
        return Decision(state=state, denied=texts.NO_SUCH_TODO.format(n=number, m=len(todos)))
    changed = msgspec.structs.replace(todos[number - 1], status=status)
    return _written((*todos[: number - 1], changed, *todos[number:]), state, config)


def _fault(wanted: tuple[str, ...]) -> str:
    if not wanted or not all(wanted):
        return texts.EMPTY_TODO
    if len(wanted) > MOST or max(map(len, wanted)) > LONGEST:
        return texts.TOO_MANY_TODOS.format(most=MOST, longest=LONGEST)
    if len(set(wanted)) < len(wanted):
        return texts.SAME_TODO
    return ""


def _written(todos: tuple[Todo, ...], state: State, config: Config) -> Decision:
    """Do with a list as if the client's own tool had set it: one way, whatever leads to it."""
    listed = [
        {"content": one.content, "status": one.status, "activeForm": one.active_form}
        for one in todos
    ]
    use = ToolUse(tool="TodoWrite", input={"todos": listed})
    before = before_tool(use, state, config, _unasked)
    if before.denied:
        return before
    after = after_tool(use, before.state, config)
    return msgspec.structs.replace(
        after,
        context=(*before.context, *after.context),
        notices=(*before.notices, *after.notices),
    )


def _unasked(command: str) -> Judged:
    raise AssertionError("a list of todos runs no command")
