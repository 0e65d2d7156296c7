"""Texts of the protocols: templates with variables that follow the project's settings (DC-18)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from nagomi_tui.guard.decide.state import Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.guard.decide.config import Config, Git
    from nagomi_tui.guard.decide.state import State

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
