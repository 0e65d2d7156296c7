"""Settings: changed by hand while everything runs, kept over kill -9, and never half-written."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

from nagomi_tui.api import messages
from nagomi_tui.settings import loading
from tests.helpers.workplace import PATIENCE, until, workplace

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection


def settings(connection: Connection) -> dict[str, Any]:
    return connection.request(messages.Settings(id=0), timeout=PATIENCE)


def by_hand(text: str) -> None:
    file = loading.settings_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_n126_settings_are_followed_kept_and_survive_kill_9() -> None:
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
        assert json.loads(loading.settings_file().read_text()) == {
            "theme": "dark",
            "language": "ja",
            "silence_timeout": 7.0,
        }
        (kept,) = loading.settings_file().parent.glob("settings.broken-*.json")
        assert kept.read_text() == "{"


def test_n118_kill_9_while_it_saves_leaves_the_old_settings_or_the_new() -> None:
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
            assert not list(loading.settings_file().parent.glob("settings.broken-*"))


def test_a_fault_is_told_with_its_place_and_once_more_when_it_is_mended() -> None:
    with workplace() as place, closing(place.connect(front_end=True)) as front_end:
        said: list[str] = []

        def hears(text: str) -> bool:
            said.extend(
                message.text
                for message in front_end.pushed(0.05)
                if isinstance(message, messages.Notice)
            )
            return any(text in one for one in said)

        by_hand('{\n  "theme": "light",\n  "them": 1\n}')
        until(lambda: hears("settings.json, line 3, column 3: "))
        assert not hears("in order again")
        by_hand('{"theme": "light"}')
        until(lambda: hears("settings.json is in order again."))
        by_hand('{"theme": "light",\n "character": "nobody"}')
        until(lambda: hears("settings.json, line 2, column 2: There is no character `nobody`"))
