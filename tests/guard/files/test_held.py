"""What the kernel holds of a project, by its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.decide.documents import BlockedActions, Config
from nagomi_tui.guard.files.held import held, linked_outside
from nagomi_tui.guard.files.project import Project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.requirement("DB-30")
def test_allowed_paths_stay_writable_but_for_what_controls_the_guard(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "project"
    for name in ("docs", ".claude/hooks", ".git/hooks", "sessions/tasks"):
        (root / name).mkdir(parents=True)
    names = ("docs/", "./docs", ".claude/hooks", "sessions", "../project", "/etc", "missing", ".")
    config = Config(blocked_actions=BlockedActions(discussion_allowed_paths=names))
    found = held(Project(root), config, ours=(), sockets=(), env={"HOME": str(tmp_path / "home")})
    assert found.open == (str(root / "sessions/tasks"), str(root / "docs"))


def test_outside_all_is_read_only_but_caches_and_what_agents_keep(tmp_path: Path) -> None:
    """What has programs run is shut in both modes; what is missing is made, since nothing else can be held."""
    home, root = tmp_path.resolve() / "home", tmp_path.resolve() / "project"
    for folder in (root, home / ".claude/plugins", home / ".codex", home / "work"):
        folder.mkdir(parents=True)
    config = Config(blocked_actions=BlockedActions(discussion_allowed_paths=("~/work", "docs")))
    ours = [home / ".config/nagomi", root, tmp_path / "program"]
    for folder in ours:
        folder.mkdir(parents=True, exist_ok=True)
    env = {"HOME": str(home)}
    found = held(Project(root), config, ours=ours[:1], sockets=(), env=env)
    outside = [one for one in found.shut if not one.startswith(f"{root}/")]
    names = ("settings.json", "settings.local.json", "plugins")
    assert {str(home / ".claude" / name) for name in names} <= set(outside)
    assert {str(home / ".codex" / name) for name in ("hooks.json", "config.toml")} <= set(outside)
    assert str(ours[0]) in outside
    assert (home / ".claude/settings.json").read_text() == "{}\n"
    assert found.elsewhere is not None
    kept = (".cache", ".claude", ".codex", "work")
    assert {str(home / name) for name in kept} <= set(found.elsewhere)
    assert {str(home), str(home / ".claude.json")}.isdisjoint(found.elsewhere)
    # One that is made by itself can be changed in implementation; installed in a project it cannot.
    own = held(Project(root), config, ours=ours, sockets=(), env=env)
    assert str(root) not in own.shut and str(ours[2]) in own.shut
    assert str(ours[2]) in held(Project(tmp_path), config, ours=[ours[2]], sockets=(), env=env).shut


def test_a_project_that_was_named_by_a_link_is_known_by_it(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "real/project"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    env = {"HOME": str(tmp_path / "home")}
    for named, wanted in (("link/project/sub", "link/project"), ("real/project/sub", "")):
        place = str(tmp_path.resolve() / named)
        found = held(Project(root), Config(), ours=(), sockets=(), env=env, place=place)
        assert found.place == (str(tmp_path.resolve() / wanted) if wanted else "")


def test_files_that_have_another_name_outside_are_counted(tmp_path: Path) -> None:
    root, store = tmp_path / "project", tmp_path / "store"
    for folder in (root / "sub", store):
        folder.mkdir(parents=True)
    for name in ("one", "two", "three"):
        (root / name).touch()
    (root / "sub/own").hardlink_to(root / "one")
    assert linked_outside(str(root)) == 0
    (store / "two").hardlink_to(root / "two")
    (store / "one").hardlink_to(root / "sub/own")
    assert linked_outside(str(root)) == 2
