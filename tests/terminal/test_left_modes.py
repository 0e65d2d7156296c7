"""What a terminal does beside drawing: a killed program's modes, titles saved, what `clear` leaves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nagomi_tui.terminal.engine import Engine
from nagomi_tui.text.rows import Modes, ScreenEvent

Make = Callable[..., Engine]
TAKEN = b"\x1b[?1049h\x1b[>1u\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[?25l\x1b[>4;2m\x1b[?2026h\x1b="
"""What full-screen programs switch on."""
SHELLS_OWN = b"\x1b[?2004h\x1b[?1h"
PROMPT = b"\x1b]133;D;137\x07\x1b]133;A\x07$ \x1b]133;B\x07"


def fed(engine: Engine, data: bytes, size: int) -> Engine:
    for at in range(0, len(data), size):
        engine.feed(data[at : at + size])
    return engine


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("taken", [TAKEN,
                                   TAKEN.replace(b"\x1b[?1049h", b"\x1b[3;5r\x1b[?6h\x1b[31m")])  # fmt: skip
def test_at_the_prompt_nothing_is_left_of_a_killed_program(
    make: Make, size: int, taken: bytes
) -> None:
    engine = make()
    data = SHELLS_OWN + b"before\r\n" + taken + b"TUI SCREEN" + b"Killed\r\n" + PROMPT
    fed(engine, data, size)
    assert engine.modes == Modes(bracketed_paste=True, app_cursor=True)
    assert engine.cursor.visible
    assert engine.screen()[0].text == "before"
    engine.feed(b"\x1b[Hx" + b"\r\n" * 9 + b"y")
    assert [row.text for row in engine.lines(engine.first_line, engine.screen_line + 6)][-1] == "y"
    assert engine.screen()[-1].runs[0].style.fg == -1


def test_margins_and_new_line_mode_are_left_at_the_prompt(make: Make) -> None:
    engine = make()
    engine.feed(b"\x1b[?69h\x1b[3;20s\x1b[20hKilled\r\n" + PROMPT + b"\r" + b"w" * 30)
    assert engine.cursor.x == 30
    engine.feed(b"\n")
    assert engine.cursor.x == 30


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("other", [47, 1047, 1049])
def test_the_prompt_stands_below_what_the_other_screen_has_hidden(
    make: Make, size: int, other: int
) -> None:
    for lines in (2, 4, 5):
        engine = make(20, 5)
        text = b"\x1b7" + b"".join(b"%d\r\n" % number for number in range(lines))
        fed(engine, text + b"\x1b[?%dh\x1b[H\x1b[2JTUI\x1b[4;7Hx" % other + PROMPT + b"ls", size)
        engine.feed(b"\x1b[?%d$p" % other)
        assert engine.take_replies() == b"\x1b[?%d;2$y" % other
        shown = [row.text for row in engine.lines(engine.first_line, engine.screen_line + 5)]
        assert [row for row in shown if row] == [*map(str, range(lines)), "$ ls"]


def test_a_link_and_the_wheel_s_arrows_are_not_left_at_the_prompt(make: Make) -> None:
    engine = make()
    engine.feed(b"\x1b[?1007l\x1b]8;;http://e.org\x07Killed\r\n" + PROMPT)
    assert engine.modes.alternate_scroll
    assert not any(run.style.link for run in engine.screen()[1].runs)


def test_cursor_and_colours_of_a_killed_program_are_taken_back(make: Make) -> None:
    own = b"\x1b[5 q\x1b]10;#123456\x07\x1b]11;#010203\x07\x1b]12;red\x07\x1b]4;1;blue\x07"
    ask = b"".join(b"\x1b]%b;?\x07" % what for what in (b"10", b"11", b"12", b"4;1"))
    engine = make()
    engine.feed(ask)
    shape, colors = engine.cursor.shape, engine.take_replies()
    for end in (b"\x1b]133;D;137\x07", b"\x1b]133;D;143;aid=1\x1b\\"):
        engine.feed(own + end)
        assert engine.cursor.shape == shape
        engine.feed(ask)
        assert engine.take_replies() == colors
    for end in (b"\x1b]133;D;%b\x07" % status for status in (b"0", b"1", b"", b"130", b"141")):
        engine.feed(own + end)
        assert engine.cursor.shape == 5
    engine.feed(b"\x1bc" + ask)
    assert (engine.cursor.shape, engine.take_replies()) == (shape, colors)


@pytest.mark.parametrize("size", [1, 4096])
def test_a_soft_reset_ends_modes_and_leaves_the_cursor(make: Make, size: int) -> None:
    engine = make(20, 8)
    modes = b"\x1b[3;6r\x1b[?6h\x1b[4h\x1b[?1h\x1b[?7l\x1b(0\x1b[?25l\x1b[2;3H"
    data = modes + b"\x1b[!p\x1b[6nqq\x1b[8;1H\nlast\x1b[?6$p\x1b[4$p\x1b[?1$p\x1b[?7$p"
    for at in range(0, len(data), size):
        engine.feed(data[at : at + size])
    told = b"\x1b[4;3R\x1b[?6;2$y\x1b[4;2$y\x1b[?1;2$y\x1b[?7;1$y"
    assert engine.take_replies() == told
    assert [row.text for row in engine.screen()[2::5]] == ["  qq", "last"]
    assert engine.cursor.visible


def test_a_program_that_runs_keeps_its_modes_and_the_cursor_its_place(make: Make) -> None:
    engine = make()
    engine.feed(b"\x1b[2;3H\x1b7\x1b[5;1H\x1b]133;A\x07$ \x1b]133;C\x07" + TAKEN)
    assert engine.modes.mouse == 1003 and engine.modes.alt_screen
    other = make()
    other.feed(b"\x1b[2;3H\x1b7\x1b[5;1Hout\x1b]133;D;137\x07$ ")
    assert (other.cursor.x, other.cursor.y) == (5, 4)


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_titles_are_saved_and_taken_back(make: Make, size: int) -> None:
    engine = make()
    fed(engine, b"\x1b]2;shell\x07\x1b[22;0t\x1b]2;vim\x07", size)
    assert engine.title == "vim"
    fed(engine, b"\x1b[22;2t\x1b]0;more\x07\x1b[23t\x1b[22;1t\x1b[23;1t", size)
    assert engine.title == "vim"
    fed(engine, b"\x1b[23;0;0t", size)
    assert engine.title == "shell"
    fed(engine, b"\x1b[23;0t", size)
    assert engine.title == "shell"
    assert [e.text for e in engine.take_events() if e.kind == "title"][-1] == "shell"
    engine.feed(b"\x1bc")
    assert engine.title == ""
    assert engine.take_events() == [ScreenEvent("title", "")]


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_what_scrolled_away_outlives_clear_where_that_is_wanted(make: Make, size: int) -> None:
    lines = b"".join(b"%d\r\n" % number for number in range(40))
    for clear in (b"\x1b[H\x1b[2J\x1b[?3J", b"\x1b[H\x1b[2J\x1b[03J", b"\x1b[H\x1b[2J\x1b[3J"):
        engine = make()
        fed(engine, lines + clear + b"after", size)
        above = [row.text for row in engine.lines(engine.first_line, engine.screen_line)]
        assert above == [str(number) for number in range(35)]
        assert engine.screen()[0].text == "after"
    engine.keeps_history = False
    fed(engine, clear, size)
    assert engine.first_line == engine.screen_line


def test_notices_of_kitty_come_whole(make: Make) -> None:
    engine = make()
    for data, want in [
        (b"\x1b]99;i=1:d=0;Hello\x1b\\\x1b]99;i=1:p=body;World\x1b\\", ("World", "Hello")),
        (b"\x1b]99;i=a:d=0;Hel\x1b\\\x1b]99;i=a:d=0;lo\x1b\\\x1b]99;i=a:d=1:p=body;World\x1b\\", ("World", "Hello")),
        (b"\x1b]99;i=2:d=0:e=1;SGVsbG8=\x1b\\\x1b]99;i=2:e=1:p=body;V29ybGQ=\x1b\\", ("World", "Hello")),
        (b"\x1b]99;;alone\x1b\\", ("alone", "")),
        (b"\x1b]99;i=3:p=body;body alone\x1b\\", ("body alone", "")),
        (b"\x1b]99;i=4:d=0;first\x1b\\\x1b]99;i=5;second\x1b\\", ("second", "")),
        (b"\x1b]99;i=6:d=0:e=1;SGVsb\x1b\\\x1b]99;i=6:d=0:e=1;G8\x1b\\\x1b]99;i=6:p=body;World\x1b\\", ("World", "Hello")),
        (b"\x1b]99;d=0;Hello\x1b\\\x1b]99;p=body;World\x1b\\", ("World", "Hello")),
        (b"\x1b]99;i=7:d=0;closed\x1b\\\x1b]99;i=7:p=close;\x1b\\\x1b]99;i=7;new\x1b\\", ("new", "")),
        (b"\x1b]99;i=8:d=0;Hello\x1b\\\x1b]99;i=8:p=alive;\x1b\\\x1b]99;i=8:p=body;World\x1b\\", ("World", "Hello")),
    ]:  # fmt: skip
        for size in (1, 7, 1000):
            fed(engine, data, size)
            assert engine.take_events() == [ScreenEvent("notify", *want)]
    for data in (b"\x1b]9;\x07", b"\x1b]9; \x07", b"\x1b]777;notify;;\x07", b"\x1b]99;i=1;\x1b\\",
                 b"\x1b]99;i=1:p=icon;AAAA\x1b\\", b"\x1b]99;i=1:p=close;\x1b\\"):  # fmt: skip
        engine.feed(data)
        assert engine.take_events() == []


def test_parts_of_notices_that_never_end_are_few(make: Make) -> None:
    engine = make()
    for number in range(500):
        engine.feed(b"\x1b]99;i=%d:d=0;%s\x1b\\" % (number, b"x" * 1000))
    assert len(engine.snapshot()) < 100_000
    assert engine.take_events() == []


@pytest.mark.parametrize(
    "broken",
    [b"aGVs\nbG8=", b"aGVs\r\nbG8=\r\n", b"a G V s b G 8", b"aGVsbG8",
     b"aGVsbG8==", b"aGVsbG8=====", b"aGVs====bG8=", b"aGU=bGw=bw=="],
)  # fmt: skip
def test_copied_text_may_be_broken_into_lines(make: Make, broken: bytes) -> None:
    engine = make()
    engine.feed(b"\x1b]52;c;" + broken + b"\x07")
    assert engine.take_events() == [ScreenEvent("clipboard", "hello")]


def test_a_change_of_the_colour_scheme_is_told_to_who_asked(make: Make) -> None:
    engine = make()
    engine.set_colors(0xFFFFFF, 0)
    assert engine.set_colors(0, 0xFFFFFF) == b""
    engine.feed(b"\x1b[?2031h\x1b[?2031$p")
    assert engine.take_replies() == b"\x1b[?2031;1$y"
    assert engine.set_colors(0xFFFFFF, 0) == b"\x1b[?997;1n"
    assert engine.set_colors(0xFFFFFF, 0x101010) == b""
    assert engine.set_colors(0, 0xEEEEEE) == b"\x1b[?997;2n"
    engine.feed(b"\x1b[?2031l")
    assert engine.set_colors(0xFFFFFF, 0) == b""


def test_replies_to_a_command_that_has_ended_are_not_typed_at_the_prompt(make: Make) -> None:
    engine = make()
    engine.feed(b"\x1b[c\x1b[6n\x1b]11;?\x07" + PROMPT + b"\x1b[5n")
    assert engine.take_replies() == b"\x1b[0n"


def test_delete_draws_nothing(make: Make) -> None:
    engine = make()
    engine.feed(b"a\x7f\x7fb\x1b]2;t\x7fi\x07")
    assert engine.screen()[0].text == "ab"
    assert engine.title == "ti"


def test_a_flood_of_marks_keeps_sixteen_on_a_letter(make: Make) -> None:
    engine = make()
    for mark in ("\u0301", "\u05b0", "\U000e0100"):
        engine.feed(f"\x1bc{('a' + mark * 200) * 30}\r\n日本語 e{mark}".encode())
        text = engine.screen()[0].text
        assert text.count("a") >= 10 and len(text) <= 40 * 17
        assert engine.screen()[1].text.startswith("日本語 e") or engine.screen()[2].text


@pytest.mark.parametrize(
    "begun", [b"\x1b[38;5", b"\x1b[?", b"\x1b]2;half", b"\x1bPq#0", b"\x1b_Gi=1"]
)
def test_a_sequence_that_a_killed_program_began_draws_nothing(make: Make, begun: bytes) -> None:
    engine = make()
    engine.feed(begun + PROMPT + b"ls")
    assert engine.screen()[0].text == "$ ls"
