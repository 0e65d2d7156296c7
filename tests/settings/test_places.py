"""Faults of the settings file say the line and column that they are at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.settings import store
from nagomi_tui.settings.store import Place, of_fault, of_setting
from nagomi_tui.system import paths
from nagomi_tui.text.words import of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path))
    return paths.make_private(paths.config_folder()) / "settings.json"


def test_a_place_is_counted_from_one() -> None:
    assert of_fault(b'{"a": 1,\n "b": }') == Place(2, 7)
    assert of_fault(b'{"a": 1}') is None
    assert of_fault(b"\xff") is None
    assert of_setting(b'{\n  "theme" : 1}', "theme") == Place(2, 3)
    assert of_setting(b"{}", "theme") is None


def test_an_unknown_setting_is_named_with_its_line(file: Path) -> None:
    file.write_text('{\n  "langage": "ja"\n}')
    [fault] = store.load().faults
    assert str(fault).startswith("settings.json, line 2, column 3: There is no setting `langage`")
    said = of("ja").say(fault.message, **fault.values)
    assert said.startswith("settings.json 2 行 3 桁: ") and "langage" in said


def test_a_file_that_is_no_json_says_where_it_stops_to_be(file: Path) -> None:
    file.write_text('{"mute": true,\n "theme": }')
    [fault] = store.load(aside=False).faults
    assert str(fault).startswith("settings.json, line 2, column 11: ")
