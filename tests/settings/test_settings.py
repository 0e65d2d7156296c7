"""Settings: one model, a file that is never half-written, and faults that are named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.settings import store
from nagomi_tui.settings.checks import BadSetting, changed
from nagomi_tui.settings.existing import doubts
from nagomi_tui.settings.field import SECTIONS
from nagomi_tui.settings.model import FIELDS, Settings

if TYPE_CHECKING:
    from pathlib import Path


def write(text: str) -> None:
    path = store.settings_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.requirement("N-18", "N-118")
def test_settings_come_back_as_they_were_saved() -> None:
    wanted = changed(Settings(), {"language": "ja", "silence_timeout": 7})
    store.save(wanted)
    assert store.load() == store.Loaded(wanted)
    assert json.loads(store.settings_file().read_text()) == {
        "language": "ja",
        "silence_timeout": 7.0,
    }


def test_without_a_file_everything_is_at_its_default() -> None:
    assert store.load() == store.Loaded(Settings())


def test_every_setting_has_a_sentence_and_a_default_that_fits() -> None:
    for field in FIELDS:
        assert field.sentence.endswith("."), field.name
        assert field.section in SECTIONS, field.name
        assert changed(Settings(), {field.name: field.default}) == Settings()


def test_a_setting_is_of_the_kind_that_its_field_is_drawn_by() -> None:
    kinds = {field.name: field.kind for field in FIELDS}
    assert {name: kinds[name] for name in ("theme", "balloon", "pool_size", "llm_url", "leader")} == {
        "theme": "choice", "balloon": "bool", "pool_size": "int", "llm_url": "str", "leader": "key",
    }  # fmt: skip
    choices = {field.name: field.choices for field in FIELDS}
    assert "dark" in choices["theme"] and choices["balloon"] == ()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"them": "dark"}, "There is no setting `them`; did you mean `theme`?"),
        ({"xyzzy": 1}, "There is no setting `xyzzy`."),
        ({"theme": "pink"}, "`pink` does not fit the setting `theme`: it is one of auto, dark"),
        ({"theme": "drak"}, "`drak` does not fit the setting `theme`; did you mean `dark`?"),
        ({"silence_timeout": 0}, "`0` does not fit the setting `silence_timeout`: a number from"),
        ({"history_lines": 20_001}, "`20001` does not fit the setting `history_lines`: a whole"),
        ({"pool_size": "3"}, "`3` does not fit the setting `pool_size`: a whole number from 1 to"),
        ({"balloon": "yes"}, "`yes` does not fit the setting `balloon`: it is true or false."),
        ({"shell": 5}, "`5` does not fit the setting `shell`: it is a text."),
    ],
)
def test_what_does_not_fit_is_named(values: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSetting) as caught:
        changed(Settings(), values)
    assert str(caught.value).startswith(said)


def test_one_bad_value_leaves_the_others_in_force() -> None:
    write('{"language": "ja", "pool_size": 99, "leadre": "f1"}')
    loaded = store.load()
    assert loaded.settings == Settings(language="ja")
    assert [str(fault).partition(";")[0] for fault in loaded.faults] == [
        "settings.json, line 1, column 20: "
        "`99` does not fit the setting `pool_size`: a whole number from 1 to 16.",
        "settings.json, line 1, column 37: There is no setting `leadre`",
    ]


@pytest.mark.requirement("N-126")
def test_a_save_keeps_what_it_does_not_know() -> None:
    write('{"language": "ja", "leadre": "f1", "from_tomorrow": {"a": [1]}}')
    store.save(Settings(theme="light"))
    assert json.loads(store.settings_file().read_text()) == {
        "theme": "light", "leadre": "f1", "from_tomorrow": {"a": [1]},
    }  # fmt: skip
    assert "did you mean `leader`?" in str(store.load().faults[0])


@pytest.mark.requirement("N-126")
def test_values_that_name_what_is_not_there_are_named(tmp_path: Path) -> None:
    wrong = Settings(
        character="konéko", sound_folder=str(tmp_path / "none"), shell="fihs", llm_judge=True,
        llm_key_file="", llm_key_variable="ANTHROPIC_KEY",
    )  # fmt: skip
    env = {"PATH": str(tmp_path), "ANTHROPIC_API_KEY": "x"}
    assert [str(doubt) for doubt in doubts(wrong, env).values()] == [
        "There is no character `konéko`; did you mean `koneko`?",
        f"`sound_folder`: there is no folder {tmp_path / 'none'}.",
        "`shell`: there is no program fihs.",
        "No variable `ANTHROPIC_KEY` is set here; did you mean `ANTHROPIC_API_KEY`?",
    ]
    assert doubts(Settings(), {}) == {}
    unused = {"llm_key_file": "", "llm_key_variable": "ANTHROPIC_KEY"}
    assert doubts(Settings(**unused), env) == {}  # type: ignore[arg-type]
    assert doubts(Settings(**unused, llm_judge=True, llm_url="http://x"), env) == {}  # type: ignore[arg-type]
    fine = Settings(character="kyusu", sound_folder=str(tmp_path), shell="FOO=1 exec fish -l")
    assert doubts(fine, env) == {}


def test_a_file_for_a_key_is_doubted_where_it_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "key"
    (doubt,) = doubts(Settings(llm_key_file=str(file))).values()
    assert str(doubt) == f"`llm_key_file`: there is no file {file}."
    file.touch()
    assert doubts(Settings(llm_key_file=str(file))) == {}


@pytest.mark.parametrize("text", ["{not json", '{"a":' * 50_000], ids=["no JSON", "deep"])
def test_a_broken_file_is_kept_aside_and_named(text: str) -> None:
    write(text)
    loaded = store.load()
    assert loaded.settings == Settings()
    (kept,) = store.settings_file().parent.glob("settings.broken-*.json")
    assert str(kept) in str(loaded.faults[0])
    assert kept.read_text() == text


def test_a_save_that_fails_leaves_the_old_file_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(Settings(language="ja"))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.save(Settings(language="en"))
    assert store.load().settings.language == "ja"
    assert len(list(store.settings_file().parent.iterdir())) == 1


def test_a_file_being_written_by_hand_is_left_alone() -> None:
    write("{not yet")
    loaded = store.load(aside=False)
    assert not loaded.whole and "could not be understood" in str(loaded.faults[0])
    assert [path.name for path in store.settings_file().parent.iterdir()] == ["settings.json"]


def test_saving_over_a_broken_file_keeps_it_aside() -> None:
    write("{not yet")
    store.save(Settings(language="ja"))
    (kept,) = store.settings_file().parent.glob("settings.broken-*.json")
    assert kept.read_text() == "{not yet"
    assert store.load() == store.Loaded(Settings(language="ja"))


KILLED = """
import os, signal, sys
from nagomi_tui.settings import store
from nagomi_tui.settings.model import Settings
step = sys.argv[1]
before = getattr(os, step)
def die(*values):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, step, die)
store.save(Settings(language="en", shell="x" * 100_000))
"""


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.requirement("N-118")
def test_a_save_that_is_killed_leaves_the_old_settings_whole(step: str) -> None:
    store.save(Settings(language="ja"))
    done = subprocess.run([sys.executable, "-c", KILLED, step], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert store.load() == store.Loaded(Settings(language="ja"))
    store.save(Settings(language="en"))
    assert [path.name for path in store.settings_file().parent.iterdir()] == ["settings.json"]
