"""What the kernel holds of a project, by its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.guard.decide.config import BlockedActions, Config
from nagomi_tui.guard.files.held import held
from nagomi_tui.guard.files.project import Project

if TYPE_CHECKING:
    from pathlib import Path


def test_db30_allowed_paths_stay_writable_but_for_what_controls_the_guard(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "project"
    for name in ("docs", ".claude/hooks", ".git/hooks", "sessions/tasks"):
        (root / name).mkdir(parents=True)
    names = ("docs/", "./docs", ".claude/hooks", "sessions", "../project", "/etc", "missing", ".")
    config = Config(blocked_actions=BlockedActions(discussion_allowed_paths=names))
    found = held(Project(root), config, ours=(), sockets=())
    assert found.open == (str(root / "sessions/tasks"), str(root / "docs"))
