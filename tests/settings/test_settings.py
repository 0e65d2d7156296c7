"""Settings: one model, a file that is never half-written, and faults that are named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from nagomi_tui.settings import loading
from nagomi_tui.settings.model import FIELDS, SECTIONS, BadSetting, Settings, changed


def write(text: str) -> None:
    path = loading.settings_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_n118_settings_come_back_as_they_were_saved() -> None:
    wanted = changed(Settings(), {"language": "ja", "silence_timeout": 7})
    loading.save(wanted)
    assert loading.load() == loading.Loaded(wanted)
    assert json.loads(loading.settings_file().read_text()) == {
        "language": "ja",
        "silence_timeout": 7.0,
    }


def test_without_a_file_everything_is_at_its_default() -> None:
    assert loading.load() == loading.Loaded(Settings())


def test_every_setting_has_a_sentence_and_a_default_that_fits() -> None:
    for field in FIELDS:
        assert field.sentence.endswith("."), field.name
        assert field.section in SECTIONS, field.name
        assert changed(Settings(), {field.name: field.default}) == Settings()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"them": "dark"}, "There is no setting `them`; did you mean `theme`?"),
        ({"xyzzy": 1}, "There is no setting `xyzzy`."),
        ({"theme": "pink"}, "`pink` does not fit the setting `theme`"),
        ({"silence_timeout": 0}, "`0` does not fit the setting `silence_timeout`"),
        ({"history_lines": 20_001}, "`20001` does not fit the setting `history_lines`"),
        ({"pool_size": "3"}, "`3` does not fit the setting `pool_size`"),
    ],
)
def test_what_does_not_fit_is_named(values: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSetting) as caught:
        changed(Settings(), values)
    assert str(caught.value).startswith(said)


def test_one_bad_value_leaves_the_others_in_force() -> None:
    write('{"language": "ja", "pool_size": 99, "leadre": "f1"}')
    loaded = loading.load()
    assert loaded.settings == Settings(language="ja")
    assert [str(fault).partition(";")[0] for fault in loaded.faults] == [
        "`99` does not fit the setting `pool_size`: expected `int` <= 16.",
        "There is no setting `leadre`",
    ]


def test_a_broken_file_is_kept_aside_and_named() -> None:
    write("{not json")
    loaded = loading.load()
    assert loaded.settings == Settings()
    (kept,) = loading.settings_file().parent.glob("settings.broken-*.json")
    assert str(kept) in str(loaded.faults[0])
    assert kept.read_text() == "{not json"


def test_a_save_that_fails_leaves_the_old_file_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    loading.save(Settings(language="ja"))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        loading.save(Settings(language="en"))
    assert loading.load().settings.language == "ja"
    assert len(list(loading.settings_file().parent.iterdir())) == 1


def test_a_file_being_written_by_hand_is_left_alone() -> None:
    write("{not yet")
    loaded = loading.load(aside=False)
    assert not loaded.whole and "could not be understood" in str(loaded.faults[0])
    assert [path.name for path in loading.settings_file().parent.iterdir()] == ["settings.json"]


def test_saving_over_a_broken_file_keeps_it_aside() -> None:
    write("{not yet")
    loading.save(Settings(language="ja"))
    (kept,) = loading.settings_file().parent.glob("settings.broken-*.json")
    assert kept.read_text() == "{not yet"
    assert loading.load() == loading.Loaded(Settings(language="ja"))


KILLED = """
import os, signal, sys
from nagomi_tui.settings import loading
from nagomi_tui.settings.model import Settings
step = sys.argv[1]
before = getattr(os, step)
def die(*values):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, step, die)
loading.save(Settings(language="en", shell="x" * 100_000))
"""


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_n118_a_save_that_is_killed_leaves_the_old_settings_whole(step: str) -> None:
    loading.save(Settings(language="ja"))
    done = subprocess.run([sys.executable, "-c", KILLED, step], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert loading.load() == loading.Loaded(Settings(language="ja"))
    loading.save(Settings(language="en"))
    assert [path.name for path in loading.settings_file().parent.iterdir()] == ["settings.json"]
