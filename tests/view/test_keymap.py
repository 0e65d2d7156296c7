"""Leader keys: shipped ones are whole, and a user's file changes them one entry at a time."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.system import paths
from nagomi_tui.view.keymap import bindings
from nagomi_tui.view.keymap.actions import ACTIONS, key_label

if TYPE_CHECKING:
    from pathlib import Path


def test_shipped_keys_are_given_once() -> None:
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))
    assert all(action.keys for action in ACTIONS)


@pytest.mark.parametrize(
    ("key", "action"),
    [
        ("d", "detach"), ("ctrl+d", "detach"), ("z", "zoom"), ("c", "new"), ("ctrl+c", "new"),
        ("n", "next"), ("p", "previous"), ("1", "go_1"), ("9", "go_9"), ("[", "copy"),
        ("tab", "next_waiting"), ("r", "restart"), ("R", "rename"), (",", "rename"),
        ("x", "stop"), ("X", "remove"), ("v", "switch_view"), ("i", "to_program"),
        ("left", "left"), ("h", "left"), ("+", "later"), ("-", "earlier"), (":", "palette"),
        ("?", "help"), ("s", "settings"), ("q", "quit"), ("0", None), ("ctrl+up", "up"),
    ],
)  # fmt: skip
def test_leader_keys_do_what_is_promised(key: str, action: str | None) -> None:
    assert bindings.shipped().action_for(key) == action


def test_a_users_key_moves_from_its_old_action() -> None:
    keys = bindings.merge({"zoom": "f", "new": ["n", "f2"]})
    assert keys.problems == ()
    assert (keys.action_for("f"), keys.action_for("n"), keys.action_for("f2")) == (
        "zoom",
        "new",
        "new",
    )
    assert keys.keys["next"] == ()
    assert keys.action_for("z") is None


def test_unknown_names_bad_keys_and_conflicts_are_named_one_at_a_time() -> None:
    keys = bindings.merge(
        {"detatch": "d", "zoom": "Ctrl+Banana", "new": "a", "stop": "a", "help": "H"}
    )
    assert len(keys.problems) == 3
    assert "did you mean “detach”" in keys.problems[0]
    assert "ctrl+banana" in keys.problems[1]
    assert "“a” is given to “new” and to “stop”" in keys.problems[2]
    assert (keys.action_for("a"), keys.action_for("H")) == ("new", "help")


@pytest.mark.parametrize("text", ["[keys\n", "a = " + "[" * 50_000], ids=["no TOML", "deep"])
def test_a_broken_file_is_named_and_the_shipped_keys_hold(tmp_path: Path, text: str) -> None:
    file = tmp_path / "keymap.toml"
    file.write_text(text)
    keys = bindings.load(file)
    assert "keymap.toml" in keys.problems[0]
    assert keys.actions == bindings.shipped().actions
    assert bindings.load(tmp_path / "none.toml").problems == ()


def test_keys_of_a_file_are_read(tmp_path: Path) -> None:
    file = tmp_path / "keymap.toml"
    file.write_text('[keys]\nzoom = ["Z", "enter"]\n')
    keys = bindings.load(file)
    assert (keys.action_for("Z"), keys.action_for("enter")) == ("zoom", "zoom")


@pytest.mark.parametrize(
    ("key", "label"),
    [("ctrl+]", "Ctrl+]"), ("f12", "F12"), ("left", "←"), ("+", "+"), ("tab", "Tab"), ("R", "R")],
)
def test_keys_are_written_for_people(key: str, label: str) -> None:
    assert key_label(key) == label


def test_the_shipped_file_shows_all_keys_as_they_are() -> None:
    file = paths.shipped("config") / "keymap.toml"
    assert bindings.load(file) == bindings.shipped()
    named = tomllib.loads(file.read_text())["keys"]
    assert list(named) == [action.name for action in ACTIONS]
