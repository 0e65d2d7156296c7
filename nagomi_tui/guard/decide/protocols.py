"""The guard's four protocols for tasks: their todos, and their texts with variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from nagomi_tui.guard.decide.documents import Config, Git, Mode, Protocol, State, Todo
from nagomi_tui.guard.decide.texts import protocol_todos

Template: TypeAlias = Callable[[Protocol], str]
"""Returns the text of a protocol with its variables; empty where there is none."""

LONGEST: Final = 9_000
"""Characters of the longest text: clients move longer ones out of the agent's sight (H-20)."""

_VARIABLE: Final = re.compile(r"\{([a-z_]+)\}")
_BLANKS: Final = re.compile(r"\n{3,}")
_STYLES: Final = {
    "conventional": "Messages follow Conventional Commits: `type(scope): what changed`, where the type is "
    "one of feat, fix, docs, refactor, test or chore.",
    "simple": "A message is one short sentence that says what changed.",
    "detailed": "A message has a short first line, a blank line, and then what was changed and why, with "
    "what a reader has to know.",
}


def no_template(_: Protocol) -> str:
    """Say that a protocol has its todos and nothing more."""
    return ""


def rendered(template: str, values: Mapping[str, str]) -> str:
    """Return a text with its variables put in once: braces in a value are no variables (DB-28)."""
    text = _VARIABLE.sub(lambda found: values.get(found[1], found[0]), template)
    text = _BLANKS.sub("\n\n", text).strip()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n[…]"


def variables(state: State, config: Config, todos: str) -> dict[str, str]:
    """Return what the variables of a template stand for."""
    git = config.git_preferences
    return {
        "todos": todos,
        "default_branch": git.default_branch,
        "commit_style_guidance": _STYLES[git.commit_style],
        "implementation_mode_triggers": ", ".join(
            f'"{phrase}"' for phrase in config.trigger_phrases.implementation_mode
        ),
        **_of_commits(git),
        **_of_submodules(state, git),
        **_of_folder(state, git),
        **_of_resuming(state),
    }


def is_of_folder(state: State) -> bool:
    """Tell whether the task in hand is one in a folder, or a part of one (D-60)."""
    file = (state.current_task.file or "").removeprefix("done/")
    return "/" in file


def _of_commits(git: Git) -> dict[str, str]:
    everything = git.add_pattern == "all"
    merge = f"`{git.default_branch}`"
    return {
        "git_add_warning": (
            "Everything that was changed goes into the commit: look through `git status` for files that do "
            "not belong there first."
            if everything
            else "Only files that the user has agreed to go into the commit."
        ),
        "staging_instructions": (
            "Stage all changes with `git add -A`."
            if everything
            else "List the changed files, ask the user which of them belong to the commit, and stage those."
        ),
        "commit_instructions": "Show the message to the user together with the list of files, then commit.",
        "merge_instruction": (
            f"Merge the task's branch into {merge} afterwards."
            if git.auto_merge
            else f"Ask the user whether the task's branch is to be merged into {merge}."
        ),
        "push_instruction": (
            "Push the result to the remote."
            if git.auto_push
            else "Ask the user whether the result is to be pushed."
        ),
        "git_status_scope": (
            "the project and each submodule" if git.has_submodules else "the project"
        ),
        "git_handling": (
            "Changes that are not committed yet belong to somebody: commit them if they are part of known "
            "work, else show them to the user and ask whether to commit, stash or leave them."
        ),
    }


def _of_submodules(state: State, git: Git) -> dict[str, str]:
    if not git.has_submodules:
        names = (
            "submodules_field", "submodule_branch_todo", "submodule_context", "submodule_management_section",
        )  # fmt: skip
        return dict.fromkeys(names, "")
    listed = ", ".join(state.current_task.submodules or ()) or "none so far"
    return {
        "submodules_field": "submodules: []",
        "submodule_branch_todo": " and matching submodule branches",
        "submodule_context": f"The project has submodules. The task names: {listed}.",
        "submodule_management_section": (
            "## Submodules\n"
            "A branch of the task's name is made in each submodule that the task names. Commits are made "
            "in the submodules first, and in the project last, which then points to them. A file of a "
            "submodule that the task does not name cannot be edited until `submodules` in the task's file "
            "names it."
        ),
    }


def _of_folder(state: State, git: Git) -> dict[str, str]:
    if not is_of_folder(state):
        return {"directory_completion_check": "", "directory_guidance": ""}
    folder = (state.current_task.file or "").removeprefix("done/").partition("/")[0]
    return {
        "directory_completion_check": (
            f"This task is part of `sessions/tasks/{folder}/`. Its branch is merged into "
            f"`{git.default_branch}` only when all parts are completed: `nagomi guard tasks` tells which are "
            "still open. Until then commit on the branch, and leave the folder where it is."
        ),
        "directory_guidance": (
            f"The task lies in the folder `sessions/tasks/{folder}/`: README.md holds the whole, the "
            "numbered files its parts. All parts are worked at on the branch that README.md names."
        ),
    }


def _of_resuming(state: State) -> dict[str, str]:
    name = state.current_task.name
    return {
        "resume_notes": (
            f"The next session finds the task {name} in hand, with its file and its work log."
            if name
            else "No task is in hand, so that the next session begins without one."
        )
    }


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
        state, mode=Mode.IMPLEMENTATION, active_protocol=protocol, todos=todos, api=api
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
