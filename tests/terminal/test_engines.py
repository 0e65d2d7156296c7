"""What a child draws, on both engines."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from nagomi_tui.terminal.engine import Engine
from nagomi_tui.text.rows import (
    BOLD,
    DEFAULT,
    FAINT,
    INVERSE,
    ITALIC,
    PLAIN,
    RGB,
    STRIKE,
    Run,
    Style,
)

Make = Callable[..., Engine]


def texts(engine: Engine) -> list[str]:
    return [row.text for row in engine.screen()]


def test_lines_and_cursor(make: Make) -> None:
    engine = make()
    engine.feed(b"one\r\ntwo\r\n\x1b[5;3Hthree")
    assert texts(engine) == ["one", "two", "", "", "  three", ""]
    assert (engine.cursor.x, engine.cursor.y, engine.cursor.visible) == (7, 4, True)


def test_feeding_nothing_changes_nothing(make: Make) -> None:
    engine = make()
    before = engine.screen()
    engine.feed(b"")
    assert list(engine.screen()) == list(before)
    assert engine.take_replies() == b""
    assert engine.take_events() == []


def test_unchanged_rows_are_the_same_objects(make: Make) -> None:
    engine = make()
    engine.feed("plain\r\n\x1b[31mred\x1b[m\r\n日本\r\n".encode())
    before = engine.screen()
    engine.feed(b"more")
    after = engine.screen()
    assert all(a is b for a, b in zip(before[:3], after[:3], strict=True))
    assert after[3].text == "more"


def test_rows_given_out_do_not_change(make: Make) -> None:
    engine = make()
    engine.feed(b"first")
    rows = engine.screen()
    engine.feed(b"\rother\r\n\n\n\n\n\n\n")
    engine.screen()
    assert rows[0].text == "first"


def test_wide_characters_take_two_cells(make: Make) -> None:
    engine = make()
    engine.feed("a日本語b".encode())
    assert engine.screen()[0].runs == (
        Run("a", PLAIN),
        Run("日本語", PLAIN, 2),
        Run("b", PLAIN),
    )
    assert engine.cursor.x == 8


@pytest.mark.parametrize(
    ("cluster", "unit"),
    [
        ("e\u0301", -1),
        ("👩\u200d💻", -2),
        ("👨\u200d👩\u200d👧\u200d👦", -2),
        ("🇯🇵", -2),
        ("👍🏽", -2),
        ("⚠\ufe0f", -2),
    ],
)
def test_clusters_are_one_character(make: Make, cluster: str, unit: int) -> None:
    engine = make()
    engine.feed(f"a{cluster}b".encode())
    assert engine.screen()[0].runs == (Run("a", PLAIN), Run(cluster, PLAIN, unit), Run("b", PLAIN))
    assert engine.cursor.x == 2 - unit


def test_a_wide_character_does_not_fit_the_last_column(make: Make) -> None:
    engine = make(11, 3)
    engine.feed("abcdefghij日x".encode())
    assert texts(engine) == ["abcdefghij", "日x", ""]
    assert engine.screen()[0].wrapped


def test_half_a_wide_character_is_not_left(make: Make) -> None:
    engine = make()
    engine.feed("日本\x1b[1;2Hx".encode())
    assert engine.screen()[0].text == " x本"


@pytest.mark.parametrize(
    ("sequence", "style"),
    [
        ("31", Style(fg=1)),
        ("91", Style(fg=9)),
        ("38;5;1", Style(fg=1)),
        ("38;5;200", Style(fg=200)),
        ("38;2;205;0;0", Style(fg=RGB | 0xCD0000)),
        ("38:2::1:2:3", Style(fg=RGB | 0x010203)),
        ("48;2;0;0;0", Style(bg=RGB)),
        ("44", Style(bg=4)),
        ("103", Style(bg=11)),
        ("1;3", Style(flags=BOLD | ITALIC)),
        ("2;7;9", Style(flags=FAINT | INVERSE | STRIKE)),
        ("4", Style(underline=1)),
        ("21", Style(underline=2)),
        ("4:3", Style(underline=3)),
        ("4:4", Style(underline=4)),
        ("4:5;58;2;1;2;3", Style(underline=5, underline_color=RGB | 0x010203)),
        ("4;58:5:9", Style(underline=1, underline_color=9)),
        ("31;39", PLAIN),
        ("1;22", PLAIN),
        ("31;0", PLAIN),
    ],
)
def test_default_palette_and_rgb_are_kept_apart(make: Make, sequence: str, style: Style) -> None:
    engine = make()
    engine.feed(f"\x1b[{sequence}mx".encode())
    assert engine.screen()[0].runs == (Run("x", style),)


def test_cells_erased_in_a_colour_are_shown(make: Make) -> None:
    engine = make(10, 2)
    engine.feed(b"\x1b[42m\x1b[Ka\x1b[48;2;1;2;3m\x1b[2;1H\x1b[K")
    assert engine.screen()[0].runs == (Run("a" + " " * 9, Style(bg=2)),)
    assert engine.screen()[1].runs == (Run(" " * 10, Style(bg=RGB | 0x010203)),)


def test_blanks_at_the_end_are_dropped_unless_they_show(make: Make) -> None:
    engine = make()
    engine.feed(b"a   \x1b[4m  \x1b[0m  ")
    assert engine.screen()[0].runs == (Run("a   ", PLAIN), Run("  ", Style(underline=1)))


def test_links(make: Make) -> None:
    engine = make()
    engine.feed(b"\x1b]8;;http://a/\x1b\\one\x1b]8;;http://b/\x1b\\two\x1b]8;;\x1b\\three")
    links = [(run.text, run.style.link) for run in engine.screen()[0].runs]
    assert links == [("one", "http://a/"), ("two", "http://b/"), ("three", "")]


def test_the_alternate_screen_gives_back_screen_and_cursor(make: Make) -> None:
    engine = make()
    engine.feed(b"shell\r\n$ \x1b[?1049h\x1b[H\x1b[2Jeditor")
    assert engine.modes.alt_screen
    assert texts(engine)[0] == "editor"
    assert engine.first_line == engine.screen_line
    engine.feed(b"\x1b[?1049l")
    assert not engine.modes.alt_screen
    assert texts(engine)[:2] == ["shell", "$"]
    assert (engine.cursor.x, engine.cursor.y) == (2, 1)


def test_a_scroll_region_moves_only_its_rows(make: Make) -> None:
    engine = make(10, 5)
    engine.feed(b"1\r\n2\r\n3\r\n4\r\n5\x1b[2;4r\x1b[4;1H\n")
    assert texts(engine) == ["1", "3", "4", "", "5"]
    engine.feed(b"\x1b[2;1H\x1bM")
    assert texts(engine) == ["1", "", "3", "4", "5"]
    assert engine.first_line == engine.screen_line


@pytest.mark.parametrize(
    ("shape", "sequence"), [(0, b""), (2, b"\x1b[2 q"), (3, b"\x1b[3 q"), (6, b"\x1b[6 q")]
)
def test_cursor_shape_and_visibility(make: Make, shape: int, sequence: bytes) -> None:
    engine = make()
    engine.feed(sequence + b"\x1b[?25l")
    assert engine.cursor.shape == shape
    assert not engine.cursor.visible


def test_modes(make: Make) -> None:
    engine = make()
    engine.feed(b"\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[?1002h\x1b[?1006h\x1b[?2026h\x1b[?1007l")
    modes = engine.modes
    assert modes.app_cursor and modes.app_keypad and modes.bracketed_paste and modes.focus_events
    assert (modes.mouse, modes.mouse_sgr, modes.alternate_scroll) == (1002, True, False)
    assert modes.synchronized
    engine.feed(b"\x1b[>5u\x1b[>4;2m")
    assert (engine.modes.kitty_flags, engine.modes.modify_other_keys) == (5, 2)
    engine.feed(b"\x1b[<u\x1b[>4m\x1b[?1002l\x1b[?2026l")
    modes = engine.modes
    assert (modes.kitty_flags, modes.modify_other_keys, modes.mouse) == (0, 0, 0)
    assert not modes.synchronized


def test_wrapped_rows_say_so(make: Make) -> None:
    engine = make(10, 4)
    engine.feed(b"abcdefghijklm\r\nshort")
    assert [row.wrapped for row in engine.screen()] == [True, False, False, False]


def test_output_that_is_not_utf8_breaks_nothing(make: Make) -> None:
    engine = make()
    engine.feed(b"a\xff\xfeb\xc3(\xe6\x97 \xf0\x9f\xff after")
    assert texts(engine)[0].startswith("a")
    assert texts(engine)[0].endswith("after")


def test_a_character_split_anywhere_is_one_character(make: Make) -> None:
    engine = make()
    for byte in "日👩\u200d💻é".encode():
        engine.feed(bytes([byte]))
    assert texts(engine)[0] == "日👩\u200d💻é"


def test_resizing_keeps_what_is_on_screen(make: Make) -> None:
    engine = make(20, 6)
    engine.feed(b"one\r\ntwo\r\nthree\r\nfour")
    engine.resize(30, 3)
    assert (engine.cols, engine.rows) == (30, 3)
    assert texts(engine) == ["two", "three", "four"]
    kept = engine.lines(engine.first_line, engine.screen_line + 3)
    assert [row.text for row in kept] == ["one", "two", "three", "four"]
    engine.resize(30, 6)
    assert "four" in texts(engine)


def _junk(random_: random.Random) -> bytes:
    pieces = [
        bytes(random_.randrange(256) for _ in range(random_.randrange(20))),
        b"\x1b[" + bytes(random_.choice(b"0123456789;:?>=<!$ ") for _ in range(6))
        + bytes([random_.randrange(0x40, 0x7F)]),
        b"\x1b]" + bytes(random_.randrange(32, 256) for _ in range(8)) + b"\x07",
        "日本👩\u200d💻e\u0301🇯🇵\ufe0f".encode()[random_.randrange(4) :],
        b"\x1b[%d;%dH" % (random_.randrange(99999), random_.randrange(99)),
        b"\x1b[?%d%c" % (random_.choice((3, 5, 6, 7, 47, 1047, 1049, 69)), random_.choice(b"hl")),
        b"\x1b[%d;%dr" % (random_.randrange(9), random_.randrange(12)),
        b"\x1bP" + bytes(random_.randrange(128) for _ in range(5)),
        b"\x1b[%d%c" % (random_.randrange(10**6), random_.choice(b"@ABCDEFGLMPSTXZIb`de")),
        b"x" * random_.randrange(90) + b"\r\n" * random_.randrange(4),
    ]  # fmt: skip
    return b"".join(random_.choices(pieces, k=12))


@pytest.mark.parametrize("seed", range(8))
def test_nothing_raises_whatever_comes(make: Make, seed: int) -> None:
    random_ = random.Random(seed)
    engine = make(20, 5, history=200)
    for turn in range(25):
        engine.feed(_junk(random_))
        if turn % 5 == 4:
            engine.resize(random_.randrange(1, 60), random_.randrange(1, 20))
        rows = engine.screen()
        assert len(rows) == engine.rows
        assert all(row.cells <= engine.cols for row in rows)
        assert 0 <= engine.cursor.y < engine.rows
        assert 0 <= engine.cursor.x < max(engine.cols, 1)
        assert engine.first_line <= engine.screen_line
        assert len(engine.lines(engine.first_line, engine.screen_line)) == (
            engine.screen_line - engine.first_line
        )
    engine.take_events()
    engine.take_replies()
    engine.feed(b"\x18\x1bc\x1b[mstill here")
    assert texts(engine)[0].startswith("still here"[: engine.cols])
    assert engine.screen()[0].runs[0].style.fg == DEFAULT


_SIZES = (30, 12, 7, 20, 20, 9, 34, 45, 12)
"""Rows of a terminal whose corner is dragged."""


def _drawn_anew(rows: list[str], below: list[str], height: int) -> bytes:
    """Return what an agent sends after a resize: each row erased, its last rows, the cursor in its field."""
    erased = b"\x1b[H" + b"\x1b[2K\x1b[1B" * height
    return erased + b"\x1b[H" + _drawn([*rows, "> ", *below][-height:], len(below))


def _drawn(rows: list[str], up: int) -> bytes:
    return "\r\n".join(rows).encode() + (b"\x1b[%dA\r\x1b[2C" % up if up else b"")


@pytest.mark.parametrize("below", [[], ["status"], [""], ["────", "status", ""]])
def test_rows_that_are_drawn_anew_at_each_resize_are_kept_once(
    make: Make, below: list[str]
) -> None:
    rows = [f"row {number:03d}" for number in range(100)]
    engine = make(60, _SIZES[0])
    engine.feed(_drawn([*rows, "> ", *below], len(below)))
    for height in _SIZES[1:]:
        engine.resize(60, height)
        assert engine.screen()[engine.cursor.y].text.startswith(">"), "the cursor left its text"
        engine.feed(_drawn_anew(rows, below, height))
        kept = texts_of(engine)
        assert [row for row in rows if row not in kept] == []
        if engine.version.startswith("ghostty"):
            assert [row for row in kept if row.startswith("row")] == rows


@pytest.mark.parametrize(
    ("before", "top"),
    [
        (b"\x1b[H\x1b[2J$ ", "$"),
        (b"\x1b[?1049h\x1b[Hfull", "full"),
        (b"\x1b[H\x1b[Jone\r\ntwo", "one"),
    ],
)
def test_a_cleared_screen_fills_with_nothing_that_was_above(
    make: Make, before: bytes, top: str
) -> None:
    engine = make(60, 10)
    engine.feed(b"\r\n".join(b"row %d" % number for number in range(30)) + before)
    cursor = engine.cursor
    engine.resize(60, 20)
    assert [row.text for row in engine.screen()][0] == top
    assert (engine.cursor.x, engine.cursor.y) == (cursor.x, cursor.y)


def test_a_resize_within_a_sequence_or_in_the_last_cell_draws_nothing_else(make: Make) -> None:
    cases = [(b"\x1b[3", b"1mred", "red"), (b"w" * 60, b"on", "on")]
    for begun, rest, shown in cases[: 2 if make().version.startswith("ghostty") else 1]:
        engine = make(60, 5)
        engine.feed(b"\n" * 9 + b"\r" + begun)
        engine.resize(60, 8)
        engine.resize(60, 4)
        engine.feed(rest)
        assert engine.screen()[engine.cursor.y].text == shown


def texts_of(engine: Engine) -> list[str]:
    return [row.text for row in engine.lines(engine.first_line, engine.screen_line + engine.rows)]


def test_clusters_survive_resizes_without_autowrap(make: Make) -> None:
    engine = make(149, 40, history=100)
    engine.feed(b"\xf0\x9f\x87\xb5\xef\xb8\x8f\x1b[9999b\x1b[?7l")
    for cols in (235, 11, 80, 3, 149):
        engine.resize(cols, 9)
        assert len(engine.screen()) == 9
    engine.feed(b"\r\x1b[Kabc\x1b[?7$p")
    assert engine.take_replies() == b"\x1b[?7;2$y"


@pytest.mark.parametrize("sequence", [b"\x1b[?40h\x1b[?3h", b"\x1b[?40;3h", b"\x1b[?40h\x1b[?3l"])
def test_what_follows_at_once_is_drawn_in_the_columns_of_the_view(
    make: Make, sequence: bytes
) -> None:
    engine = make(100, 5)
    engine.feed(b"w" * 240 + b"\r\n" * 5 + b"\x1b[2J\x1b[H" + sequence * 2)
    assert (engine.cursor.x, engine.cursor.y) == (0, 0)
    engine.feed(b"\x1b[2J" + sequence + b"\x1b[1;132Hx\x1b[2;1H" + b"y" * 110)
    assert [row.text.lstrip() for row in engine.screen()][:3] == ["x", "y" * 100, "y" * 10]
    assert engine.screen()[0].cells == 100


@pytest.mark.parametrize("sequence", [b"\x1b[?40h\x1b[?3h", b"\x1b[?40h\x1b[?3h\x1b[?3l"])
def test_a_child_cannot_change_the_columns(make: Make, sequence: bytes) -> None:
    engine = make(100, 5)
    engine.feed(b"before\r\n" * 9 + sequence)
    engine.feed(b"\x1b[2J\x1b[1;200Hx\x1b[6n\x1b[1;90Hy")
    assert engine.take_replies() == b"\x1b[1;100R"
    assert all(row.cells <= 100 for row in engine.screen())
    assert engine.screen()[0].text == " " * 89 + "y" + " " * 9 + "x"
