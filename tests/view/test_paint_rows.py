"""Rows as sequences: replayed into an engine they show exactly their cells."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.console import Console

from nagomi_tui.terminal.ghostty.engine import GhosttyEngine
from nagomi_tui.text.rows import (
    BLINK,
    BOLD,
    FAINT,
    INVERSE,
    INVISIBLE,
    ITALIC,
    OVERLINE,
    RGB,
    STRIKE,
    Row,
    Run,
    Style,
    crop,
)
from nagomi_tui.text.sgr import nearest
from nagomi_tui.view.pane.rows import AnsiStrip, PaintRow, changed, rich_style, sgr, span
from tests.helpers.examples import examples
from tests.helpers.pane_terminal import cells

WIDTH = 30
COLORS = [-1, 0, 7, 8, 15, 16, 123, 255, RGB, RGB | 0x123456, RGB | 0xFFFFFF]
FLAGS = [BOLD, FAINT, ITALIC, BLINK, INVERSE, INVISIBLE, STRIKE, OVERLINE]

styles = st.builds(
    Style,
    fg=st.sampled_from(COLORS),
    bg=st.sampled_from(COLORS),
    flags=st.lists(st.sampled_from(FLAGS), unique=True).map(sum),
    underline=st.integers(0, 5),
)
runs = st.one_of(
    st.builds(Run, st.text("abcXYZ 012-─│é", min_size=1, max_size=12), styles),
    st.builds(Run, st.text("日本語、つくり한글", min_size=1, max_size=5), styles, st.just(2)),
    st.builds(Run, st.sampled_from(["e\u0301", "a\u0308"]), styles, st.just(-1)),
    st.builds(Run, st.sampled_from(["👨‍👩‍👧", "🇯🇵", "👍🏽"]), styles, st.just(-2)),
)
rows = st.lists(runs, max_size=6).map(lambda found: Row(tuple(found)))


def replay(text: str) -> Row:
    engine = GhosttyEngine(WIDTH + 10, 3)
    engine.feed(b"\x1b[?7l" + text.encode())
    return engine.screen()[1]


@given(rows)
@examples(150)
def test_a_whole_row_shows_its_cells(row: Row) -> None:
    want = cells(row, WIDTH)
    whole = PaintRow(row, WIDTH).whole(4, truecolor=True, erase=True)
    assert cells(replay(f"\x1b[2;4H{whole}"), WIDTH + 10)[3 : WIDTH + 3] == want


@given(rows, rows)
@examples(150)
def test_the_changed_spans_turn_one_row_into_another(old: Row, new: Row) -> None:
    before, after = PaintRow(old, WIDTH), PaintRow(new, WIDTH)
    text = f"\x1b[2;4H{before.whole(4, truecolor=True, erase=False)}" + "".join(
        f"\x1b[2;{4 + first}H" + span(after, first, end, 4, truecolor=True)
        for first, end in changed(before, after)
    )
    assert cells(replay(text), WIDTH + 10)[3 : WIDTH + 3] == cells(new, WIDTH)


def test_neighbouring_changes_are_joined_and_far_ones_are_not() -> None:
    before = PaintRow(Row((Run("a" * 30, Style()),)), 30)
    near = PaintRow(Row((Run("b" + "a" * 8 + "b" + "a" * 20, Style()),)), 30)
    far = PaintRow(Row((Run("b" + "a" * 9 + "b" + "a" * 19, Style()),)), 30)
    assert changed(before, near) == [(0, 10)]
    assert changed(before, far) == [(0, 1), (10, 11)]
    assert changed(before, before) == []


def test_after_a_doubtful_cluster_the_cursor_is_placed_again() -> None:
    row = PaintRow(Row((Run("👨‍👩‍👧", Style(), -2), Run("next", Style()))), 10)
    assert "\x1b[7G" in row.whole(5, truecolor=True, erase=True)
    plain = PaintRow(Row((Run("日本", Style(), 2), Run("next", Style()))), 10)
    assert "G" not in plain.whole(5, truecolor=True, erase=True)


def test_without_true_colour_the_nearest_palette_entry_is_used() -> None:
    assert sgr(Style(fg=RGB | 0xFF0000), False) == "\x1b[0;38;5;196m"
    assert nearest(RGB | 0x808080) == 244
    assert sgr(Style(fg=RGB | 0xFF0000), True) == "\x1b[0;38;2;255;0;0m"


def test_under_a_dialog_a_program_keeps_its_colours_where_nagomi_has_16() -> None:
    style = rich_style(Style(fg=246, bg=RGB | 0xFF0000))
    assert style.render("x", color_system=ColorSystem.STANDARD) == "\x1b[38;5;246;48;5;196mx\x1b[0m"


@pytest.mark.parametrize("seed", range(5))
def test_a_strip_that_textual_cuts_keeps_its_text_and_length(seed: int) -> None:
    rng = random.Random(seed)
    row = PaintRow(
        Row(
            (
                Run("日本語つくり", Style(fg=3), 2),
                Run("plain", Style()),
                Run("e\u0301", Style(), -1),
            )
        ),
        WIDTH,
    )
    strip = AnsiStrip(row, 0)
    first, end = sorted(rng.sample(range(WIDTH), 2))
    assert strip.crop(first, end).cell_length == end - first
    assert sum(part.cell_length for part in strip.divide([first or 1, end + 1, WIDTH])) == WIDTH


@given(rows, st.sets(st.integers(1, WIDTH - 1), max_size=4))
@examples(150)
def test_a_part_of_a_strip_shows_its_cells_and_no_half_characters(row: Row, at: set[int]) -> None:
    console = Console(color_system="truecolor", force_terminal=True)
    cuts = [0, *sorted(at), WIDTH]
    parts = AnsiStrip(PaintRow(row, WIDTH), 3).divide(cuts[1:])
    assert [part.cell_length for part in parts] == [b - a for a, b in pairwise(cuts)]
    for part, (first, end) in zip(parts, pairwise(cuts), strict=True):
        shown = replay(f"\x1b[2;{4 + first}H{part.render(console)}")
        want = cells(crop(row, first, end - first), end - first)
        assert cells(shown, WIDTH + 10)[3 + first : 3 + end] == want
        assert cells(shown, WIDTH + 10)[3 + end] == (" ", Style())


def test_a_strip_makes_its_sequence_once() -> None:
    strip = AnsiStrip(PaintRow(Row((Run("x", Style(fg=1)),)), 5), 3)
    console = Console(color_system="truecolor", force_terminal=True)
    first = strip.render(console)
    assert strip.render(console) is first
    assert strip.text == "x    "
