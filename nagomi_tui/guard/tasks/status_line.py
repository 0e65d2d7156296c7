"""What the client's status line shows of a project (DC-36)."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import msgspec

from nagomi_tui.guard.decide.branches import Unknown
from nagomi_tui.guard.decide.status_line import Told, Tree, context_of, rendered, tree_of
from nagomi_tui.guard.files import documents
from nagomi_tui.guard.files.config import read_config
from nagomi_tui.guard.files.git import Git
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import read_state
from nagomi_tui.guard.tasks.folder import open_tasks
from nagomi_tui.system.decoding import from_json

_GIT_SECONDS: Final = 1.0


def status_line(project: Project, data: bytes) -> str:
    """Return the two lines for what the client tells; figures are noted for the hooks (DB-25)."""
    try:
        told = from_json(data, Told)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        told = Told()
    context = context_of(told)
    if told.context_window.current_usage is not None:
        with suppress(OSError):
            documents.write_figures(told.session_id, documents.Figures(*context))
    try:
        state, style = read_state(project).state, read_config(project).features.icon_style
    except (documents.Broken, OSError) as exc:
        return f"nagomi guard: {exc}"
    task = state.current_task.name
    return rendered(context, task, state.mode, _tree(project), len(open_tasks(project)), style)


def _tree(project: Project) -> Tree | None:
    git = Git(project.root, _GIT_SECONDS)
    with suppress(Unknown):
        lines = git.lines("status", "--porcelain=v2", "--branch", "--untracked-files=no")
        return tree_of(lines) if lines else None
    return None
