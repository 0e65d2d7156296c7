"""The four protocols: the todos of each, and what the agent is told (DC-12…DC-16)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.guard.decide.protocol_texts import (
    Template,
    is_of_folder,
    no_template,
    rendered,
    variables,
)
from nagomi_tui.guard.decide.state import Mode, Protocol, State, Todo
from nagomi_tui.guard.decide.texts import protocol_todos

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.guard.decide.config import Config

_CREATION: Final = (
    "Create task file from template with appropriate priority, type, and structure",
    "Ask user about task success and propose success criteria",
    "Run context-gathering agent to create context manifest",
    "Update appropriate service index files",
    "Commit the new task file",
)
COMPACTION: Final = (
    "Run logging agent to update work logs",
    "Run context-refinement agent to check for discoveries",
    "Run service-documentation agent if service interfaces changed",
)
_HEADERS: Final = {
    Protocol.CREATE: "[Task Creation Notice]",
    Protocol.START: "[Task Startup Notice]",
    Protocol.COMPLETE: "[Task Completion Notice]",
    Protocol.COMPACT: "[Context Compaction Notice]",
}
_STASHED: Final = {
    Protocol.CREATE: "Your previous todos have been stashed and will be restored after task creation "
    "is complete.",
    Protocol.COMPACT: "Your previous todos have been stashed and will be restored in the next session "
    "after the user clears context.",
    Protocol.COMPLETE: "Your previous todos have been stashed and will be proposed again after task "
    "completion.",
}
_STASHED_ELSE: Final = "Your previous todos have been stashed and will be restored afterwards."
_LOAD: Final = (
    "Before the first todo, run: sessions protocol startup-load <task-file>\n"
    "(Where there is no command `sessions`: nagomi guard protocol startup-load <task-file>)"
)


def begun(
    protocol: Protocol, state: State, config: Config, template: Template = no_template
) -> tuple[State, str]:
    """Return the state after beginning a protocol, and what the agent is told.

    Active todos are always stashed, so that none is lost (DB-10), but for those of the same protocol
    that begins anew; several tasks can be made one after the other, though.
    """
    lines = _todos(protocol, state, config)
    is_under_way = protocol_of(state.todos.active, state, config) is protocol
    is_anew = is_under_way and protocol is not Protocol.CREATE
    stashed = state.todos if is_anew else state.todos.stash_active()
    todos = stashed.with_active(tuple(Todo(content=line) for line in lines))
    api = msgspec.structs.replace(
        state.api, startup_load=protocol is Protocol.START, completion=False, todos_clear=False
    )
    new = msgspec.structs.replace(
        state, mode=Mode.GO, active_protocol=protocol, todos=todos, api=api
    )
    notes = [_HEADERS[protocol], *([_LOAD] if protocol is Protocol.START else [])]
    if state.todos.active and not is_anew:
        notes.append(_STASHED.get(protocol, _STASHED_ELSE))
    return new, "\n".join([*notes, _guidance(template(protocol), lines, state, config)])


def protocol_of(todos: Sequence[Todo], state: State, config: Config) -> Protocol | None:
    """Return the protocol whose todos these are; None if they are of none."""
    contents = tuple(todo.content for todo in todos)
    return next((one for one in Protocol if _todos(one, state, config) == contents), None)


def _guidance(template: str, lines: tuple[str, ...], state: State, config: Config) -> str:
    """Return a protocol's text with its todos, which stand at the end where it does not place them."""
    todos = protocol_todos(lines)
    text = rendered(template, variables(state, config, todos))
    if todos in text:
        return text
    return f"{text}\n\n{todos}" if text else todos


def _todos(protocol: Protocol, state: State, config: Config) -> tuple[str, ...]:
    match protocol:
        case Protocol.CREATE:
            return _CREATION
        case Protocol.COMPACT:
            return COMPACTION
        case Protocol.START:
            return _startup(config)
        case Protocol.COMPLETE:
            return _completion(state, config)


def _startup(config: Config) -> tuple[str, ...]:
    and_more = " and matching submodule branches" if config.git_preferences.has_submodules else ""
    return (
        "Check git status and handle any uncommitted changes",
        f"Create/checkout task branch{and_more}",
        "Verify context manifest for the task",
        "Gather context for the task",
    )


def _completion(state: State, config: Config) -> tuple[str, ...]:
    push = config.git_preferences.auto_push
    return (
        "Verify all success criteria are checked off",
        "Run code-review agent and address any critical issues",
        "Run logging agent to consolidate work logs",
        "Run service-documentation agent to update CLAUDE.md files and other documentation",
        "Mark task file complete and move to tasks/done/",
        f"Commit changes{_merge(state, config)}",
        "Push changes to remote" if push else "Ask if user wants to push changes to remote",
    )


def _merge(state: State, config: Config) -> str:
    git = config.git_preferences
    if is_of_folder(state):
        return " (directory task - no merge until all subtasks complete)"
    if git.auto_merge:
        return f" and merge to {git.default_branch}"
    return f" and ask if user wants to merge to {git.default_branch}"
