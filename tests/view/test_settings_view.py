"""設定: made from the model, filtered, reset, followed; and keys that are caught and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input

from nagomi_tui.api.messages import Settings, SettingsChanged, Sound
from nagomi_tui.settings.field import SECTIONS
from nagomi_tui.settings.model import FIELDS
from nagomi_tui.view.character.sprite import Sprite
from nagomi_tui.view.common.widgets import Choice
from nagomi_tui.view.dialogs.setting_entries import KeyEntry, SettingEntry, command_key, leader_key
from nagomi_tui.view.keymap import bindings as keymap_file
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

if TYPE_CHECKING:
    from textual.widget import Widget

pytestmark = pytest.mark.slow

ONE = session(1, "one")


async def opened(here: Visit, section: str = "look") -> None:
    await here.leader("s")
    await here.until(lambda: here.app.screen.query(SettingEntry))
    if section != "look":
        await here.app.screen._open(section)  # type: ignore[attr-defined]


def entry(here: Visit, name: str) -> Any:
    return here.app.screen.query_one(f"#{name}")


async def asked(here: Visit, server: FakeOrchestrator) -> dict[str, Any]:
    await here.until(lambda: server.told(Settings))
    return server.told(Settings)[-1].values


@pytest.mark.requirement("N-126")
async def test_every_setting_of_the_model_has_its_place() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            await opened(here)
            seen = set()
            for _ in SECTIONS:
                seen |= {found.field.name for found in here.app.screen.query(SettingEntry)}
                await here.press("pagedown")
            assert seen == {field.name for field in FIELDS}


@pytest.mark.requirement("N-126")
async def test_values_are_taken_by_keys_and_put_back_to_their_defaults() -> None:
    with FakeOrchestrator(ONE, silence_timeout=7.0) as server:
        async with visit(server, (120, 40)) as here:
            await opened(here, "judge")
            await here.until(lambda: entry(here, "silence_timeout").has_focus)
            await here.sees("● silence_timeout", "seconds 0.5–600")
            await here.press("end", "backspace", "backspace", "backspace")
            await here.type("9")
            await here.press("enter")
            assert await asked(here, server) == {"silence_timeout": 9.0}
            await here.press("ctrl+r")
            await here.until(lambda: server.told(Settings)[-1].values == {"silence_timeout": 3.5})
            await here.misses("● silence_timeout")
            assert entry(here, "silence_timeout").value == "3.5"


async def test_what_does_not_fit_is_said_at_its_place() -> None:
    with FakeOrchestrator(ONE) as server:
        server.refusals[Settings] = "That is too many."
        async with visit(server, (120, 40)) as here:
            await opened(here)
            line = entry(here, "focused_fps")
            line.focus()
            line.value = "many"
            await here.press("enter")
            await here.sees("This needs a number.")
            line.value = "61"
            await here.press("enter")
            await here.sees("That is too many.")
            assert line.value == "61"


@pytest.mark.requirement("N-126")
async def test_a_folder_that_is_not_there_is_taken_and_named() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            await opened(here, "sound")
            line = entry(here, "sound_folder")
            line.focus()
            line.value = "/nowhere/to/be/found"
            await here.press("enter")
            await here.sees("there is no folder /nowhere/to/be/found")
            assert await asked(here, server) == {"sound_folder": "/nowhere/to/be/found"}


async def test_in_a_narrow_terminal_the_sections_are_one_line_in_japanese_too() -> None:
    with FakeOrchestrator(ONE, language="ja") as server:
        async with visit(server, (60, 20)) as here:
            await opened(here, "character")
            await here.sees("キャラクター ›  2/9")


async def test_in_a_narrow_terminal_the_foot_says_whole_keys() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (60, 40)) as here:
            await opened(here)
            await here.sees("PgUp PgDn section · Esc ─")


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (200, 50)])
async def test_a_word_finds_settings_and_keys_in_every_size(size: tuple[int, int]) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, size) as here:
            await opened(here)
            await here.type("silence")
            await here.sees("silence_timeout")
            await here.misses("reduced_motion")
            await here.press("escape")
            await here.sees("language")
            await here.type("qqqq")
            await here.sees("Nothing fits.")
            await here.press("escape", "escape")
            await here.until(lambda: len(here.app.screen_stack) == 1)


async def test_changes_from_elsewhere_are_shown_and_what_is_typed_stays() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            await opened(here)
            line = entry(here, "focused_fps")
            line.focus()
            line.value = "4"
            settings = server.settings | {"theme": "light", "focused_fps": 20}
            server.push(SettingsChanged(settings=settings))
            await here.until(lambda: entry(here, "theme").value == "light")
            assert line.value == "4"
            server.push(SettingsChanged(settings=settings | {"language": "ja"}))
            await here.sees("設定", "見た目")
            await here.until(lambda: entry(here, "focused_fps").has_focus)


async def test_a_language_chosen_here_changes_the_frame_of_the_dialog_too() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            await opened(here)
            entry(here, "language").focus()
            await here.press("left")
            await here.sees("─ 設定 ─", "文字を打つと絞り込みます", "見た目", "↑↓ 移動")


@pytest.mark.requirement("N-121")
async def test_a_character_shows_itself_as_it_is_chosen() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            await opened(here, "character")
            sprite = here.app.screen.query_one(SettingEntry).query_one(Sprite)
            await here.until(lambda: sprite.character and sprite.character.id == "mochi")
            assert isinstance(here.app.screen.focused, Choice)
            await here.press("right")
            assert await asked(here, server) == {"character": "koneko"}
            await here.until(lambda: sprite.character.id == "koneko")


@pytest.mark.requirement("N-57")
async def test_a_sound_can_be_tried() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 60)) as here:
            await opened(here, "sound")
            here.app.screen.query_one("#sound-test").focus()
            await here.press("enter")
            await here.until(lambda: server.told(Sound))
            assert server.told(Sound)[-1].do == "test"
            await here.sees("Played by")


async def test_a_key_is_caught_kept_in_the_file_and_put_back() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 60)) as here:
            await opened(here, "keys")
            await catch(here, "key-zoom", "f5")
            await here.until(lambda: here.app.parts.preferences.keys.action_for("f5") == "zoom")
            assert 'zoom = "f5"' in keymap_file.keymap_file().read_text()
            assert entry(here, "key-zoom").keys == ("f5",)
            await here.press("ctrl+r")
            await here.until(lambda: here.app.parts.preferences.keys.action_for("z") == "zoom")
            assert "zoom" not in keymap_file.keymap_file().read_text()


async def test_a_key_that_is_taken_is_said_and_taken_over_when_asked_twice() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 80)) as here:
            await opened(here, "keys")
            await catch(here, "key-zoom", "x")
            await here.sees("x is for “stop”.")
            assert here.app.parts.preferences.keys.action_for("x") == "stop"
            await catch(here, "key-zoom", "x")
            await here.until(lambda: here.app.parts.preferences.keys.action_for("x") == "zoom")
            await here.until(lambda: entry(here, "key-stop").keys == ())
            await here.misses("x is for")


async def test_the_leader_is_a_key_that_nobody_types() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 60)) as here:
            await opened(here, "keys")
            await catch(here, "leader", "q")
            await here.sees("Take a key with Ctrl or Alt")
            await catch(here, "leader", "ctrl+right_square_bracket")
            await catch(here, "second_leader", "escape")
            assert not server.told(Settings)
            await catch(here, "leader", "f6")
            assert await asked(here, server) == {"leader": "f6"}
            entry(here, "second_leader").focus()
            await here.press("delete")
            await here.until(lambda: server.told(Settings)[-1].values == {"second_leader": ""})


async def test_keys_changed_in_the_file_are_followed() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            file = keymap_file.keymap_file()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text('[keys]\nzoom = "f7"\n')
            await here.until(lambda: here.app.parts.preferences.keys.action_for("f7") == "zoom")


async def catch(here: Visit, name: str, key: str) -> None:
    found: Widget = entry(here, name)
    found.focus()
    await here.press("enter")
    await here.until(lambda: isinstance(found, KeyEntry) and found.catching)
    await here.press(key)


@pytest.mark.parametrize(
    ("pressed", "command", "leader"),
    [
        ("z", "z", ""),
        ("Z", "Z", ""),
        ("ctrl+z", "z", "ctrl+z"),
        ("question_mark", "?", ""),
        ("plus", "+", ""),
        ("tab", "tab", ""),
        ("f5", "f5", "f5"),
        ("shift+pageup", "shift+pageup", ""),
        ("ctrl+right_square_bracket", "", "ctrl+]"),
        ("alt+n", "", "alt+n"),
    ],
)
def test_keys_have_the_names_that_the_files_use(pressed: str, command: str, leader: str) -> None:
    assert (command_key(pressed), leader_key(pressed)) == (command, leader)


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ("", ("f5",), '[keys]\nzoom = "f5"\n'),
        ("", None, ""),
        ('[keys]\nnew = "c"\n', ("a", "b"), '[keys]\nnew = "c"\nzoom = ["a", "b"]\n'),
        (
            '# mine\n[keys]\nzoom = "z"   # wide\nnew = "c"\n\n[more]\nzoom = 1\n',
            ("f5",),
            '# mine\n[keys]\nzoom = "f5"   # wide\nnew = "c"\n\n[more]\nzoom = 1\n',
        ),
        ('[keys]\nzoom = "z"\nnew = "c"\n', None, '[keys]\nnew = "c"\n'),
        ('a = 1\n', ('"',), 'a = 1\n\n[keys]\nzoom = "\\""\n'),
    ],
)  # fmt: skip
def test_the_rest_of_a_users_keymap_stays(
    before: str, keys: tuple[str, ...] | None, after: str
) -> None:
    assert keymap_file.with_keys(before, "zoom", keys) == after


async def test_the_filter_has_the_focus_first() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await opened(here)
            assert here.app.screen.query_one("#filter", Input).has_focus
