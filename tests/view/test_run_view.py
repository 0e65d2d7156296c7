"""みんなの様子: tiles, their headers, focus and enlargement, through the pilot."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from rich.style import Style
from textual.geometry import Region

from nagomi_tui.api.messages import KeepSize, Reorder, Seen, SessionRemoved, View
from nagomi_tui.sessions.session import Condition, State
from nagomi_tui.text.layout import LEAST_BESIDE
from nagomi_tui.view.screens.list_view import ListView
from nagomi_tui.view.screens.run_view import RunView, Tile
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, row, session


def tiles(here: Visit) -> list[Tile]:
    return list(here.app.query(Tile))


def widths(here: Visit) -> list[int]:
    return [tile.region.width for tile in tiles(here)]


@pytest.mark.requirement("N-41", "N-42", "N-43")
async def test_a_tile_shows_name_badge_and_time() -> None:
    one = session(
        1, "api-tests", branch="main", phase=Condition.RUNNING, phase_since=time.time() - 75,
        last_input_at=100.0,
    )  # fmt: skip
    with FakeOrchestrator(one) as server:
        async with visit(server) as here:
            await here.sees("1 api-tests", "main", "● working")
            # It is as long ago as the application took to start, too.
            assert re.search(r"● working\W+(01:[1-5]|0[2-9]:\d)\d", here.text())
            await here.sees("screen of 01")
            asks = {"phase": Condition.ATTENTION, "waits": True}
            server.change(one.session_id, phase_since=time.time(), **asks)
            await here.sees("◆ waits for you 00:", "◆ 1 waits for you")


async def test_what_has_ended_and_was_seen_is_one_line_until_it_is_opened() -> None:
    made = [
        session(n, f"s{n}", **({"state": State.EXITED, "exit_code": 0} if n < 4 else {}))
        for n in range(1, 7)
    ]
    with FakeOrchestrator(*made) as server:
        async with visit(server, (120, 40)) as here:
            await here.sees("▸ 2 ended", "✓ s2, ✓ s3", "╭ 1 s1")
            assert [tile.session.number for tile in tiles(here)] == [4, 5, 6, 1]
            await here.leader("E")
            await here.press("o")
            await here.until(lambda: len(tiles(here)) == 6)
            await here.misses("▸ 2 ended")
            # One line tells of the end, and the rows above it are the session's.
            await here.sees("It has ended.  Ctrl+] r again · X remove")


@pytest.mark.parametrize(
    "known",
    [{"agent": "claude"}, {"judge_profile": "claude"}],
    ids=["by its name", "by its screen"],
)
async def test_a_small_tile_of_an_agent_says_what_it_asks_and_not_its_empty_prompt(
    known: dict[str, str],
) -> None:
    made = [session(n, f"s{n}", turn=1, **known) for n in range(1, 9)]
    made[7] = session(8, "s8", **known, phase=Condition.ATTENTION, summary="Run make?", waits=True)
    with FakeOrchestrator(*made) as server:
        server.screens[made[1].session_id] = [
            row("● 3 files changed"),
            row("─" * 40),
            row("❯ "),
        ]
        server.screens[made[1].session_id].append(row("─" * 40))
        async with visit(server, (120, 30)) as here:
            await here.sees("● 3 files changed", "Run make?", "screen of 01")
            await here.misses("❯")
            await here.misses("screen of 08")
            # The one that gets the keys is shown as it is.
            await here.leader("8")
            await here.sees("screen of 08")


async def test_a_small_tile_of_an_agent_that_was_asked_nothing_shows_its_field() -> None:
    made = [session(n, f"s{n}", judge_profile="claude") for n in range(1, 9)]
    with FakeOrchestrator(*made) as server:
        async with visit(server, (120, 30)) as here:
            await here.sees("screen of 01", "screen of 02", "screen of 08")


async def test_a_tile_that_is_drawn_before_textual_has_styled_it_has_plain_parts() -> None:
    """A front end ended by that while a machine was busy."""

    with FakeOrchestrator(session(1, "one")) as server:
        async with visit(server) as here:
            await here.sees("╭ 1 one")
            (tile,) = tiles(here)
            assert tile._style("frame") != Style()
            for known in (tile._styles, tile._component_styles, tile._rich_style_cache):
                known.clear()  # type: ignore[attr-defined]
            assert tile._style("frame") == Style()


async def test_what_waits_out_of_sight_is_counted_anew_when_all_is_seen() -> None:
    made = [session(n, f"s{n}") for n in range(1, 8)]
    made.append(session(8, "s8", waits=True, phase=Condition.ATTENTION))
    with FakeOrchestrator(*made) as server:
        async with visit(server, (100, 14)) as here:
            await here.leader("S")
            await here.sees("↓ 1 waits")
            await here.pilot.resize_terminal(100, 40)
            await here.misses("↓ 1 waits")
            await here.sees("◆ 1 waits for you")


@pytest.mark.parametrize(("size", "columns"), [((60, 20), 1), ((124, 24), 2), ((200, 50), 3)])
@pytest.mark.requirement("N-38")
async def test_columns_follow_the_width(size: tuple[int, int], columns: int) -> None:
    with FakeOrchestrator(*(session(n, f"s{n}") for n in range(1, 7))) as server:
        async with visit(server, size) as here:
            if here.app.query(ListView):
                await here.leader("S")
            await here.until(lambda: len(tiles(here)) == 6)
            await here.until(lambda: tiles(here)[0].region.width > 0)
            top = tiles(here)[0].region.y
            assert sum(tile.region.y == top for tile in tiles(here)) == columns


@pytest.mark.requirement("N-39", "N-40", "N-122", "N-133")
async def test_a_click_enlarges_and_a_double_click_aligns() -> None:
    with FakeOrchestrator(*(session(n, f"s{n}") for n in range(1, 5))) as server:
        async with visit(server) as here:
            await here.until(lambda: len(tiles(here)) == 4 and all(widths(here)))
            equal = widths(here)
            await here.pilot.click(tiles(here)[3].pane)
            await here.until(
                lambda: here.app.parts.state.focused == tiles(here)[3].session.session_id
            )
            await here.until(lambda: widths(here) != equal)
            assert widths(here)[3] == 120 - LEAST_BESIDE
            await here.pilot.click(tiles(here)[3].pane, times=2)
            await here.until(lambda: widths(here) == equal)


@pytest.mark.requirement("NB-17")
async def test_a_double_click_on_another_tile_never_enlarges() -> None:
    with FakeOrchestrator(*(session(n, f"s{n}") for n in range(1, 5))) as server:
        async with visit(server) as here:
            await here.until(lambda: len(tiles(here)) == 4 and all(widths(here)))
            equal, seen = widths(here), []
            for _ in range(3):
                await here.pilot.click(tiles(here)[2].pane, times=2)
                seen.append(widths(here))
            await here.pilot.pause(0.5)
            assert [*seen, widths(here)] == [equal] * 4
            assert here.app.parts.state.focused == tiles(here)[2].session.session_id


async def test_a_click_on_the_line_of_an_ended_session_focuses_too() -> None:
    ended = session(2, "two", state=State.EXITED, exit_code=3, phase=Condition.ERROR)
    with FakeOrchestrator(session(1, "one"), ended) as server:
        async with visit(server) as here:
            await here.sees("It failed (3).")
            await here.pilot.click(tiles(here)[1].query_one(".ending"))
            await here.until(lambda: here.app.parts.state.focused == ended.session_id)


async def test_a_click_on_the_lower_right_corner_focuses_too() -> None:
    with FakeOrchestrator(session(1, "one"), session(2, "two")) as server:
        async with visit(server) as here:
            await here.until(lambda: len(tiles(here)) == 2 and all(widths(here)))
            width, height = tiles(here)[1].outer_size
            await here.pilot.click(tiles(here)[1], offset=(width - 1, height - 1))
            await here.until(
                lambda: here.app.parts.state.focused == tiles(here)[1].session.session_id
            )


async def test_a_click_on_a_header_focuses_too() -> None:
    with FakeOrchestrator(session(1, "one"), session(2, "two")) as server:
        async with visit(server) as here:
            await here.until(lambda: len(tiles(here)) == 2 and all(widths(here)))
            await here.pilot.click(tiles(here)[1], offset=(4, 0))
            await here.until(
                lambda: here.app.parts.keyboard.target == tiles(here)[1].session.session_id
            )


async def test_keys_move_between_tiles_and_tell_that_they_were_seen() -> None:
    made = [session(n, f"s{n}", waits=n == 3) for n in range(1, 5)]
    with FakeOrchestrator(*made) as server:
        async with visit(server) as here:
            await here.until(lambda: len(tiles(here)) == 4 and all(widths(here)))
            for key, number in (
                ("l", 2),
                ("j", 4),
                ("left", 3),
                ("k", 1),
                ("tab", 3),
                ("4", 4),
                ("p", 3),
                ("n", 4),
                ("n", 1),
            ):
                await here.leader(key)
                await here.until(
                    lambda number=number: here.app.parts.state.current.number == number
                )
            await here.until(lambda: server.told(Seen))
            assert server.told(Seen)[0].session == made[2].session_id


def sized(server: FakeOrchestrator) -> dict[str, tuple[int, int] | None]:
    """Return by session the size that its view gives it last, or None if it gives none."""
    return {
        view.session: (view.cols, view.rows) if view.own_size else None
        for view in server.told(View)
    }


async def test_sessions_take_the_size_of_their_tiles() -> None:
    one, two = session(1, "one"), session(2, "two")
    with FakeOrchestrator(one, two) as server:
        async with visit(server, (124, 24)) as here:
            fits = {one.session_id: (60, 20), two.session_id: (60, 20)}
            await here.until(lambda: sized(server) == fits)
            told = len(server.told(View))
            await here.leader("2")
            await here.until(lambda: here.app.parts.state.focused == two.session_id)
            # The focus moves about, and no tile changes with it.
            assert {view.own_size for view in server.told(View)[told:]} <= {True}
            assert sized(server) == fits
            await here.leader("enter")
            # The other one is narrower than 60 columns: a preview.
            enlarged = {one.session_id: None, two.session_id: (90, 20)}
            await here.until(lambda: sized(server) == enlarged)
            await here.leader("1")
            await here.until(lambda: here.app.parts.state.focused == one.session_id)
            # The enlargement stays where it was made; whoever has the keys has its tile's size.
            assert widths(here) == [32, 92]
            await here.until(lambda: sized(server)[one.session_id] == (30, 20))


async def test_two_sessions_stand_one_above_the_other_where_two_columns_are_too_narrow() -> None:
    made = [session(1, "one"), session(2, "two")]
    with FakeOrchestrator(*made) as server:
        async with visit(server, (80, 24)) as here:
            await here.until(lambda: len(tiles(here)) == 2 and widths(here) == [80, 80])
            fits = {one.session_id: (78, 9) for one in made}
            await here.until(lambda: sized(server) == fits)


@pytest.mark.parametrize(("count", "height", "more"), [(3, 40, 22), (10, 24, 16)])
async def test_the_tile_in_front_has_room_for_a_question_until_the_turn_s_end(
    count: int, height: int, more: int
) -> None:
    made = [session(n, f"s{n}", agent="claude") for n in range(1, count + 1)]
    first, second = made[:2]
    with FakeOrchestrator(*made) as server:
        async with visit(server, (80, height)) as here:

            def rows() -> int:
                front = here.app.parts.main.pane_in_front()
                return front.size.height if front else 0

            await here.until(lambda: 0 < rows() < more)
            less = rows()
            server.change(second.session_id, phase=Condition.ATTENTION, waits=True)
            server.change(first.session_id, phase=Condition.ATTENTION, secret=True, waits=True)
            await here.sees("2 wait")
            assert rows() == less  # neither asks for more than a password, or has the keys
            await here.leader("2")
            await here.until(lambda: rows() == more)
            await here.until(lambda: sized(server).get(second.session_id) == (78, more))
            server.change(second.session_id, phase=Condition.THINKING, waits=False)
            await here.sees("thinking")
            assert rows() == more
            server.change(second.session_id, phase=Condition.IDLE)
            await here.sees("idle 0")
            assert rows() == more  # nobody has typed, so it may ask again in fewer rows
            server.change(second.session_id, last_input_at=time.time())
            await here.until(lambda: rows() in {less, less - 1})  # rows are not the same in all


async def test_who_asks_keeps_its_size_where_it_has_not_the_keys() -> None:
    one, two = session(1, "one"), session(2, "two")
    with FakeOrchestrator(one, two) as server:
        async with visit(server, (80, 40)) as here:
            await here.until(lambda: sized(server).get(two.session_id) == (78, 17))
            server.change(two.session_id, phase=Condition.ATTENTION, waits=True)
            await here.until(lambda: sized(server)[two.session_id] is None)
            await here.leader("2")
            await here.until(lambda: sized(server)[two.session_id] == (78, 22))
            await here.leader("1")
            await here.until(lambda: sized(server)[two.session_id] is None)
            server.change(two.session_id, phase=Condition.IDLE, waits=False)
            await here.until(lambda: sized(server)[two.session_id] == (78, 17))


async def test_sizes_stay_while_the_judge_s_pane_is_read_beside_the_tiles() -> None:
    one = session(1, "one")
    with FakeOrchestrator(one) as server:
        async with visit(server, (160, 40)) as here:
            await here.until(lambda: sized(server) == {one.session_id: (158, 36)})
            await here.leader("y")
            await here.until(lambda: widths(here)[0] < 160)
            await here.until(lambda: sized(server) == {one.session_id: None})
            await here.press("escape")
            await here.until(lambda: sized(server) == {one.session_id: (158, 36)})


async def test_the_frame_tells_a_size_that_is_not_the_tile_s_and_one_that_is_kept() -> None:
    one = session(1, "one", cols=198, rows=46)
    with FakeOrchestrator(one) as server:
        async with visit(server, (80, 24)) as here:
            await here.sees("╰─ 198×46 ─")
            await here.leader("=")
            await here.sees("one keeps its size of 198×46.")
            await here.until(lambda: server.told(KeepSize))
            assert server.told(KeepSize)[-1].keep
            server.change(one.session_id, size_kept=True)
            await here.sees("╰─ 198×46, kept ─")
            await here.leader("_")
            await here.until(lambda: len(server.told(KeepSize)) == 2)
            assert not server.told(KeepSize)[-1].keep


async def test_sixteen_tiles_scroll_and_hidden_ones_that_wait_are_counted() -> None:
    asks: dict[str, Any] = {"phase": Condition.ATTENTION, "waits": True}
    done: dict[str, Any] = {"phase": Condition.SUCCESS, "waits": True}
    how = {13: asks, 14: done, 15: asks}
    made = [session(n, f"s{n}", **how.get(n, {})) for n in range(1, 17)]
    with FakeOrchestrator(*made) as server:
        async with visit(server, (80, 24)) as here:
            await here.leader("S")
            await here.sees("↓ 2 wait  ✓ 1 done")
            assert min(tile.region.height for tile in tiles(here)) >= 5
            await here.leader("tab")
            await here.until(lambda: here.app.parts.state.current.number == 13)
            await here.sees("s13")
            await here.until(lambda: "↓ 2 wait" not in here.text())


@pytest.mark.parametrize(("width", "keys"), [(60, 2), (40, 1), (28, 0)])
async def test_keys_of_an_ended_session_are_shown_whole_or_not_at_all(
    width: int, keys: int
) -> None:
    ended = session(1, "one", state=State.EXITED, phase=Condition.ERROR, exit_code=3, waits=True)
    with FakeOrchestrator(ended, session(2, "two")) as server:
        async with visit(server, (width, 30)) as here:
            await here.sees("It failed (3).")
            (line,) = (one for one in here.text().splitlines() if "It failed (3)." in one)
            shown = ("Ctrl+] r again", "· X remove")
            assert [part in line for part in shown] == [keys > 0, keys > 1], line
            assert line.rstrip().endswith("│")


@pytest.mark.requirement("N-141")
async def test_an_ended_session_stays_with_a_calm_line_until_it_is_removed() -> None:
    with FakeOrchestrator(session(1, "one"), session(2, "two")) as server:
        async with visit(server) as here:
            await here.sees("two")
            ended = server.sessions[session(2, "two").session_id]
            server.change(ended.session_id, state=State.EXITED, phase=Condition.ERROR, exit_code=3)
            await here.sees("It failed (3).", "Ctrl+] r again", "▲ failed (3)")
            await here.leader("2", "X")
            await here.misses("It failed")
            assert [tile.session.name for tile in tiles(here)] == ["one"]
            server.push(SessionRemoved(session_id=session(1, "one").session_id))
            await here.sees("The room is warm. Come in.")


async def test_a_lost_worker_is_said_in_plain_words() -> None:
    with FakeOrchestrator(session(1, "one", state=State.LOST, phase=Condition.ERROR)) as server:
        async with visit(server) as here:
            await here.sees("The worker stopped, and this session with it.", "△ lost")
            assert here.app.parts.keyboard.target is None


async def test_the_order_is_the_orchestrators() -> None:
    one, two = session(1, "one"), session(2, "two")
    with FakeOrchestrator(one, two) as server:
        async with visit(server) as here:
            await here.until(lambda: len(tiles(here)) == 2)
            await here.leader("+")
            await here.until(lambda: server.told(Reorder))
            assert server.told(Reorder)[0].number == 2
            server.change(one.session_id, place=2)
            server.change(two.session_id, place=1)
            await here.until(lambda: [t.session.name for t in tiles(here)] == ["two", "one"])
            await here.leader("2")
            await here.until(lambda: here.app.parts.state.current.name == "two")
            await here.leader("+")
            await here.until(lambda: len(server.told(Reorder)) == 2)
            assert server.told(Reorder)[1].number == 2


@pytest.mark.requirement("N-43")
async def test_the_time_of_a_working_session_goes_on_by_itself() -> None:
    began = time.time()
    with FakeOrchestrator(
        session(1, "one", phase=Condition.RUNNING, phase_since=began - 600)
    ) as server:
        async with visit(server) as here:
            await here.sees("10:0")
            shown = next(line for line in here.lines() if "one" in line)
            await here.until(lambda: next(line for line in here.lines() if "one" in line) != shown)


async def test_the_times_go_on_row_after_row() -> None:
    working = (session(n, f"s{n}", phase=Condition.RUNNING) for n in range(1, 8))
    with FakeOrchestrator(*working) as server:
        async with visit(server) as here:
            await here.until(lambda: len(tiles(here)) == 7)
            drawn: list[int] = []
            for tile in tiles(here):
                tile.tick = lambda at=tile.session.number: drawn.append(at)  # type: ignore[method-assign,misc]
            for _ in range(3):
                here.app.query_one(RunView).tick()
            # The application's own second may go by meanwhile.
            await here.until(lambda: min(map(drawn.count, range(1, 8))) >= 3)


async def test_a_tile_that_is_drawn_but_not_shown_goes_on_with_its_time() -> None:
    """Textual draws every tile between two that change, and shows only these two."""

    with FakeOrchestrator(session(1, "one", phase=Condition.RUNNING)) as server:
        async with visit(server) as here:
            await here.until(lambda: len(tiles(here)) == 1)
            shown = tiles(here)[0]
            # The application's own second may go by meanwhile.
            tick, shown.tick = shown.tick, lambda: None  # type: ignore[method-assign]
            tick()
            assert not shown.late
            for _ in range(3):
                await here.until(lambda: shown.late)
                shown.render_lines(Region(0, 0, *shown.outer_size))
                assert shown.late
                tick()
                assert not shown.late


@pytest.mark.parametrize(
    ("phase", "color"),
    [(Condition.ATTENTION, "accent"), (Condition.ERROR, "error"), (Condition.SUCCESS, "success")],
)
async def test_a_frame_tells_who_needs_its_user_from_who_is_done(
    phase: Condition, color: str
) -> None:
    with FakeOrchestrator(session(1, "one"), session(2, "two")) as server:
        async with visit(server) as here:
            await here.until(lambda: len(tiles(here)) == 2)
            other = tiles(here)[1]
            assert other._edge() == "frame"
            server.change(other.session.session_id, phase=phase, waits=True)
            await here.until(lambda: other._edge() == color)
            edge = other.get_component_rich_style(f"frame--{color}").color
            await here.until(lambda: _corner(here, other) == edge)
            server.change(other.session.session_id, phase=phase, waits=False)
            await here.until(lambda: other._edge() == "frame")


async def test_tab_goes_to_who_needs_its_user_and_then_to_who_is_done() -> None:
    done = session(2, "done", phase=Condition.SUCCESS, waits=True, phase_since=1.0)
    failed = session(3, "failed", phase=Condition.ERROR, waits=True, phase_since=2.0)
    asks = session(4, "asks", phase=Condition.ATTENTION, waits=True, phase_since=3.0)
    with FakeOrchestrator(session(1, "one"), done, failed, asks) as server:
        async with visit(server) as here:
            await here.sees("◆ 2 wait for you  ✓ 1 done")
            went = []
            for _ in range(3):
                await here.leader("tab")
                went.append(here.app.parts.state.focused[-1])
            assert went == ["4", "3", "2"]


def _corner(here: Visit, tile: Tile) -> object:
    """Return the colour of a tile's lower left corner as it is drawn."""
    crop = Region(0, tile.outer_size.height - 1, tile.outer_size.width, 1)
    return next(iter(tile.render_lines(crop)[0])).style.color  # type: ignore[union-attr]
