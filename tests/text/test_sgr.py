"""A style as SGR parameters, and the palette's nearest to a true colour."""

from __future__ import annotations

import pytest

from nagomi_tui.text.rows import BOLD, PLAIN, RGB, STRIKE, Row, Run, Style
from nagomi_tui.text.sgr import ansi_row, nearest, parameters, red_green_blue


@pytest.mark.parametrize(
    ("style", "codes"),
    [
        (Style(), "0"),
        (Style(fg=0, bg=7), "0;30;47"),
        (Style(fg=7, bg=0), "0;37;40"),
        (Style(fg=8, bg=15), "0;90;107"),
        (Style(fg=15, bg=8), "0;97;100"),
        (Style(fg=16, bg=255), "0;38;5;16;48;5;255"),
        (Style(fg=RGB | 0x102030, bg=RGB), "0;38;2;16;32;48;48;2;0;0;0"),
        (Style(flags=BOLD | STRIKE), "0;1;9"),
        (Style(underline=1), "0;4"),
        (Style(underline=3, underline_color=5), "0;4:3;58:5:5"),
        (Style(underline=2, underline_color=RGB | 0x010203), "0;4:2;58:2::1:2:3"),
    ],
)
def test_a_style_is_told_whole(style: Style, codes: str) -> None:
    assert parameters(style) == codes


def test_without_true_colour_the_palette_is_used() -> None:
    style = Style(fg=RGB | 0xFF0000, bg=RGB | 0x808080)
    assert parameters(style, truecolor=False) == "0;38;5;196;48;5;244"


def _of_palette(index: int) -> tuple[int, ...]:
    """xterm's palette from 16 on: a cube of six levels, then 24 greys."""
    if index >= 232:
        return (8 + 10 * (index - 232),) * 3
    levels = (0, 95, 135, 175, 215, 255)
    return tuple(levels[(index - 16) // part % 6] for part in (36, 6, 1))


def test_no_colour_of_the_palette_is_nearer() -> None:
    def far(color: int, index: int) -> int:
        wanted = red_green_blue(color)
        return sum((a - b) ** 2 for a, b in zip(wanted, _of_palette(index), strict=True))

    spread = [*range(0, 1 << 24, 131_101), *(grey * 0x10101 for grey in range(256))]
    for color in spread:
        assert far(color, nearest(color)) == min(far(color, index) for index in range(16, 256))


def test_what_is_in_the_cube_and_among_the_greys_is_of_the_cube() -> None:
    assert (nearest(0), nearest(0xFFFFFF), nearest(0x1D4B4E)) == (16, 231, 23)


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ((), ""),
        ((Run("a", PLAIN),), "a"),
        ((Run("a", Style(fg=1)),), "\x1b[0;31ma\x1b[0m"),
        ((Run("a", Style(fg=1)), Run("b", PLAIN)), "\x1b[0;31ma\x1b[0mb"),
        ((Run("a", Style(fg=1)), Run("日", Style(fg=1), 2)), "\x1b[0;31ma日\x1b[0m"),
        (
            (Run("a", Style(link="http://b/")), Run("c", Style(fg=1, link="http://b/"))),
            "\x1b]8;;http://b/\x1b\\\x1b[0ma\x1b[0;31mc\x1b]8;;\x1b\\\x1b[0m",
        ),
    ],
)
def test_a_row_says_each_change_of_its_style_and_ends_in_the_default_one(
    runs: tuple[Run, ...], text: str
) -> None:
    assert ansi_row(Row(runs)) == text
