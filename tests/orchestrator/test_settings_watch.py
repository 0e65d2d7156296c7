"""Settings: changed by hand while everything runs, kept over kill -9, and never half-written."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.resident.settings_watch import SettingsWatch
from nagomi_tui.settings import store
from nagomi_tui.settings.model import Settings
from tests.helpers.workplace import PATIENCE, until, workplace

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection


def settings(connection: Connection) -> dict[str, Any]:
    return connection.request(messages.Settings(id=0), timeout=PATIENCE)


def by_hand(text: str) -> None:
    file = store.settings_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.requirement("N-126")
def test_settings_are_followed_kept_and_survive_kill_9() -> None:
    with workplace() as place, ExitStack() as stack:
        connection = stack.enter_context(closing(place.connect()))
        by_hand('{"theme": "light", "silence_timeout": 7}')
        until(lambda: settings(connection)["theme"] == "light")
        by_hand('{"theme": "dark", "silence_timeout": 7, "them": 1')
        by_hand('{"theme": "dark", "silence_timeout": 7, "them": 1}')
        until(lambda: settings(connection)["theme"] == "dark")
        by_hand("{")
        wanted = messages.Settings(id=0, values={"language": "ja"})
        connection.request(wanted, timeout=PATIENCE)
        place.kill(place.orchestrator)
        again = stack.enter_context(closing(place.connect()))
        found = settings(again)
        assert (found["theme"], found["language"]) == ("dark", "ja")
        assert found["silence_timeout"] == 7.0
        assert json.loads(store.settings_file().read_text()) == {
            "theme": "dark",
            "language": "ja",
            "silence_timeout": 7.0,
        }
        (kept,) = store.settings_file().parent.glob("settings.broken-*.json")
        assert kept.read_text() == "{"


@pytest.mark.requirement("N-118")
def test_kill_9_while_it_saves_leaves_the_old_settings_or_the_new() -> None:
    with workplace() as place:
        theme = "auto"
        for wanted in ("light", "dark"):
            with place.connect() as connection:
                assert settings(connection)["theme"] == theme
                order = messages.Settings(id=0, values={"theme": wanted})
                connection.send(order)
                place.kill(place.orchestrator)
            with place.connect() as again:
                theme = settings(again)["theme"]
            assert theme in (wanted, "auto", "light")
            assert not list(store.settings_file().parent.glob("settings.broken-*"))


class Heard:
    """The sentences that a front end was told."""

    def __init__(self, front_end: Connection) -> None:
        self._front_end = front_end
        self.said: list[str] = []

    def __call__(self, text: str) -> bool:
        """Tell whether one of them has this in it."""
        self.said += [
            message.text
            for message in self._front_end.pushed(0.05)
            if isinstance(message, messages.Notice)
        ]
        return any(text in one for one in self.said)


@pytest.mark.slow
def test_a_fault_is_told_with_its_place_and_once_more_when_it_is_mended() -> None:
    with workplace() as place, closing(place.connect(front_end=True)) as front_end:
        hears = Heard(front_end)
        by_hand('{\n  "theme": "light",\n  "them": 1\n}')
        until(lambda: hears("settings.json, line 3, column 3: "))
        assert not hears("in order again")
        by_hand('{"theme": "light"}')
        until(lambda: hears("settings.json is in order again."))
        by_hand('{"theme": "light",\n "character": "nobody"}')
        until(lambda: hears("settings.json, line 2, column 2: There is no character `nobody`"))


@pytest.mark.slow
@pytest.mark.requirement("N-126")
def test_what_a_setting_names_is_told_when_it_has_come_to_be(tmp_path: Path) -> None:
    with workplace() as place, closing(place.connect(front_end=True)) as front_end:
        hears = Heard(front_end)
        sounds, key = tmp_path / "sounds", tmp_path / "key"
        by_hand(json.dumps({"sound_folder": str(sounds), "llm_key_file": str(key)}))
        until(lambda: hears(f"there is no folder {sounds}.") and hears(f"there is no file {key}."))
        sounds.mkdir()
        until(lambda: hears("`sound_folder` is in order again."))
        assert not hears("`llm_key_file` is in order again.")
        by_hand(json.dumps({"sound_folder": str(sounds)}))
        until(lambda: hears("`llm_key_file` is in order again."))
        assert len(hears.said) == 4


@pytest.mark.requirement("N-126")
async def test_a_change_tells_of_what_is_named_in_vain_and_a_look_does_not_repeat_it(
    tmp_path: Path,
) -> None:
    heard: list[str] = []
    audience = SimpleNamespace(
        tell=lambda kind, sentence, **values: heard.append(sentence.format(**values)),
        broadcast=lambda message: None,
    )
    current = Settings(sound_folder=str(tmp_path / "none"))
    watch = SettingsWatch(lambda: current, audience)  # type: ignore[arg-type]
    await watch.doubt(current)
    await watch.seek()
    missing = f"`sound_folder`: there is no folder {tmp_path / 'none'}."
    assert heard == [missing]
    await watch.doubt(current)
    assert heard == [missing, missing]
    (tmp_path / "none").mkdir()
    await watch.seek()
    await watch.seek()
    assert heard[2:] == ["`sound_folder` is in order again."]
