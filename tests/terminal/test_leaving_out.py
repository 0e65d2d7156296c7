"""Text that scrolls out of the history is left out, and nobody can tell by what is there then."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_tui.terminal.ghostty.engine import GhosttyEngine
from tests.helpers.examples import examples

if TYPE_CHECKING:
    from nagomi_tui.text.rows import Row

COLS, ROWS, HISTORY = 20, 5, 30
REACH = HISTORY + 2 * ROWS

_COLORS = st.sampled_from(
    ["\x1b[0m", "\x1b[m", "\x1b[31;1m", "\x1b[48;5;20m", "\x1b[38:2::9:8:7m", "\x1b[7m", "\x1b[39m"]
)
_WORDS = st.sampled_from(
    ["word ", "日本", "👨\u200d👩\u200d👧", "\t", "é", "x" * 25, "\x1b[K", "ab\rc"]
)
_LINE = st.lists(_WORDS | _COLORS, max_size=5).map(lambda parts: "".join(parts) + "\r\n")
_LINES = st.lists(_LINE, min_size=1, max_size=40).map("".join)
_TAIL = st.lists(_LINE, min_size=REACH + 2, max_size=REACH + 20).map("".join)


def kept(engine: GhosttyEngine) -> list[Row]:
    """All that the engine holds of the history, and the screen."""
    top = engine.screen_line
    return engine.lines(top - HISTORY, top + ROWS)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Cut between characters, also within sequences."""
    text = data.decode()
    edges = sorted({0, len(text), *(at % (len(text) + 1) for at in places)})
    return [text[start:end].encode() for start, end in pairwise(edges)]


@pytest.mark.slow
@examples(150)
@given(
    st.sampled_from(["", "before\r\n", "\x1b[3;4Hbefore", "\x1b[41m", "\x1b[4h", "\x1b[?7l"]),
    _LINES, st.lists(st.integers(0, 999), max_size=6), _TAIL,
)  # fmt: skip
def test_what_is_kept_is_as_if_all_had_been_drawn(
    first: str, middle: str, places: list[int], tail: str
) -> None:
    whole, short = (GhosttyEngine(COLS, ROWS, history=HISTORY) for _ in range(2))
    for engine in (whole, short):
        engine.feed(first.encode())
    assert short.lines_until_forgotten() == REACH
    for piece in cut(middle.encode(), places):
        whole.feed(piece)
        short.skip(piece, piece.count(b"\n"))
    for engine in (whole, short):
        engine.feed(tail.encode())
        engine.feed(b"the pen")
    assert kept(short) == kept(whole)
    assert short.cursor == whole.cursor
    assert short.screen_line <= whole.screen_line


def test_what_was_left_out_counts_as_lines_that_are_not_kept() -> None:
    engine = GhosttyEngine(COLS, ROWS, history=HISTORY)
    engine.feed(b"".join(b"%d\r\n" % number for number in range(20)))
    before = engine.screen_line
    engine.skip(b"x\r\n" * 100, 100)
    assert engine.screen_line == engine.first_line == before + 100
    engine.feed(b"y\r\n" * 10)
    assert engine.first_line == before + 100 + ROWS
    assert {row.text for row in engine.lines(engine.first_line, engine.screen_line)} <= {"y"}


@pytest.mark.parametrize(
    ("printed", "sure"),
    [
        ("text\r\n", True),
        ("\x1b[?1049h", False),
        ("\x1b[2;4r", False),
        ("\x1b[?69h\x1b[3;9s", False),
        ("\x1b]0;a title that", False),
        ("\x1b[2;4r\x1b[r", True),
    ],
)
def test_text_is_left_out_only_where_the_whole_screen_scrolls(printed: str, sure: bool) -> None:
    engine = GhosttyEngine(COLS, ROWS, history=HISTORY)
    engine.feed(printed.encode())
    assert engine.lines_until_forgotten() == (REACH if sure else None)
