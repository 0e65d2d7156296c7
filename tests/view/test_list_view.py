"""みんなの様子 line by line: who needs the user first, the focused session below, marks, ended ones."""

from __future__ import annotations

import re
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from msgspec.structs import replace
from textual.geometry import Region
from textual.widgets import OptionList
from textual.widgets._toast import Toast

from nagomi_tui.api.messages import Called, Capture, Remove, Restart, Stop, View
from nagomi_tui.sessions.session import Condition, LastTurn, State, has_ended
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.cells import cells
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.screens import run_view, session_list
from nagomi_tui.view.screens.judge_pane import JudgePane
from nagomi_tui.view.screens.list_view import ListView
from nagomi_tui.view.screens.run_view import RunView, Tile
from nagomi_tui.view.screens.session_list import SessionList, columns, line
from nagomi_tui.view.screens.state import Overview
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, row, session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style

    from nagomi_tui.sessions.session import Session
    from nagomi_tui.view.screens.session_list import Columns

SMALL = (80, 24)
ASKS: dict[str, Any] = {
    "verdict": {"state": "attention", "confidence": 0.95, "summary": "Stage this hunk?"},
    "rule": "process-asks",
    "meaning": ["A process reads."],
    "evidence_detail": [],
    "question": {
        "question_id": "q",
        "text": "Stage this hunk?",
        "choices": [{"key": key, "label": key} for key in "ynqad"],
        "rule": "generic:choices",
    },
    "draft": "",
}


def many() -> list[object]:
    asks = {"phase": Condition.ATTENTION, "waits": True, "phase_since": time.time() - 125}
    return [
        session(1, "shell"),
        session(2, "build", phase=Condition.RUNNING),
        session(3, "old", state=State.EXITED, exit_code=0),
        session(4, "deploy", summary="Proceed? [y/N]", **asks),
        session(5, "older", state=State.EXITED, exit_code=1, phase=Condition.ERROR),
    ]


def names(here: Visit) -> list[str]:
    """The names in the list, from its first line on."""
    found = (re.match(r"[▌ ][• ]\S +\d+ (\S+)", shown) for shown in here.lines()[1:])
    return [one[1] for one in found if one]


async def test_many_sessions_on_a_small_screen_are_listed_by_need() -> None:
    with FakeOrchestrator(*many()) as server:
        server.screens[session(2, "b").session_id] = [
            row("gcc -c a.c"),
            row("[2/9] b.c"),
            row(""),
        ]
        async with visit(server, SMALL) as here:
            await here.sees("Proceed? [y/N]", "02:0", "/srv/work", "[2/9] b.c")
            await here.sees("2 ended", "✓ old, ▲ older")
            assert names(here) == ["deploy", "shell", "build", "ended"]
            # The focused one is below, and nobody else's rows are asked for.
            await here.sees("╭ 1 shell", "screen of 01")
            assert {view.session for view in server.told(View)} == {session(1, "s").session_id}


@pytest.mark.parametrize(("blank", "is_top"), [(8, True), (0, False)])
async def test_the_judges_pane_leaves_what_a_session_below_the_list_says_in_sight(
    blank: int, is_top: bool
) -> None:
    # As many as fill the list.
    others = [session(number, f"s{number}") for number in range(6, 12)]
    with FakeOrchestrator(*many(), *others) as server:
        server.asked[session(1, "s").session_id] = ASKS
        hunk = [row("-old line"), row("+new line")]
        server.screens[session(1, "s").session_id] = [row("")] * blank + hunk
        async with visit(server, SMALL) as here:
            await here.sees("+new line")
            await here.leader("y")
            await here.sees("Stage this hunk?", "-old line", "+new line")
            pane = here.app.screen.query_one(JudgePane)
            assert (pane.region.y == 1) is is_top


async def test_two_clicks_below_the_list_take_the_word() -> None:
    with FakeOrchestrator(*many()) as server:
        server.screens[session(1, "s").session_id] = [row("make src/main.c now")]
        async with visit(server, SMALL) as here:
            await here.sees("make src/main.c now")
            pane = here.app.screen.query_one(TerminalPane)
            copied: list[str] = []
            here.app.parts.outside.copy = copied.append  # type: ignore[method-assign]
            await here.pilot.click(pane, offset=(7, 0), times=2)
            await here.until(lambda: copied)
            assert copied == ["src/main.c"]


async def test_an_agent_that_was_asked_nothing_yet_tells_nothing_of_its_banner_and_footer() -> None:
    new, scripted, asked = (
        session(number, f"c{number}", judge_profile="claude") for number in (6, 7, 8)
    )
    asked = replace(asked, turn=1)
    # Of a script that has started one, that was the first turn.
    start = LastTurn(turn=1, state="unknown", summary="")
    scripted = replace(scripted, turn=1, last_turn=start)
    with FakeOrchestrator(*many(), new, scripted, asked) as server:
        for one in (new, scripted, asked):
            server.screens[one.session_id] = [row("Tool 2.1"), row(f"~/{one.name}")]
        async with visit(server, SMALL) as here:
            await here.sees("8 c8      ~/c8", "7 c7  ", "6 c6  ")
            assert "~/c6" not in here.text() and "~/c7" not in here.text()


@pytest.mark.requirement("N-112")
async def test_a_session_that_is_away_says_that_in_the_list() -> None:
    away = session(6, "far", worker_id="big", cwd="~", away_since=10.0, summary="At rest.")
    with FakeOrchestrator(*many(), away) as server:
        server.screens[away.session_id] = [row("the last picture")]
        async with visit(server, SMALL) as here:
            await here.sees("far     big cannot be reached; it runs on there.")


async def test_keys_go_up_and_down_the_list_and_to_the_session_below_it() -> None:
    with FakeOrchestrator(*many()) as server:
        async with visit(server, SMALL) as here:
            await here.sees("╭ 1 shell")
            for key, name in (
                ("j", "2 build"),
                ("k", "1 shell"),
                ("k", "4 deploy"),
                ("k", "4 deploy"),
            ):
                await here.leader(key)
                await here.sees(f"╭ {name}")
            assert here.app.parts.keyboard.target == session(4, "deploy").session_id
            await here.pilot.click("SessionList", offset=(10, 1))
            await here.sees("╭ 1 shell")


async def test_a_list_that_can_be_scrolled_takes_no_row_for_scrolling_sideways() -> None:
    with FakeOrchestrator(*(session(number, f"s{number}") for number in range(1, 21))) as server:
        async with visit(server, SMALL) as here:
            await here.sees("╭ 1 s1")
            listing = here.app.query_one(SessionList)
            await here.until(lambda: listing.size.height > 4)
            last = listing.size.height
            await here.until(lambda: listing.show_vertical_scrollbar)
            assert not listing.show_horizontal_scrollbar
            await here.leader(*"j" * (last - 1))
            await here.sees(f"╭ {last} s{last}", f"▌ · {last:2} s{last}")


async def test_the_focused_line_stays_in_sight_when_its_need_changes() -> None:
    asks = {"phase": Condition.ATTENTION, "waits": True, "summary": "Proceed? [y/N]"}
    with FakeOrchestrator(*(session(n, f"s{n}") for n in range(1, 21))) as server:
        async with visit(server, SMALL) as here:
            await here.sees("╭ 1 s1")
            await here.leader("1", "8")
            await here.sees("▌ · 18 s18", "╭ 18 s18")
            server.change(session(18, "s18").session_id, **asks)
            await here.sees("▌ ◆ 18 s18")
            server.change(session(18, "s18").session_id, phase=Condition.IDLE, waits=False)
            await here.sees("▌ · 18 s18")
            here.app.query_one(SessionList).scroll_to(y=0, animate=False)
            await here.until(lambda: names(here)[:1] == ["s1"])
            server.change(session(18, "s18").session_id, phase=Condition.RUNNING)
            await here.sees("╭ 18 s18", "● working")
            assert names(here)[:1] == ["s1"]


async def test_who_waits_is_in_sight_from_the_start_where_the_focused_line_is_too() -> None:
    asks = {"phase": Condition.ATTENTION, "waits": True, "summary": "Proceed? [y/N]"}
    made = [session(n, f"s{n}", **(asks if n > 14 else {})) for n in range(1, 19)]
    with FakeOrchestrator(*made) as server:
        async with visit(server, SMALL) as here:
            await here.sees("▌ ·  1 s1", "╭ 1 s1")
            await here.until(lambda: names(here)[:5] == ["s15", "s16", "s17", "s18", "s1"])


async def test_who_waits_is_in_sight_from_the_start_where_the_focused_line_is_not() -> None:
    asks = {"phase": Condition.ATTENTION, "waits": True, "summary": "Proceed? [y/N]"}
    over = {"state": State.EXITED, "exit_code": 0}
    made = [session(n, f"s{n}", **(asks if n > 16 else {})) for n in range(2, 19)]
    with FakeOrchestrator(session(1, "s1", **over), *made) as server:
        async with visit(server, SMALL) as here:
            await here.sees("╭ 1 s1")
            await here.until(lambda: names(here)[:2] == ["s17", "s18"])
            await here.leader("1", "6")
            await here.sees("▌ · 16 s16", "╭ 16 s16")


async def test_a_notice_lies_over_no_line_of_who_calls() -> None:
    with FakeOrchestrator(*many()) as server:
        async with visit(server, SMALL) as here:
            await here.sees("Proceed? [y/N]")
            server.push(
                Called(
                    sessions=(session(4, "d").session_id,), kind="attention", title="deploy",
                    body="Proceed? [y/N]", notice=True, inside=True, hushed=False,
                )
            )  # fmt: skip
            await here.until(lambda: bool(here.app.screen.query(Toast)))
            (toast,) = here.app.screen.query(Toast)
            assert not toast.region.overlaps(here.app.query_one(SessionList).region)


async def test_a_key_goes_round_list_tiles_and_what_the_room_allows() -> None:
    with FakeOrchestrator(*many()) as server:
        async with visit(server, (160, 45)) as here:
            await here.until(lambda: here.app.query(RunView))
            await here.leader("S")
            await here.until(lambda: here.app.query(ListView))
            await here.sees("4 deploy", "The overview is a list, on a screen of this size.")
            await here.leader("S")
            await here.until(lambda: here.app.query(RunView))
            await here.sees("The overview is tiles, on a screen of this size.")
            await here.leader("S")
            await here.sees("The overview is a list or tiles, as the room allows.")
            assert here.app.query(RunView) and here.app.parts.state.overview.wish is None


def test_what_was_chosen_holds_for_screens_of_that_size() -> None:
    overview, settings = Overview(), Settings()
    assert not overview.fits(8, 160, 40, settings)
    overview.switch()
    assert overview.fits(8, 160, 40, settings) and overview.fits(8, 80, 22, settings)
    overview.switch()
    assert not overview.fits(8, 80, 22, settings)
    assert overview.wishes == {"160x40": True, "80x22": False}
    assert overview.fits(8, 160, 40, settings) and not overview.fits(8, 200, 50, settings)


async def test_a_wide_screen_has_the_list_beside_the_session() -> None:
    with FakeOrchestrator(*many()) as server:
        async with visit(server, (200, 45)) as here:
            await here.leader("S")
            await here.until(lambda: here.app.query(ListView))
            (view,) = here.app.query(ListView)
            listed, tile = view.query_one(SessionList), view.query_one(Tile)
            await here.until(lambda: tile.region.x > 0)
            assert (listed.region.y, listed.region.height) == (
                tile.region.y,
                tile.region.height,
            )
            assert (listed.region.width, tile.region.width) == (72, 128)


async def test_marked_sessions_are_stopped_restarted_and_removed_together() -> None:
    with FakeOrchestrator(*many()) as server:
        async with visit(server, SMALL) as here:
            await here.sees("╭ 1 shell")
            await here.leader("*", "*")
            await here.sees(" •· 1 shell", "•● 2 build")
            await here.leader("x")
            await here.sees("Stop these sessions?", "shell, build")
            await here.press("y")
            await here.until(lambda: len(server.told(Stop)) == 2)
            overview = here.app.parts.state.overview
            assert not overview.marked(here.app.parts.state.ordered)


async def test_nothing_is_asked_where_nothing_can_be_done_to_the_marked_sessions() -> None:
    masked = session(6, "secret", cmd="x --token=***REDACTED***", cmd_masked=True)
    with FakeOrchestrator(*many(), masked) as server:
        async with visit(server, SMALL) as here:
            overview = here.app.parts.state.overview
            await here.sees("╭ 1 shell")
            await here.leader("*")
            await here.leader("X")
            await here.sees("The marked sessions still run; stop them first.")
            overview.unmark_all()
            ordered = here.app.parts.state.ordered
            for one in filter(has_ended, ordered):
                overview.mark(one.session_id)
            assert len(overview.marked(ordered)) == 2
            await here.leader("x")
            await here.sees("The marked sessions have ended already.")
            await here.misses("Stop these sessions?")
            overview.unmark_all()
            overview.mark(masked.session_id)
            await here.leader("r")
            await here.sees("The commands of the marked sessions hold secrets")
            await here.misses("Start these sessions again?")


async def test_all_that_have_ended_are_shown_restarted_or_removed() -> None:
    with FakeOrchestrator(*many()) as server:
        async with visit(server, SMALL) as here:
            await here.sees("▸ 2 ended")
            await here.leader("E")
            await here.sees("It failed (1).", "Start all of them again")
            await here.press("o")
            await here.misses("▸ 2 ended")
            await here.leader("E")
            await here.press("r")
            await here.until(lambda: len(server.told(Restart)) == 2)
            await here.leader("E")
            await here.press("x")
            await here.sees("Remove them?")
            await here.press("y")
            await here.until(lambda: len(server.told(Remove)) == 2)


async def test_what_has_ended_unseen_is_not_among_all_that_have_ended() -> None:
    failed = session(
        6, "failed", state=State.EXITED, exit_code=2, phase=Condition.ERROR, waits=True
    )
    with FakeOrchestrator(*many(), failed) as server:
        async with visit(server, SMALL) as here:
            await here.sees("▸ 2 ended", "6 failed")
            await here.leader("E")
            await here.sees("2 ended", "Start all of them again")
            await here.press("r")
            await here.until(lambda: len(server.told(Restart)) == 2)
            assert failed.session_id not in {told.session for told in server.told(Restart)}


async def test_an_ended_session_is_read_once() -> None:
    ended = [session(n, f"s{n}", state=State.EXITED, exit_code=0, waits=True) for n in range(1, 6)]
    with FakeOrchestrator(*ended) as server:
        async with visit(server, SMALL) as here:
            await here.until(lambda: len(server.told(Capture)) == 5)
            for _ in range(3):
                here.app.query_one(ListView).tick()
            assert len(server.told(Capture)) == 5


def test_what_an_agent_said_stays_where_only_its_size_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A screen that was small shows nothing but the field, and what is left of one drawn before."""
    monkeypatch.setattr(run_view, "AGAIN_SECONDS", 0.0)
    texts: list[str] = []
    link = SimpleNamespace(request=lambda _request, then: then(SimpleNamespace(text=texts[-1])))
    gists = run_view.Gists(cast("Any", link), lambda: None)
    said = []
    for text, rows, turn in (
        ("It is mended.", 24, 1), ("workspace  branch", 9, 1), ("> Type your mess", 24, 1),
        ("It is done.", 9, 2), ("Yes.", 9, 2),
    ):  # fmt: skip
        texts.append(text)
        one = session(1, "a", agent="gemini", phase=Condition.SUCCESS, turn=turn, rows=rows)
        gists.read([one])
        said.append(gists.of(one.session_id)[-1])
    assert said == ["It is mended."] * 3 + ["It is done.", "Yes."]


def test_a_line_has_exactly_its_width_in_any_language() -> None:
    made = [session(1, "翻訳メモ", summary="続けますか? [y/n] " * 9, phase=Condition.ATTENTION)]
    for width in (20, 43, 44, 63, 64, 80, 110, 200):
        parts = line(
            made[0], "", time.time(), width, columns(made, width), focused=True, marked=False
        )
        assert sum(cells(part.text) for part in parts) == width, width


def test_a_long_question_and_a_long_time_have_a_blank_between_them() -> None:
    for hours, told in ((1, "1 h"), (100, "4 d")):
        since = time.time() - 3600 * hours - 5
        made = [
            session(1, "s", summary="Go on? " * 30, phase=Condition.ATTENTION, phase_since=since)
        ]
        parts = line(made[0], "", time.time(), 80, columns(made, 80), focused=False, marked=False)
        assert f" {told}" in "".join(part.text for part in parts)


@pytest.mark.parametrize(
    ("width", "names", "shown"),
    [
        (80, ["deploy-production-claude-1", "deploy-production-claude-2"], True),
        (80, ["nagomi-frontend-refactoring-claude-1", "nagomi-frontend-refactoring-claude-2"], False),
        (64, ["deploy-product-claude-1", "deploy-product-claude-2"], True),
        (110, ["nagomi-frontend-refactoring-claude-1", "nagomi-frontend-refactoring-claude-2"], True),
    ],
)  # fmt: skip
def test_a_name_takes_the_room_of_its_folder_before_it_is_cut(
    width: int, names: list[str], shown: bool
) -> None:
    asks = {"summary": "Go on? " * 30, "phase": Condition.ATTENTION, "cwd": "/srv/some/long/folder"}
    made = [session(number, name, **asks) for number, name in enumerate(names, start=1)]
    room = columns(made, width)
    told = []
    for one in made:
        parts = line(one, "", time.time(), width, room, focused=False, marked=False)
        (asked,) = [part.text for part in parts if "Go on?" in part.text]
        assert sum(cells(part.text) for part in parts) == width
        assert cells(asked.strip()) >= 22
        told.append("".join(part.text for part in parts))
        assert (one.name in told[-1]) is shown
        assert f"claude-{one.number}  Go on?" in told[-1]


def test_short_names_leave_their_folders_room() -> None:
    made = [session(1, "api", cwd="/srv/some/long/folder")]
    assert columns(made, 80).folder == 14
    assert columns(made, 120).folder == len("/srv/some/long/folder")


async def test_a_thousand_sessions_are_listed_looked_at_once_a_change_and_found_by_typing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[int] = []

    def counted(sessions: Sequence[Session], width: int) -> Columns:
        looks.append(len(sessions))
        return columns(sessions, width)

    monkeypatch.setattr(session_list, "columns", counted)

    crowd = [session(number, f"work{number}") for number in range(1, 1001)]
    with FakeOrchestrator(*crowd) as server:
        async with visit(server, (160, 45)) as here:
            await here.sees("╭ 1 work1 ", "1000 sessions")
            assert here.app.query(ListView)
            shown = here.app.query_one(session_list.SessionList)
            looks.clear()
            shown.render_lines(Region(0, 0, 160, 20))
            assert len(looks) <= 1
            await here.leader(":")
            options = here.app.screen.query_one(OptionList)
            await here.until(lambda: 0 < options.option_count < 300)
            await here.press(*"work987", "enter")
            await here.sees("╭ 987 work987")


@pytest.mark.parametrize("few", [False, True])
async def test_the_focused_line_is_seen_with_few_colours_too(few: bool) -> None:
    with FakeOrchestrator(*many()) as server:
        async with visit(server, SMALL) as here:
            await here.sees("Proceed? [y/N]")
            here.app.theme = "nagomi-dark-16" if few else "nagomi-dark"
            await here.sees("▌ · 1 shell")
            shown = here.app.screen.query_one(SessionList)
            await here.until(lambda: bool(drawn(shown, 1)[0].reverse) is few)
            first, other = drawn(shown, 1), drawn(shown, 0)
            assert len({(one.bgcolor, one.reverse) for one in first}) == 1
            assert (first[0].bgcolor, first[0].reverse) != (other[0].bgcolor, other[0].reverse)
            # One colour for all of a reversed line, else it would be in pieces.
            assert (len({one.color for one in first}) == 1) is few


def drawn(shown: SessionList, y: int) -> list[Style]:
    """The styles of a line of the list."""
    return [piece.style for piece in shown.render_line(y) if piece.style]
