"""Themes: chosen by setting and background, readable, and never by colour alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.view.common.badge import PHASES
from nagomi_tui.view.common.theme import THEMES, choose

if TYPE_CHECKING:
    from textual.theme import Theme


@pytest.mark.parametrize(
    ("setting", "background", "chosen"),
    [
        ("auto", -1, "nagomi-dark"),
        ("auto", 0xFFFFFF, "nagomi-light"),
        ("auto", 0x101010, "nagomi-dark"),
        ("light", 0x101010, "nagomi-light"),
        ("dark", 0xFFFFFF, "nagomi-dark"),
    ],
)
def test_the_theme_follows_the_setting_or_the_terminal(
    setting: str, background: int, chosen: str
) -> None:
    assert choose(setting, background) == chosen
    clear = choose(setting, background, high_contrast=True, colorblind=True)
    assert clear == f"{chosen}-contrast-everyone"
    assert clear in {theme.name for theme in THEMES}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_words_can_be_read_on_every_background(theme: Theme) -> None:
    """AA of WCAG 2.1 on paper and bars, AAA in the clear themes; a little less under the focus."""
    clear = "contrast" in theme.name
    assert contrast(theme.foreground, theme.background) >= (15 if clear else 9)
    needed = {
        theme.background: 7 if clear else 4.5,
        theme.surface: 7 if clear else 4.5,
        theme.panel: 5.5 if clear else 4,
    }
    for name in {"foreground", *(look.color for look in PHASES.values()), "warning"}:
        color = theme.variables["muted"] if name == "muted" else getattr(theme, name)
        for paper, ratio in needed.items():
            assert contrast(color, paper) >= ratio, (name, paper)


@pytest.mark.parametrize(
    "theme", [theme for theme in THEMES if "contrast" in theme.name], ids=lambda theme: theme.name
)
def test_clear_themes_show_their_frames(theme: Theme) -> None:
    assert contrast(theme.variables["frame"], theme.background) >= 3


def test_n140_badges_differ_by_shape_and_word_not_only_by_colour() -> None:
    assert len({look.shape for look in PHASES.values()}) == len(PHASES)
    assert len({look.word for look in PHASES.values()}) == len(PHASES)


@pytest.mark.parametrize(
    "theme", [theme for theme in THEMES if "everyone" in theme.name], ids=lambda theme: theme.name
)
def test_without_red_and_green_good_and_bad_still_differ(theme: Theme) -> None:
    """Blue and yellow, the axis that nearly everybody sees, tells them apart."""
    for bad in (theme.error, theme.accent):
        assert blueness(theme.success) - blueness(bad) > 60


def contrast(one: str | None, other: str | None) -> float:
    """The contrast ratio of WCAG 2.1."""
    high, low = sorted((luminance(one or ""), luminance(other or "")), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    parts = [part / 255 for part in rgb(color)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def blueness(color: str | None) -> float:
    red, green, blue = rgb(color or "")
    return blue - (red + green) / 2


def rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
