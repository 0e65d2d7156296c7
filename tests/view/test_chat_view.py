"""おはなし: lanes, the prompt and its keys, the way to the end, and the character."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.widgets import Static

from nagomi_tui.api.messages import AskJudge, Composing, Send, View
from nagomi_tui.sessions.session import PHASES, Condition, State
from nagomi_tui.text.cells import cells
from nagomi_tui.view.character.sprite import Sprite
from nagomi_tui.view.screens import state
from nagomi_tui.view.screens.chat_view import Lane, lanes_shown
from nagomi_tui.view.screens.prompt import Prompt
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

ONE, TWO = session(1, "one"), session(2, "two")


async def chat(here: Visit) -> Prompt:
    await here.leader("v")
    await here.until(lambda: here.app.query(Prompt) and here.app.query_one(Prompt).has_focus)
    return here.app.query_one(Prompt)


@pytest.mark.requirement("N-32")
async def test_enter_sends_and_empties_the_prompt() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            assert here.app.parts.keyboard.target is None
            await here.type("hello there")
            await here.press("enter")
            await here.until(lambda: server.told(Send))
            sent = server.told(Send)[0]
            assert (sent.session, sent.text, sent.enter) == (
                ONE.session_id,
                "hello there",
                True,
            )
            assert prompt.text == ""


@pytest.mark.parametrize("key", ["shift+enter", "ctrl+j", "alt+enter"])
@pytest.mark.requirement("NB-17")
async def test_three_keys_begin_a_new_line(key: str) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.press("a", key, "b")
            assert prompt.text == "a\nb"
            await here.press("enter")
            await here.until(lambda: server.told(Send))
            assert server.told(Send)[0].text == "a\nb"


def asked(server: FakeOrchestrator) -> list[tuple[int, int]]:
    """Return the sizes that programs were asked to take, the last one last."""
    return [(view.cols, view.rows) for view in server.told(View) if view.own_size]


async def test_a_prompt_that_grows_resizes_no_program() -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            lane, rows = here.app.query(Lane).first(), here.app.size.height
            size = lane.pane.size
            await here.until(lambda: asked(server)[-1:] == [size])
            before = len(asked(server))
            assert (prompt.outer_size.height, prompt.region.bottom) == (
                2,
                lane.region.bottom + 3,
            )
            for _ in range(rows):
                await here.press("ctrl+j")
            await here.until(lambda: prompt.outer_size.height > rows // 4)
            assert prompt.region.y < lane.region.bottom < prompt.region.bottom
            assert {lane.pane.size, *asked(server)[before:]} == {size}


@pytest.mark.parametrize(("size", "rows"), [((80, 24), 17), ((160, 45), 38)])
@pytest.mark.parametrize("count", [1, 2, 6])
async def test_the_chat_leaves_the_program_most_of_the_rows(
    size: tuple[int, int], rows: int, count: int
) -> None:
    with FakeOrchestrator(*(session(n, f"s{n}") for n in range(1, count + 1))) as server:
        async with visit(server, size) as here:
            await chat(here)
            lane = here.app.query(Lane).first()
            await here.until(lambda: lane.pane.size.height >= rows)
            await here.until(lambda: asked(server)[-1:] == [lane.pane.size])


async def test_enter_begins_a_line_and_alt_enter_sends_where_that_is_set() -> None:
    with FakeOrchestrator(ONE, enter_sends=False) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.press("a", "enter", "b")
            assert prompt.text == "a\nb"
            await here.press("alt+enter")
            await here.until(lambda: server.told(Send))
            assert prompt.text == ""


async def test_history_is_reached_from_the_edges_and_kept_by_session() -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            kept = here.app.parts.state.history
            for text in ("first", "second"):
                await here.type(text)
                await here.press("enter")
                await here.until(lambda: kept[ONE.session_id][-1:] == [text])  # noqa: B023
            await here.type("draft")
            seen = []
            for key in ("up", "up", "up", "down", "down"):
                await here.press(key)
                seen.append(prompt.text)
            assert seen == ["second", "first", "first", "second", "draft"]
            await here.leader("n")
            await here.until(lambda: prompt.text == "")
            await here.press("up")
            assert prompt.text == ""
            await here.leader("n")
            await here.until(lambda: prompt.text == "draft")


@pytest.mark.requirement("N-6", "F-5")
async def test_a_draft_outlives_another_view_and_a_refused_text_comes_back() -> None:
    with FakeOrchestrator(ONE) as server:
        server.refusals[Send] = "It cannot be reached."
        async with visit(server) as here:
            await chat(here)
            await here.type("half")
            await here.leader("v")
            await here.until(lambda: not here.app.query(Prompt))
            prompt = await chat(here)
            await here.until(lambda: prompt.text == "half")
            await here.press("enter")
            await here.sees("It cannot be reached.")
            await here.until(lambda: prompt.text == "half")


async def test_one_key_switches_between_prompt_and_program_and_it_is_shown() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await chat(here)
            await here.sees("keys → prompt for one")
            await here.leader("i")
            await here.sees("keys → program one")
            await here.until(lambda: here.app.parts.keyboard.target == ONE.session_id)
            await here.leader("i")
            await here.until(lambda: here.app.parts.keyboard.target is None)


@pytest.mark.requirement("N-33", "N-34", "N-35")
async def test_scrolling_up_stops_following_and_a_button_goes_to_the_end() -> None:
    with FakeOrchestrator(ONE, language="ja") as server:
        server.last_line[ONE.session_id] = 500
        async with visit(server) as here:
            await chat(here)
            pane = here.app.query_one(Lane).pane
            await here.until(lambda: pane.buffer.scroll.last_line > 500)
            assert pane.following
            pane.scroll_lines(-20)
            await here.until(lambda: not pane.following)
            await here.sees("末尾へ")
            await here.pilot.click("#tail")
            await here.until(lambda: pane.following)
            await here.until(lambda: not here.app.query_one("#tail").has_class("-open"))


async def test_the_lane_that_is_added_shows_the_next_session() -> None:
    three = session(3, "three")
    with FakeOrchestrator(ONE, TWO, three) as server:
        async with visit(server) as here:
            await chat(here)
            state = here.app.parts.state
            await here.leader("2")
            await here.until(lambda: state.focused == TWO.session_id)
            for keys, lanes in ((["enter"], [TWO, three]), ([], [TWO, ONE, three])):
                await here.leader("a")
                await here.press(*keys)
                ids = [lane.session_id for lane in lanes]
                await here.until(lambda ids=ids: state.lanes == ids)
            assert state.focused == TWO.session_id


async def test_what_is_written_for_an_ended_session_is_seen_and_waits() -> None:
    ended = session(1, "one", state=State.EXITED, exit_code=0)
    with FakeOrchestrator(ended) as server:
        server.refusals[Send] = "one has ended; nothing can be typed into it."
        async with visit(server) as here:
            await chat(here)
            await here.sees("what you write waits")
            await here.type("again")
            await here.sees("again")
            await here.press("enter")
            await here.sees("nothing can be typed into it", "again")
            assert here.app.parts.state.drafts[ended.session_id] == "again"


@pytest.mark.requirement("N-30", "N-120")
async def test_lanes_come_and_go_by_keys_and_take_their_own_size() -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        async with visit(server) as here:
            await chat(here)
            await here.leader("a")
            await here.until(lambda: len(here.app.query(Lane)) == 2)
            await here.until(
                lambda: [v for v in server.told(View) if v.session == TWO.session_id and v.own_size]
            )
            assert here.app.parts.state.focused == ONE.session_id
            await here.leader("w")
            await here.until(lambda: len(here.app.query(Lane)) == 1)
            await here.leader("w")
            await here.sees("The last lane stays.")


@pytest.mark.parametrize(
    ("width", "shown"),
    [(200, ["a", "b", "c"]), (90, ["b", "c"]), (60, ["c"]), (10, ["c"])],
)
def test_lanes_that_do_not_fit_wait_behind_the_focused_one(width: int, shown: list[str]) -> None:
    state = SimpleNamespace(lanes=["a", "b", "c"], focused="c", has_own_input=False)
    assert lanes_shown(cast("Any", state), width) == shown


async def test_on_a_narrow_screen_a_lane_without_room_is_told_of_and_nothing_is_cut() -> None:
    agent = session(1, "an-agent", agent="claude")
    with FakeOrchestrator(agent, TWO) as server:
        async with visit(server, (60, 20)) as here:
            await chat(here)
            await here.sees("Write to an-agent …")
            await here.leader("a")
            await here.sees("for which a wider screen has room.")
            await here.leader("z")
            await here.sees("Ctrl+] z back")


@pytest.mark.requirement("N-129", "N-131")
async def test_the_character_is_at_the_bottom_right_and_follows_the_phase() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await chat(here)
            sprite = here.app.query_one(Sprite)
            await here.until(lambda: sprite.region.height > 0)
            assert sprite.region.right > 110 and sprite.region.bottom == 29
            for phase in PHASES:
                if phase not in ("success", "error", "attention"):
                    server.change(ONE.session_id, phase=phase)
                    await here.until(lambda phase=phase: sprite.phase == phase)
            server.change(ONE.session_id, phase=Condition.ERROR)
            await here.until(lambda: sprite.phase == Condition.ERROR)


async def test_below_80_columns_the_character_is_one_line() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (60, 20)) as here:
            await chat(here)
            await here.sees("(˘ω˘)")
            assert not here.app.query_one(Sprite).display


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.requirement("N-81")
async def test_the_prompt_asks_the_llm_judge_and_never_types_the_word(on: bool) -> None:
    with FakeOrchestrator(ONE, llm_judge=on, llm_consent=True) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            prompt.text = "判定して"
            await here.press("enter")
            await here.until(lambda: server.told(AskJudge))
            assert not server.told(Send)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_notice_does_not_lie_over_the_prompt(size: tuple[int, int]) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, size) as here:
            prompt = await chat(here)
            here.app.notify("Something of several words has happened elsewhere.")
            await here.sees("of several words")
            (toast,) = here.app.screen.query("Toast")
            assert not toast.region.overlaps(prompt.region)
            assert toast.region.bottom < size[1] // 2


@pytest.mark.parametrize("width", [52, 64, 80])
async def test_the_bar_cuts_a_name_only_where_there_is_no_room_for_it(width: int) -> None:
    long = session(1, "n" * 90)
    asks = session(2, "asks", phase=Condition.ATTENTION, waits=True)
    with FakeOrchestrator(long, asks) as server:
        async with visit(server, (width, 24)) as here:
            await chat(here)
            await here.sees("keys → prompt for nnn")
            left = here.app.screen.query_one("BottomBar > Left", Static)
            await here.until(lambda: cells(str(left.content)) == left.size.width)
            assert str(left.content).count("…") == 1


@pytest.mark.requirement("N-45")
async def test_writing_in_the_prompt_is_told_and_a_draft_that_comes_back_is_not() -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.type("wait")
            await here.until(lambda: server.told(Composing))
            assert {told.session for told in server.told(Composing)} == {ONE.session_id}
            told = len(server.told(Composing))
            here.app.parts.go_to(TWO.session_id)
            await here.until(lambda: prompt.text == "")
            here.app.parts.go_to(ONE.session_id)
            await here.until(lambda: prompt.text == "wait")
            assert len(server.told(Composing)) == told


@pytest.mark.parametrize("phase", [Condition.IDLE, Condition.LISTENING, Condition.RUNNING])
@pytest.mark.requirement("N-69")
async def test_what_was_sent_is_thought_over_for_a_moment(
    phase: Condition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "THINKING_SECONDS", 60.0)
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await chat(here)
            await here.type("hello")
            await here.press("enter")
            await here.until(lambda: server.told(Send))
            server.change(ONE.session_id, phase=phase)
            await here.sees("◐ thinking")
            server.change(ONE.session_id, phase=Condition.ATTENTION)
            await here.misses("thinking")
            server.change(ONE.session_id, phase=phase)
            await here.sees("◐ thinking")
            monkeypatch.setattr(state, "THINKING_SECONDS", 0.0)
            await here.misses("thinking")


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_what_the_prompt_says_is_whole_in_a_narrow_terminal(language: str) -> None:
    name = "tests-of-all-that-the-heater-does-and-the-timer"
    told = {
        "en": ("… has ended; what you write waits for a restart.", "Tab, lanes ─"),
        "ja": ("… は終わりました。書いたものは再開を待ちます。", "Tab 補完・レーン ─"),
    }[language]
    gone = session(1, name, state=State.EXITED, phase=Condition.ERROR, ended_at=1.0)
    with FakeOrchestrator(gone, TWO, language=language) as server:
        async with visit(server, (60, 40)) as here:
            await chat(here)
            await here.sees(*told)


@pytest.mark.parametrize("size", [(80, 24), (120, 35), (200, 50)])
async def test_the_chat_says_what_it_gives_and_whose_the_field_above_is(
    size: tuple[int, int],
) -> None:
    agent = session(1, "web", cmd="claude", agent="claude")
    with FakeOrchestrator(agent, TWO) as server:
        async with visit(server, size) as here:
            await chat(here)
            await here.sees("More than zoom: drafts, ↑ history, Tab, lanes (Ctrl+] a), a face")
            await here.sees("Write to web here; the field above is Claude Code's own (Ctrl+] i) …")
            await here.press("x")
            await here.misses("More than zoom")
            await here.press("backspace")
            await here.sees("More than zoom")
            here.app.parts.go_to(TWO.session_id)
            await here.sees("Write to two …")
