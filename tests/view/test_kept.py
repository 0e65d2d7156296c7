"""What outlives a front end: it goes on where the last one in its place was left."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from nagomi_tui.system import files
from nagomi_tui.view.app.memory import Keeper, Kept, kept_of, restore
from nagomi_tui.view.screens.list_view import ListView
from nagomi_tui.view.screens.prompt import Prompt
from nagomi_tui.view.screens.state import AppState, ViewName
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SESSIONS = [session(n, f"s{n}") for n in range(1, 4)]
IDS = [one.session_id for one in SESSIONS]


async def test_list_or_tiles_and_what_is_unfolded_outlive_a_front_end(tmp_path: Path) -> None:
    with FakeOrchestrator(*SESSIONS) as server:
        first = Keeper(tmp_path, "pts/1")
        async with visit(server, (200, 40), keeper=first) as here:
            await here.leader("S")
            await here.until(lambda: here.app.query(ListView))
            here.app.parts.state.overview.unfolded = True
            here.app.parts.memory.keep()
        first.release()
        async with visit(server, (200, 40), keeper=Keeper(tmp_path, "pts/2")) as here:
            await here.until(lambda: here.app.query(ListView))
            assert here.app.parts.state.overview.unfolded


async def test_a_front_end_goes_on_where_one_that_died_was(tmp_path: Path) -> None:
    with FakeOrchestrator(*SESSIONS) as server:
        server.last_line[IDS[1]] = 500
        died = Keeper(tmp_path, "pts/1")
        async with visit(server, (200, 40), keeper=died) as here:
            await here.leader("v", "2")
            state, main = here.app.parts.state, here.app.parts.main
            state.open_lane(IDS[0])
            main.show()
            await here.until(lambda: here.app.query_one(Prompt).has_focus)
            await here.type("half a thought")
            state.remember(IDS[1], "make test")
            await here.until(
                lambda: (
                    (pane := main.pane_in_front())
                    and pane.session_id == IDS[1]
                    and pane.buffer.scroll.last_line > 500
                )
            )
            pane = main.pane_in_front()
            assert pane is not None
            pane.scroll_lines(-20)
            await here.sees("20 more lines")
            lanes = list(state.lanes)
            here.app.parts.memory.keep()
        died.release()
        async with visit(server, (200, 40), keeper=Keeper(tmp_path, "pts/2")) as here:
            state = here.app.parts.state
            assert (state.view, state.focused, state.lanes) == (ViewName.CHAT, IDS[1], lanes)
            await here.until(lambda: here.app.query_one(Prompt).text == "half a thought")
            assert state.history[IDS[1]] == ["make test"]
            await here.sees("20 more lines")


def test_two_front_ends_at_a_time_keep_to_themselves(tmp_path: Path) -> None:
    one, two = Keeper(tmp_path, "a"), Keeper(tmp_path, "b")
    assert (one.take(), two.take()) == (Kept(), Kept())
    one.keep(Kept(focused="1"))
    two.keep(Kept(focused="2"))
    one.release()
    two.release()
    assert Keeper(tmp_path, "a").take().focused == "1"


def test_a_slow_disk_holds_nobody_up_and_the_newest_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, wakes = files.write, threading.Event()
    written: list[bytes] = []

    def slowly(path: Path, data: bytes) -> None:
        wakes.wait(20)
        written.append(data)
        write(path, data)

    monkeypatch.setattr(files, "write", slowly)
    keeper = Keeper(tmp_path, "a")
    keeper.take()
    for name in ("1", "2", "3"):
        keeper.keep(Kept(focused=name))
    assert not written
    wakes.set()
    keeper.release()
    assert len(written) == 2
    assert Keeper(tmp_path, "a").take().focused == "3"


def test_what_is_broken_or_of_another_version_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text("{no")
    keeper = Keeper(tmp_path, "a")
    assert keeper.take() == Kept()
    keeper.keep(Kept(focused="1"))
    keeper.release()
    (tmp_path / "1.json").write_text('{"focused": "1", "unknown": 3}')
    assert Keeper(tmp_path, "a").take().focused == "1"


def test_no_secret_is_kept_and_what_has_gone_is_left_out() -> None:
    state = AppState()
    state.sessions = {IDS[0]: SESSIONS[0]}
    state.drafts = {IDS[0]: "export API_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345"}
    state.history = {
        IDS[0]: [
            "ls",
            "curl -H 'Authorization: Bearer sk-ant-api03-0123456789abcdefghijklmnopqrstuv'",
        ]
    }
    kept = kept_of(state, {})
    assert (kept.drafts, kept.history) == ({}, {IDS[0]: ("ls",)})
    other = AppState()
    other.sessions = {IDS[0]: SESSIONS[0]}
    restore(other, Kept(focused=IDS[2], lanes=(IDS[2],), view="chat", drafts={IDS[2]: "x"}))
    assert (other.focused, other.lanes, other.view) == ("", [], ViewName.RUN)
    assert other.drafts == {}
