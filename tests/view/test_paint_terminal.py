"""The stream to the terminal, replayed into an engine, shows what it should, painted directly or not."""

from __future__ import annotations

import itertools
import random
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.text.rows import BOLD, INVERSE, ITALIC, RGB, Cursor, Row, Run, Style
from tests.helpers.pane_app import SESSIONS
from tests.helpers.pane_terminal import PaneTerminal
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).parents[2]
STYLES = (
    Style(),
    Style(fg=1),
    Style(fg=9, bg=4),
    Style(fg=123, flags=BOLD),
    Style(fg=RGB | 0x102030, bg=RGB | 0xF0E0D0, flags=ITALIC),
    Style(underline=3, underline_color=RGB | 0xFF0000),
    Style(underline=1, flags=INVERSE),
)


def noise(rng: random.Random) -> Row:
    """Return a row of runs of all kinds."""
    runs = []
    for _ in range(rng.randint(0, 6)):
        style = rng.choice(STYLES)
        kind = rng.randrange(4)
        if kind == 0:
            runs.append(Run("日本語つくり"[: rng.randint(1, 6)], style, 2))
        elif kind == 1:
            runs.append(Run("e\u0301", style, -1))
        elif kind == 2:
            runs.append(Run("👨‍👩‍👧", style, -2))
        else:
            runs.append(Run("".join(rng.choices("abcdef xyz─│", k=rng.randint(1, 14))), style))
    return Row(tuple(runs))


@pytest.fixture(params=["direct", "textual"])
def terminal(request: pytest.FixtureRequest) -> Iterator[PaneTerminal]:
    with PaneTerminal(REPOSITORY, painter=request.param) as terminal:
        yield terminal


def change(terminal: PaneTerminal, rng: random.Random, times: int) -> None:
    for _ in range(times):
        session = rng.choice(SESSIONS)
        terminal.show(session, [(rng.randrange(15), noise(rng)) for _ in range(3)])


def test_overlays_resizes_and_themes_leave_every_cell_right(terminal: PaneTerminal) -> None:
    rng = random.Random(7)
    change(terminal, rng, 40)
    terminal.settled("at first")
    story = [
        "toast toasted", "untoast", "dialog", "pop", "theme textual-light", "big", "bar other",
        "dialog", "theme nord", "pop", "big",
    ]  # fmt: skip
    for step in story:
        busy = threading.Thread(target=change, args=(terminal, rng, 60))
        busy.start()
        terminal.do(step)
        busy.join()
        terminal.settled(step)
    for cols, rows in ((80, 24), (120, 40), (100, 31)):
        busy = threading.Thread(target=change, args=(terminal, rng, 60))
        busy.start()
        terminal.resize(cols, rows)
        busy.join()
        terminal.settled(f"{cols}x{rows}")


def test_a_dialog_cuts_no_character_in_two(terminal: PaneTerminal) -> None:
    family = Run("👨‍👩‍👧", Style(), -2)
    for session in SESSIONS:
        rows = [Row((Run("a" * (1 + y % 2), Style()), *[family] * 20)) for y in range(15)]
        terminal.show(session, list(enumerate(rows)))
    terminal.settled("at first")
    for step in ("toast toasted", "dialog", "pop", "untoast"):
        terminal.do(step)
        terminal.settled(step)


def test_direct_painting_is_used_and_stops_under_covers() -> None:
    with PaneTerminal(REPOSITORY) as terminal:
        change(terminal, random.Random(1), 5)
        terminal.settled("at first")
        before = terminal.look()
        assert all(place[-1] for place in before[1])
        change(terminal, random.Random(2), 50)
        until(lambda: terminal.look()[2] > before[2], "painted frames")
        terminal.do("dialog")
        until(lambda: not any(place[-1] for place in terminal.look()[1]), "covered panes")
        terminal.do("pop")
        until(lambda: all(place[-1] for place in terminal.look()[1]), "panes again")


def test_the_cursor_stands_at_the_session_with_the_keys() -> None:
    with PaneTerminal(REPOSITORY) as terminal:
        terminal.show(SESSIONS[3], [], cursor=Cursor(7, 3, shape=5))
        terminal.do(f"keys {SESSIONS[3]}")

        def wanted() -> Cursor:
            place = next(place for place in terminal.look()[1] if place[0] == SESSIONS[3])
            return Cursor(place[1] + 7, place[2] + 3, visible=True, shape=5)

        until(lambda: terminal.engine.cursor == wanted(), what="the cursor in its pane")
        terminal.do("bar again and again")
        terminal.settled("a frame of Textual's")
        assert terminal.engine.cursor == wanted()
        terminal.do("keys ")
        until(lambda: not terminal.engine.cursor.visible, "a hidden cursor")


def test_a_terminal_that_is_behind_gets_the_cursor_when_it_has_taken_all() -> None:
    with PaneTerminal(REPOSITORY) as terminal:
        terminal.settled("at first")
        terminal.pause()
        colours = itertools.cycle(
            [Style(fg=RGB | tone << 16, bg=RGB | 0x123456) for tone in range(256)]
        )
        rows = [Row(tuple(Run("x", next(colours)) for _ in range(48))) for _ in range(15)]
        for session in SESSIONS:
            terminal.show(session, list(enumerate(rows)), cursor=Cursor(7, 3))
        terminal.do(f"keys {SESSIONS[3]}")
        until(lambda: terminal.said("keys", SESSIONS[3]), "the keys")
        terminal.go_on()
        until(lambda: terminal.engine.cursor.visible, "the cursor in its pane")


def test_a_terminal_that_is_behind_gets_the_newest_rows() -> None:
    with PaneTerminal(REPOSITORY) as terminal:
        rng = random.Random(3)
        change(terminal, rng, 5)
        terminal.settled("at first")
        terminal.pause()
        change(terminal, rng, 400)
        terminal.go_on()
        terminal.settled("after the pause")


@pytest.mark.slow
def test_over_a_far_line_every_frame_is_answered_for() -> None:
    env = {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}
    with PaneTerminal(REPOSITORY, env=env) as terminal:
        rng = random.Random(11)
        change(terminal, rng, 100)
        terminal.settled("with answers")
        assert terminal.stream.count(b"\x1b[5n") > 2
        terminal.mute = True
        change(terminal, rng, 100)
        terminal.settled("without answers")
