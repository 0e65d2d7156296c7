"""The welcome: a few questions, a try of the leader, once for each home."""

from __future__ import annotations

import pytest

from nagomi_tui.api.messages import Colors, Settings, SettingsChanged
from nagomi_tui.sessions.session import Condition
from nagomi_tui.system import paths
from nagomi_tui.view.character.sprite import Sprite
from nagomi_tui.view.common.widgets import Choice
from nagomi_tui.view.dialogs.welcome import WelcomeView
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

ONE = session(1, "one")


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (200, 50)])
async def test_a_newcomer_chooses_language_character_and_sound(size: tuple[int, int]) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, size, welcome=True) as here:
            await here.sees("Welcome.", "Begin", "Ctrl+]")
            await here.press("left")
            await here.until(lambda: server.told(Settings))
            assert server.told(Settings)[-1].values == {"language": "ja"}
            await here.sees("ようこそ", "はじめる")
            await here.until(lambda: here.app.screen.query_one("#language").has_focus)
            await here.press("down", "right")
            await here.until(lambda: server.told(Settings)[-1].values == {"character": "koneko"})
            await here.press("down", "right")
            silent = {"sound_failure": "off", "sound_attention": "off"}
            await here.until(lambda: server.told(Settings)[-1].values == silent)


async def test_enter_goes_on_and_changes_nothing() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, welcome=True) as here:
            await here.sees("Welcome.")
            await here.press("enter", "enter", "enter", "enter")
            assert here.app.screen.query_one("#new").has_focus
            assert not server.told(Settings)


@pytest.mark.parametrize(
    ("env", "asked"), [({}, True), ({"COLORFGBG": "0;15"}, False), ({"COLORFGBG": "what"}, True)]
)
@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_light_or_dark_is_asked_where_nothing_tells_it(
    size: tuple[int, int], env: dict[str, str], asked: bool
) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, size, welcome=True, **env) as here:
            await here.sees("Welcome.", "Begin")
            assert ("Your terminal" in here.text()) is asked
            if asked:
                here.app.screen.query_one("#theme").focus()
                await here.press("right")
                await here.until(lambda: server.told(Settings))
                assert server.told(Settings)[-1].values == {"theme": "light"}
                server.settings["theme"] = "light"
                server.push(SettingsChanged(settings=server.settings))
            await here.until(lambda: here.app.theme.startswith("nagomi-light"))
            # Programs that ask are told so, too, and draw what can be read there.
            await here.until(lambda: server.told(Colors))
            assert [one.background for one in server.told(Colors)] == [0xFFFFFF]


async def test_a_click_selects_the_value_that_it_meets() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, welcome=True) as here:
            await here.sees("Welcome.")
            character = here.app.screen.query_one("#character", Choice)
            shown = str(character.render())
            for name, value in (("Kyusu", "kyusu"), ("Koneko", "koneko"), ("Mochi", "mochi")):
                await here.pilot.click(character, offset=(1 + shown.index(name), 0))
                assert character.value == value
            await here.until(lambda: len(server.told(Settings)) == 3)
            await here.pilot.click(character, offset=(1 + shown.index("Mochi"), 0))
            await here.pilot.click(character, offset=(len(shown) + 2, 0))
            assert character.value == "mochi"
            assert len(server.told(Settings)) == 3


async def test_the_leader_is_tried_without_doing_anything() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, welcome=True) as here:
            await here.sees("Try it")
            here.app.parts.leader_commands.pending(True)
            await here.sees("Ctrl+] arrives")
            here.app.parts.leader_commands.command("x")
            await here.pilot.pause()
            assert isinstance(here.app.screen, WelcomeView)
            assert here.app.screen.query_one(Sprite).phase is Condition.SUCCESS


async def test_one_key_skips_it_and_it_does_not_come_again() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, welcome=True) as here:
            await here.sees("Welcome.")
            await here.press("escape")
            await here.until(lambda: len(here.app.screen_stack) == 1)
            assert paths.welcomed_file().exists()
            assert not server.told(Settings)


async def test_it_ends_in_the_application_or_in_a_new_session() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, welcome=True) as here:
            await here.sees("Welcome.")
            here.app.screen.query_one("#new").focus()
            await here.press("enter")
            await here.sees("work-")
            await here.until(lambda: not isinstance(here.app.screen, WelcomeView))
