"""The guard's settings file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from nagomi_tui.guard.decide.documents import plain, unknown_keys
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import Broken, edit_config, read_config

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "sessions").mkdir()
    return Project(tmp_path)


@pytest.mark.requirement("D-31", "D-44", "D-45", "D-47", "D-48", "D-49", "X-12", "D-46")
def test_the_defaults(project: Project) -> None:
    config = plain(read_config(project))
    assert config["trigger_phrases"] == {
        "implementation_mode": ["yert"],
        "discussion_mode": ["SILENCE"],
        "task_creation": ["mek:"],
        "task_startup": ["start^"],
        "task_completion": ["finito"],
        "context_compaction": ["squish"],
    }
    blocked = config["blocked_actions"]
    assert blocked["implementation_only_tools"] == ["Edit", "Write", "MultiEdit", "NotebookEdit"]
    assert blocked["bash_read_patterns"] == blocked["bash_write_patterns"] == []
    assert blocked["extrasafe"] is True
    features = config["features"]
    assert features["branch_enforcement"] is features["auto_ultrathink"] is True
    assert features["context_warnings"] == {"warn_85": True, "warn_90": True}


@pytest.mark.requirement("D-50", "DC-3")
def test_git_and_environment_have_their_defaults(project: Project) -> None:
    config = plain(read_config(project))
    assert config["git_preferences"] == {
        "add_pattern": "ask",
        "default_branch": "main",
        "commit_style": "conventional",
        "auto_merge": False,
        "auto_push": False,
        "has_submodules": False,
    }
    assert config["environment"]["developer_name"] == "developer"


@pytest.mark.requirement("D-16", "D-43", "D-61")
def test_what_is_set_is_read(project: Project) -> None:
    set_ = {"trigger_phrases": {"implementation_mode": ["yert", "make it so", "run that"]}}
    project.config_file.write_text(json.dumps(set_))
    config = read_config(project)
    assert config.trigger_phrases.implementation_mode == ("yert", "make it so", "run that")
    assert config.trigger_phrases.discussion_mode == ("SILENCE",)


@pytest.mark.parametrize(("old", "new"), [(True, "nerd_fonts"), (False, "ascii")])
@pytest.mark.requirement("DC-3")
def test_an_older_icon_setting_is_taken_over(project: Project, old: bool, new: str) -> None:
    project.config_file.write_text(json.dumps({"features": {"use_nerd_fonts": old}}))
    with edit_config(project):
        pass
    stored = json.loads(project.config_file.read_text())
    assert stored["features"]["icon_style"] == new
    assert "use_nerd_fonts" not in stored["features"]


@pytest.mark.requirement("DB-4")
def test_a_broken_config_is_an_error_and_stays(project: Project) -> None:
    """Defaults in its place would drop what the user has forbidden."""
    project.config_file.write_text('{"blocked_actions": {"extrasafe": "yes"}}')
    with pytest.raises(Broken, match="extrasafe"):
        read_config(project)
    assert project.config_file.exists()


@pytest.mark.requirement("DC-4")
def test_a_change_puts_a_broken_config_aside(project: Project) -> None:
    project.config_file.write_text("{")
    with edit_config(project) as editing:
        git = msgspec.structs.replace(editing.config.git_preferences, auto_push=True)
        editing.config = msgspec.structs.replace(editing.config, git_preferences=git)
    assert (project.sessions / "sessions-config.bad.json").read_text() == "{"
    assert read_config(project).git_preferences.auto_push


@pytest.mark.requirement("DB-21")
def test_unknown_settings_are_named_and_kept(project: Project) -> None:
    project.config_file.write_text(json.dumps({"features": {"icon_stile": "ascii"}, "x": {}}))
    assert unknown_keys(read_config(project)) == ("x", "features.icon_stile")
    with edit_config(project):
        pass
    stored = json.loads(project.config_file.read_text())
    assert stored["x"] == {} and stored["features"]["icon_stile"] == "ascii"
