"""A project that comes from cc-sessions: its files are read as they are, and its command goes on."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from nagomi_tui.agents.registry import GUARDED
from nagomi_tui.guard.decide.documents import Mode, State, typed, unknown_keys
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import Broken, decoded, edit_config, edit_state, read_config
from nagomi_tui.guard.tasks.folder import NoTask, listed, read_task, taken
from nagomi_tui.guard.tasks.shipped_texts import text_of
from nagomi_tui.system import files

_FOLDERS: Final = tuple(agent.folder for agent in GUARDED.values())
_SETTINGS: Final = tuple(file for agent in GUARDED.values() for file in agent.ended_hooks)
_OLD_HOOKS: Final = (
    "sessions/hooks", "sessions_enforce", "user_messages", "post_tool_use", "session_start", "subagent_hooks",
    "sessions-enforce", "user-messages", "post-tool-use", "session-start", "task-transcript-link",
)  # fmt: skip
_OURS: Final = "# Written by nagomi:"
_COMMAND: Final = """\
#!/bin/sh
# Written by nagomi: the commands of cc-sessions, answered by nagomi's guard.
if command -v nagomi >/dev/null 2>&1; then
  exec nagomi guard sessions "$@"
fi
exec {program} guard sessions "$@"
"""


class Report(NamedTuple):
    """What was found and done, a line each."""

    found: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def bring_over(project: Project, program: tuple[str, ...], now: str) -> Report:
    """Read what cc-sessions left, begin in discussion, and put our command in place of its own.

    Args:
        program: how this program is started, for a machine without `nagomi` on its PATH.
        now: the time, as the state keeps it.

    Raises:
        Broken: a file of its cannot be read; nothing was changed.
        OSError: a file cannot be written.
    """
    config = read_config(project)
    raw = _raw(project.state_file)
    old = [_raw(project.root / folder / "state" / "current_task.json") for folder in _FOLDERS]
    found, warnings = [], []
    with edit_state(project) as editing:
        state = msgspec.structs.replace(editing.state, mode=Mode.DISCUSSION, active_protocol=None)
        state = _with_old_task(project, state, old, now)
        state = _with_old_todos(state, raw)
        editing.state = state
        warnings += [*editing.notices, *editing.unknown]
    if project.config_file.exists():
        with edit_config(project):
            pass  # It is saved as this version has it.
        found.append(f"settings: {project.config_file.name}")
    if raw is not None:
        found.append(f"state: {project.state_file.name}; this is discussion mode")
    if proposed := state.own.proposal:
        found.append(f"todos that are proposed, and need your approval: {len(proposed)}")
    if state.current_task.file:
        found.append(f"task in hand: {state.current_task.file}")
    found.append(f"tasks: {len(listed(project))}")
    found.append(f"command: {_write_command(project, program)}")
    if unknown := unknown_keys(config):
        warnings.append(f"keys that are not known and are kept: {', '.join(unknown)}")
    return Report(tuple(found), (*warnings, *_old_hooks(project)))


def translated(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words behind `nagomi guard` for those behind `sessions` (DC-37)."""
    kept = [word for word in words if word != "--from-slash"]
    options = [word for word in kept if word == "--json"]
    match [word for word in kept if word != "--json"]:
        case ["slash", *rest]:
            return translated((*rest, *options))
        case ["state", "mode" | "todos" | "flags" as part, *rest] if rest:
            new = [part, *rest]
        case ["state", "task", *rest] if rest:
            new = ["tasks", *rest]
        case ["state", "update", *_]:
            new = ["version"]  # Nothing is asked of the network (DB-29).
        case [] | ["status"]:
            new = ["state"]
        case rest:
            new = rest
    return (*new, *options)


def _with_old_task(project: Project, state: State, old: list[object], now: str) -> State:
    """Take over the task of a version before 0.3, which kept it beside the client's settings."""
    if state.current_task.file is not None:
        return state
    for name in (one.get("task") for one in old if isinstance(one, dict)):
        for file in (f"{name}.md", f"{name}/README.md"):
            try:
                task, _ = read_task(project, file)
            except NoTask:
                continue
            return msgspec.structs.replace(state, current_task=taken(project, task, now))
    return state


def _with_old_todos(state: State, raw: object) -> State:
    """Propose the todos that were approved under the old guard: here nobody has approved them yet."""
    try:
        old = typed(raw, State).todos.active
    except msgspec.ValidationError:
        return state  # It was put aside, or there is none.
    still = tuple(todo.content for todo in old if todo.status != "completed")
    if not still or state.todos.active or state.own.proposal:
        return state
    return state.proposing(still, recorded=True)


def _raw(path: Path) -> object:
    try:
        return decoded(path, files.read(path))
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise Broken(f"{path} cannot be read: {exc.strerror}") from exc


def _write_command(project: Project, program: tuple[str, ...]) -> str:
    """Write `sessions/bin/sessions`; one that another program wrote is kept beside it."""
    path = project.sessions / "bin" / "sessions"
    path.parent.mkdir(parents=True, exist_ok=True)
    if (path.exists() or path.is_symlink()) and _OURS not in text_of(path):
        os.replace(path, path.with_name("sessions.cc-sessions"))
    files.write(path, _COMMAND.format(program=shlex.join(program)).encode(), mode=0o755)
    path.chmod(0o755)
    return "sessions/bin/sessions"


def _old_hooks(project: Project) -> list[str]:
    """Tell which settings still run the hooks of cc-sessions, which would decide beside ours."""
    return [
        f"{file} still runs the hooks of cc-sessions; take them out, or they decide, too"
        for file in _SETTINGS
        if any(one in text_of(project.root / file) for one in _OLD_HOOKS)
    ]
