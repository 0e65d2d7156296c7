"""A session that is scrolled back: it says so everywhere, and typing into it shows its end."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api.messages import SettingsChanged, Taken, Used, View
from nagomi_tui.sessions.session import Condition
from nagomi_tui.text.selection import At, Selection, Shape
from nagomi_tui.view.driver.route import types
from nagomi_tui.view.pane.viewport import Scroll, Viewport
from nagomi_tui.view.screens import prompt
from nagomi_tui.view.screens.framed import Framed
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session
from tests.helpers.outer import Outer

if TYPE_CHECKING:
    from nagomi_tui.view.pane.pane import TerminalPane

ROOT = Path(__file__).parents[2]
ONE, TWO = session(1, "one"), session(2, "two")
WHEEL_UP = 64
SHOWN = {
    "e": lambda shown: "2 two" in shown,
    "z": lambda shown: "C-] z back" in shown.replace("Ctrl+]", "C-]"),
    "b": lambda shown: "one" not in shown and "screen of 01" in shown,
}
"""What is seen after each of these keys behind the leader: tiles, one alone, and one without bars."""


def program(server: FakeOrchestrator) -> Outer:
    argv = [sys.executable, "-m", "tests.helpers.app_program", str(server.address)]
    env = {
        "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "LANG": "C.UTF-8",
        "TERM": "xterm-256color", "NAGOMI_HOME": os.environ["NAGOMI_HOME"],
        "PYTHONPATH": f"{ROOT}:{ROOT / 'worker'}",
    }  # fmt: skip
    return Outer(argv, env, cols=100, rows=24)


def line_of(server: FakeOrchestrator) -> int | None:
    """Return the line that the newest view of the first session begins with; None for its end."""
    views = [view for view in server.told(View) if view.session == ONE.session_id]
    return views[-1].line if views else None


def commanded(server: FakeOrchestrator, times: int) -> bool:
    """Tell whether keys behind the leader have arrived so often."""
    return len(server.told(Used)) >= times


def test_typing_shows_the_end_in_tile_and_zoom_and_a_setting_keeps_the_place() -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        server.last_line[ONE.session_id] = 500
        with program(server) as terminal:
            terminal.wait("screen of 01")
            for times, (key, is_shown) in enumerate(SHOWN.items(), 1):
                terminal.keys("C-]", key)
                # Tiles are shown from the start: only this tells that the key has arrived.
                server.wait(partial(commanded, server, times))
                terminal.wait(is_shown)
                terminal.mouse(5, 5, button=WHEEL_UP, release=False)
                server.wait(lambda: line_of(server) is not None)
                terminal.wait("↓ To the end 3 more lines")
                terminal.type("x")
                server.wait(lambda: line_of(server) is None)
                terminal.wait(lambda shown: "To the end" not in shown)
            before = server.told(View)[-1].view
            server.settings["typing_follows"] = False
            server.push(SettingsChanged(settings=server.settings))
            server.wait(lambda: any(shown.view > before for shown in server.told(Taken)))
            terminal.mouse(5, 5, button=WHEEL_UP, release=False)
            server.wait(lambda: line_of(server) is not None)
            terminal.type("y")
            terminal.wait("↓ To the end 3 more lines")
            assert line_of(server) is not None


async def scrolled_back(here: Visit) -> TerminalPane:
    """Scroll the pane in front back by 20 lines, once its history of 500 is known."""
    main = here.app.parts.main
    await here.until(lambda: (pane := main.pane_in_front()) and pane.buffer.scroll.last_line > 500)
    pane = main.pane_in_front()
    assert pane is not None
    pane.scroll_lines(-20)
    return pane


async def test_an_answer_from_the_prompt_shows_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt, "SETTLE_SECONDS", 0.0)

    asks = session(1, "one", phase=Condition.ATTENTION, waits=True)
    with FakeOrchestrator(asks, TWO) as server:
        server.last_line[asks.session_id] = 500
        question = {
            "question_id": "q", "text": "Proceed?", "choices": [{"key": "1", "label": "Yes"}],
        }  # fmt: skip
        server.asked[asks.session_id] = {
            "verdict": {"state": "attention", "confidence": 0.9, "summary": ""},
            "rule": "", "question": question, "draft": "",
        }  # fmt: skip
        async with visit(server) as here:
            await here.leader("v")
            await here.sees("one asks: 1 and Enter answers")
            await scrolled_back(here)
            await here.sees("20 more lines")
            await here.press("1", "enter")
            await here.misses("To the end")


@pytest.mark.parametrize("keys", [(), ("z",), ("v",), ("v", "i")], ids=str)
async def test_every_view_says_how_many_lines_are_below_and_how_many_are_new(
    keys: tuple[str, ...],
) -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        server.last_line[ONE.session_id] = 500
        async with visit(server) as here:
            await here.leader(*keys)
            await here.rests(server)
            pane = await scrolled_back(here)
            await here.sees("↓ To the end 20 more lines")
            server.last_line[ONE.session_id] = 507
            pane.scroll_lines(1)
            await here.sees("↓ To the end 26 more lines, 7 of them new")
            await here.leader("e")
            await here.misses("To the end")


@pytest.mark.parametrize("keys", [(), ("v",)], ids=str)
async def test_a_click_on_these_words_goes_to_the_end_and_does_nothing_else(
    keys: tuple[str, ...],
) -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        server.last_line[ONE.session_id] = server.last_line[TWO.session_id] = 500
        async with visit(server) as here:
            await here.leader(*keys)
            await here.rests(server)
            pane = here.app.parts.main.pane_in_front()
            assert pane is not None
            frame = pane.parent
            assert isinstance(frame, Framed)
            await here.until(lambda: pane.buffer.scroll.last_line > 500)
            pane.scroll_lines(-20)
            await here.sees("↓ To the end 20 more lines")
            width, height = frame.outer_size
            await here.pilot.click(frame, offset=(2, height - 1))
            assert not pane.following
            await here.pilot.click(frame, offset=(width - 5, height - 1))
            await here.misses("To the end")


async def test_who_looks_back_goes_along_with_a_history_that_drops_the_line() -> None:
    """In a flood of three million lines the cursor stood in line -1108539 of 20030."""

    with FakeOrchestrator(ONE, TWO) as server:
        server.last_line[ONE.session_id] = 500
        async with visit(server) as here:
            await here.rests(server)
            await here.leader("[")
            await here.sees("Looking back  501/5")
            await here.press("v", "up", "up")
            await here.sees("Selecting  499/5")
            server.first_line[ONE.session_id] = 900
            server.last_line[ONE.session_id] = 1400
            pane = here.app.parts.main.pane_in_front()
            assert pane is not None
            pane.scroll_lines(-1)
            await here.sees("Selecting  1/5")
            selection = pane.buffer.marks and pane.buffer.marks.selection
            assert selection == Selection(At(900, 0), At(900, 0), Shape.TEXT)


def test_new_lines_are_counted_from_when_the_tail_was_left() -> None:
    viewport = Viewport()
    viewport.scroll_to(50, Scroll(line=80, last_line=99), 20)
    assert viewport.left_tail_at == 99
    viewport.scroll_to(40, Scroll(line=50, last_line=120), 20)
    assert viewport.left_tail_at == 99
    viewport.renumber(60)
    assert viewport.left_tail_at == 119
    viewport.follow()
    viewport.scroll_to(90, Scroll(line=110, last_line=129), 20)
    assert viewport.left_tail_at == 129


def test_where_nothing_is_above_the_wheel_leaves_no_tail() -> None:
    """A shell at its first prompt, in a tile of 4 rows: all text is shown, blank rows follow it."""
    viewport, shell = Viewport(), Scroll(line=0, last_line=29)
    assert not viewport.scroll_to(-3, shell, 4)
    assert viewport.at_tail
    assert viewport.scroll_to(3, shell, 4)  # but down into the blank rows it goes
    assert viewport.scroll_to(0, shell._replace(line=3), 4)
    viewport.follow()
    viewport.hold()
    assert viewport.scroll_to(-3, shell, 4)
    assert viewport.line == 0


def test_releases_and_modifiers_type_nothing() -> None:
    assert types("a", "press")
    assert types("a", "repeat")
    assert not types("a", "release")
    assert not types("left_shift", "press")
