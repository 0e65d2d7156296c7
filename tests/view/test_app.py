"""The application itself: leader, bars, digest, connection, zoom, look back, and how it ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from nagomi_tui.api.messages import Event, Goodbye, Notice, Reload, SessionChanged, View
from nagomi_tui.sessions.session import Condition, State
from nagomi_tui.view.common.theme import DARK, LIGHT, choose
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.dialogs.help import Help
from nagomi_tui.view.dialogs.new_session import NewSession
from nagomi_tui.view.dialogs.palette import Palette
from nagomi_tui.view.keymap.actions import ACTIONS, SCOPE_TITLES
from nagomi_tui.view.keymap.menu import LeaderMenu
from nagomi_tui.view.pane.copy_mode import CopyMode
from nagomi_tui.view.screens.main_screen import Stage
from nagomi_tui.view.screens.state import ViewName
from nagomi_tui.view.screens.zoom_view import ZoomView
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

if TYPE_CHECKING:
    from textual.await_remove import AwaitRemove
    from textual.screen import Screen

ONE = session(1, "one")


async def test_keys_go_to_the_focused_session_and_textual_takes_none() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.until(lambda: here.app.parts.keyboard.target == ONE.session_id)
            assert here.app.focused is None
            for key in ("ctrl+p", "ctrl+q", "ctrl+c", "escape"):
                await here.press(key)
            assert len(here.app.screen_stack) == 1
            assert not here.app.query("CommandPalette")
            assert here.app.is_running


async def test_a_connection_that_is_lost_while_the_front_end_leaves_is_no_error() -> None:
    """As when the orchestrator goes over to another version: its bar is being taken away."""

    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.until(lambda: here.app.parts.keyboard.target == ONE.session_id)
            bar = here.app.parts.main.bottom_bar
            await bar.remove_children()
            here.app.parts.orchestrator_messages.connected(False)
            assert not bar.connected


async def test_of_many_changes_at_once_not_each_is_shown() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            shown: list[str] = []
            show = here.app.parts.main.show

            def counted() -> None:
                show()
                shown.append(here.app.parts.state.sessions[ONE.session_id].name)

            here.app.parts.redraw.show = counted  # type: ignore[method-assign]
            for number in range(200):
                changed = replace(ONE, name=f"name {number}")
                here.app.parts.heard(SessionChanged(session=changed))
            await here.sees("name 199")
            assert shown[0] == "name 0"
            assert shown[-1] == "name 199"
            assert len(shown) < 100


@pytest.mark.parametrize("size", [(80, 24), (60, 40), (120, 35), (200, 50)])
@pytest.mark.parametrize("language", ["en", "ja"])
async def test_the_menu_has_every_key_under_a_heading(size: tuple[int, int], language: str) -> None:
    with FakeOrchestrator(ONE, language=language) as server:
        async with visit(server, size) as here:
            menu = here.app.query_one(LeaderMenu)
            menu.open()
            await here.until(lambda: menu.region.area)
            words = [tr(title) for title in SCOPE_TITLES.values()]
            alone = {"next", "previous", "left", "down", "up", "right", "earlier", "later"}
            alone |= {"keep_size", "free_size"}
            words += [tr(action.label) for action in ACTIONS if action.name not in alone]
            text = "\n".join(here.lines()[menu.region.y : menu.region.bottom])
            assert [word for word in words if word not in text] == []
            assert "…" not in text


async def test_a_low_menu_has_the_first_of_every_group_and_help() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (40, 15)) as here:
            here.app.query_one(LeaderMenu).open()
            await here.sees("c new", "Tab next waiting", "z zoom", ": search", "? help")


async def test_the_menu_comes_to_those_who_wait_and_keys_work_before_it() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            menu = here.app.query_one(LeaderMenu)
            here.app.parts.leader_commands.pending(True)
            here.app.parts.leader_commands.pending(False)
            await here.leader("z")
            assert here.app.parts.state.zoomed and not menu.has_class("-open")
            here.app.parts.leader_commands.pending(True)
            await here.until(lambda: menu.has_class("-open"))
            await here.sees("look back", "next waiting")
            here.app.parts.leader_commands.pending(False)
            await here.until(lambda: not menu.has_class("-open"))


@pytest.mark.requirement("N-126")
async def test_every_fault_of_the_settings_can_be_read_whole() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (80, 24)) as here:
            await here.until(lambda: here.app.parts.keyboard.target == ONE.session_id)
            for name in ("them", "leadre"):
                fault = f"There is no setting `{name}`; did you mean another?"
                server.push(Notice(kind="error", text=fault))
            await here.sees("`them`", "`leadre`")
            server.push(Notice(kind="error", text="It is kept as " + "x" * 80 + "here.json"))
            await here.sees("`them`", "`leadre`", "here.json")


async def test_a_key_without_a_meaning_is_said() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("ctrl+z")
            assert here.app.parts.state.zoomed
            await here.leader("%")
            await here.sees("Ctrl+] % has no meaning here.")


async def test_views_that_go_before_they_have_come_do_no_harm() -> None:
    made = [session(n, f"s{n}", state=State.EXITED, exit_code=0) for n in range(1, 7)]
    with FakeOrchestrator(*made) as server:
        async with visit(server) as here:
            state, main = here.app.parts.state, here.app.parts.main
            for turn in range(40):
                state.view = ViewName.CHAT if turn % 2 else ViewName.RUN
                state.zoomed = turn % 3 == 0
                main.show()
                await asyncio.sleep(turn % 4 * 0.002)
            state.zoomed, state.view = False, ViewName.RUN
            main.show()
            await here.sees("s1")


async def test_a_long_name_leaves_the_way_back_and_the_counts_on_the_thin_line() -> None:
    name = "nagomi-frontend-refactoring-claude-1"
    other = session(2, "deploy", phase=Condition.ATTENTION, waits=True)
    with FakeOrchestrator(session(1, name), other) as server:
        async with visit(server, (80, 24)) as here:
            await here.sees("1 nagomi")
            await here.leader("z")
            await here.sees("claude-1  · idle", "◆ 1 waits for you", "Ctrl+] z back")
            assert name not in here.text()
            await here.pilot.resize_terminal(120, 24)
            await here.sees(f"{name}  · idle", "Ctrl+] z back")


async def test_zoom_shows_one_session_with_a_thin_line_that_can_be_hidden() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("z")
            await here.until(lambda: here.app.query(ZoomView))
            pane = here.app.query_one(ZoomView).pane
            await here.until(lambda: pane.size == (120, 29))
            await here.leader("b")
            await here.until(lambda: pane.size == (120, 30))

            def asked() -> list[tuple[int, int, bool | None]]:
                return [(one.cols, one.rows, one.own_size) for one in server.told(View)[-1:]]

            await here.until(lambda: asked() == [(120, 30, True)])
            await here.leader("z")
            await here.until(lambda: not here.app.query(ZoomView))


async def test_a_view_that_is_being_removed_shows_no_time() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("z")
            stage = here.app.query_one(Stage)
            await here.until(lambda: isinstance(stage.children[-1], ZoomView))
            await here.until(lambda: stage.children[-1].is_mounted)
            removed = asyncio.ensure_future(_wait_for(stage.remove_children()))  # noqa: TID251
            while not removed.done():
                stage.tick()
                await asyncio.sleep(0)
            assert not stage.children


async def _wait_for(removal: AwaitRemove) -> None:
    await removal


async def test_looking_back_scrolls_with_keys_and_q_returns_to_the_program() -> None:
    with FakeOrchestrator(ONE) as server:
        server.last_line[ONE.session_id] = 300
        async with visit(server) as here:
            await here.leader("z")
            await here.until(lambda: here.app.query(ZoomView))
            pane = here.app.query_one(ZoomView).pane
            await here.until(lambda: pane.buffer.scroll.last_line > 300)
            await here.leader("[")
            assert here.app.query_one(CopyMode).has_focus
            assert here.app.parts.keyboard.target is None
            await here.until(lambda: not pane.following)
            await here.press("pageup", "up")
            await here.until(lambda: pane.buffer.scroll.line < 280)
            await here.press("g")
            await here.until(lambda: pane.buffer.scroll.line == 0)
            await here.press("G")
            await here.until(lambda: pane.lines_below == 0)
            assert not pane.following
            await here.press("up", "q")
            await here.until(lambda: pane.following)
            await here.until(lambda: here.app.parts.keyboard.target == ONE.session_id)


async def test_on_attach_one_line_says_what_happened() -> None:
    with FakeOrchestrator(ONE) as server:
        server.digest = (
            ("api", "attention"),
            ("build", "ended_early"),
            ("a", "ended_well"),
            ("b", "ended_well"),
        )
        async with visit(server) as here:
            await here.sees("While you were away: api: waits for you · build: failed")


async def test_on_attach_the_agents_digest_is_shown_whole() -> None:
    with FakeOrchestrator(ONE) as server:
        server.digest = (("The tests of [red] failed twice.", "agent"), ("api waits", "agent"))
        async with visit(server) as here:
            await here.sees("While you were away", "· The tests of [red] failed twice.")
            await here.sees("· api waits")


async def test_notices_and_faults_are_said() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            server.push(Notice(kind="error", text="The list [red] cannot be written."))
            server.push(Event(session=ONE.session_id, kind="bell"))
            await here.sees("The list [red] cannot be written.")


async def test_a_lost_connection_is_said_quietly_and_comes_back() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.sees("1 session")
            here.app.parts.orchestrator_messages.connected(False)
            await here.sees("coming back…")
            server.hang_up()
            await here.until(lambda: here.app.parts.main.bottom_bar.connected)
            await here.sees("1 session", "screen of 01")


async def test_another_version_offers_the_reload() -> None:
    with FakeOrchestrator(ONE, version="99.0") as server:
        async with visit(server) as here:
            await here.sees("new version: Ctrl+] L")
            await here.leader("L")
            await here.until(lambda: server.told(Reload))


@pytest.mark.parametrize("reason", ["reload", "quit", "detach"])
async def test_a_goodbye_ends_the_application_with_its_reason(reason: str) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            server.push(Goodbye(reason=reason))  # type: ignore[arg-type]
            await here.until(lambda: not here.app.is_running or here.app.return_value)
            assert here.app.return_value == reason


async def test_detach_leaves_and_asks_for_nothing() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("d")
            assert here.app.return_value == "detach"


@pytest.mark.parametrize("size", [(200, 50), (80, 24), (60, 20), (30, 8)])
@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.requirement("N-44")
async def test_both_bars_fit_every_size(size: tuple[int, int], language: str) -> None:
    made = [session(n, f"とても長い名前のつくり{n}", waits=True) for n in range(1, 4)]
    with FakeOrchestrator(*made, language=language) as server:
        async with visit(server, size) as here:
            await here.sees("nagomi")
            await here.until(lambda: "waiting" in "".join(w.id or "" for w in here.app.query("*")))
            for line in here.lines():
                assert len(line) <= size[0]
            for key in ("v", "z", "z", "v", "?"):
                await here.leader(key)
            await here.until(lambda: len(here.app.screen_stack) == 2)


@pytest.mark.parametrize(
    ("hint", "opened"),
    [("menu", Palette), ("help", Help), ("new", NewSession)],
)
async def test_the_hints_at_the_bottom_can_be_clicked(
    hint: str, opened: type[Screen[object]]
) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.sees("Ctrl+] menu   ? help   z zoom   c new")
            bottom = here.app.size.height - 1
            await here.pilot.click(offset=(here.lines()[-1].index(hint) + 1, bottom))
            await here.until(lambda: isinstance(here.app.screen, opened))


@pytest.mark.parametrize(
    ("setting", "background", "theme"),
    [
        ("auto", -1, DARK), ("auto", 0x000000, DARK), ("auto", 0xFFFFFF, LIGHT),
        ("auto", 0xFDF6E3, LIGHT), ("auto", 0x1E1E2E, DARK), ("light", 0, LIGHT),
        ("dark", 0xFFFFFF, DARK),
    ],
)  # fmt: skip
def test_the_theme_follows_setting_and_terminal(setting: str, background: int, theme: str) -> None:
    assert choose(setting, background) == theme


async def test_problems_of_the_users_files_are_said_and_the_application_opens(nagomi_home) -> None:  # type: ignore[no-untyped-def]
    (nagomi_home / "config").mkdir(parents=True)
    (nagomi_home / "config" / "keymap.toml").write_text('[keys]\nzom = "z"\nzoom = "Z"\n')

    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.sees("there is no “zom”; did you mean “zoom”?")
            await here.leader("Z")
            assert here.app.parts.state.zoomed


async def test_only_the_session_in_front_changes_the_clipboard() -> None:
    two = session(2, "two")
    with FakeOrchestrator(ONE, two) as server:
        async with visit(server) as here:
            copied: list[str] = []
            here.app.parts.outside.copy = copied.append  # type: ignore[method-assign]
            await here.until(lambda: here.app.parts.state.focused == ONE.session_id)
            for entry, text in ((two, "hidden"), (ONE, "seen")):
                server.push(Event(session=entry.session_id, kind="clipboard", text=text))
            await here.until(lambda: copied)
            assert copied == ["seen"]


async def test_copy_mode_ends_when_another_session_comes_to_the_front() -> None:
    two = session(2, "two")
    with FakeOrchestrator(ONE, two) as server:
        async with visit(server) as here:
            await here.until(lambda: here.app.parts.keyboard.target == ONE.session_id)
            await here.leader("[")
            await here.until(lambda: here.app.parts.main.copy_mode.has_focus)
            await here.leader("2")
            await here.until(lambda: not here.app.parts.main.copy_mode.open_now)
            await here.until(lambda: here.app.parts.keyboard.target == two.session_id)


async def test_a_timer_that_rings_while_all_is_taken_away_does_nothing() -> None:
    with FakeOrchestrator(session(1, "one")) as server:
        async with visit(server) as here:
            await here.sees("one")
            rung: list[str] = []
            timer = here.app.parts.timers.guarded(lambda: rung.append("rung"))
            timer()
            here.app.parts.messages.tell("a sentence")
        timer()
        assert rung == ["rung"]
