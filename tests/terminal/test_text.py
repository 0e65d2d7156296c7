"""Rows as text: for people, for tools, and with exact colours."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nagomi_tui.terminal.engine import Engine
from nagomi_tui.text import sgr
from nagomi_tui.text.rows import BOLD, RGB, Row, Run, Style

Make = Callable[..., Engine]


def test_plain_lines_have_no_blanks_at_their_end() -> None:
    rows = [Row((Run("one  ", Style()),)), Row(), Row((Run("日本", Style(fg=1), 2),))]
    assert sgr.plain(rows) == "one\n\n日本\n"


def test_wrapped_rows_can_be_joined(make: Make) -> None:
    engine = make(10, 5)
    engine.feed(b"0123456 89 bcdef\r\nnext")
    rows = engine.screen()[:3]
    assert sgr.plain(rows) == "0123456 89\n bcdef\nnext\n"
    assert sgr.plain(rows, join=True) == "0123456 89 bcdef\nnext\n"
    assert sgr.ansi(rows, join=True) == "0123456 89 bcdef\nnext\n"


def test_a_wide_character_that_did_not_fit_leaves_no_gap(make: Make) -> None:
    engine = make(11, 3)
    engine.feed("abcdefghij日本語".encode())
    assert sgr.plain(engine.screen(), join=True) == "abcdefghij日本語\n\n"


def test_a_wrapped_row_at_the_end_still_ends_its_line() -> None:
    assert sgr.plain([Row((Run("ab", Style()),), wrapped=True)], join=True) == "ab\n"
    assert sgr.plain([]) == ""


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (Style(), "\x1b[0m"),
        (Style(fg=1), "\x1b[0;31m"),
        (Style(fg=9, bg=15), "\x1b[0;91;107m"),
        (Style(fg=16), "\x1b[0;38;5;16m"),
        (Style(bg=RGB | 0x0A0B0C), "\x1b[0;48;2;10;11;12m"),
        (Style(flags=BOLD, underline=3, underline_color=5), "\x1b[0;1;4:3;58:5:5m"),
        (Style(underline=1, underline_color=RGB | 1), "\x1b[0;4;58:2::0:0:1m"),
    ],
)
def test_sequences_of_a_style(style: Style, expected: str) -> None:
    assert sgr.sgr(style) == expected


def test_coloured_text_paints_the_same_again(make: Make) -> None:
    first, second = make(40, 4), make(40, 4)
    first.feed(
        "\x1b[31mred\x1b[1;4:3;58:5:9mfancy\x1b[m 日本\x1b[48;2;1;2;3m bg \x1b[m"
        "\x1b]8;;http://a/\x1b\\link\x1b]8;;\x1b\\ end\x1b[7minverse".encode()
    )
    second.feed(sgr.ansi(first.screen()[:1]).rstrip("\n").encode())
    assert second.screen()[0] == first.screen()[0]
    second.feed(b"plain")
    assert second.screen()[0].runs[-1] == Run("plain", Style())
