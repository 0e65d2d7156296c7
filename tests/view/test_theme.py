"""Themes: chosen by setting and background, readable, and never by colour alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from rich.color import Color, ColorSystem
from textual.widgets import OptionList

from nagomi_tui.sessions.session import PHASES
from nagomi_tui.view.common.theme import THEMES, choose
from nagomi_tui.view.review.paint import palette
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

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


@pytest.mark.parametrize(
    ("colors", "clear", "chosen"),
    [
        ("truecolor", False, "nagomi-light"),
        ("256", False, "nagomi-light-256"),
        ("256", True, "nagomi-light-contrast"),
        ("standard", False, "nagomi-light-16"),
        ("standard", True, "nagomi-light-contrast-16"),
        (None, True, "nagomi-light-contrast-16"),
    ],
)
def test_the_theme_follows_the_colours_of_the_terminal(
    colors: str | None, clear: bool, chosen: str
) -> None:
    names = {theme.name for theme in THEMES}
    assert choose("light", -1, high_contrast=clear, colors=colors) == chosen in names
    everyone = choose("light", -1, high_contrast=clear, colorblind=True, colors=colors)
    assert everyone == f"{chosen}-everyone" in names


@pytest.mark.parametrize("theme", [one for one in THEMES if one.name.endswith("-256")], ids=str)
def test_with_256_colours_paper_stays_grey_and_words_can_be_read(theme: Theme) -> None:
    """As Rich draws them: the nearest colour that the terminal has."""

    def drawn(color: str | None) -> str:
        found = Color.parse(color or "").downgrade(ColorSystem.EIGHT_BIT)
        return found.get_truecolor().hex

    papers = [drawn(theme.background), drawn(theme.surface), drawn(theme.panel)]
    assert len(set(papers)) == 3
    assert all(len(set(rgb(paper))) == 1 for paper in papers)
    for name in {"foreground", *(look.color for look in PHASES), "warning"}:
        color = theme.variables["muted"] if name == "muted" else getattr(theme, name)
        assert all(contrast(drawn(color), paper) >= 4 for paper in papers[:2]), name


XTERM: Final = (
    "#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
    "#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
)  # fmt: skip
"""The 16 colours as xterm draws them."""
FEW: Final = pytest.mark.parametrize(
    "theme", [one for one in THEMES if "-16" in one.name], ids=lambda theme: theme.name
)


@FEW
def test_with_16_colours_words_can_be_read_and_states_differ(theme: Theme) -> None:
    clear = "contrast" in theme.name
    background, panel = sixteen(theme.background), sixteen(theme.panel)
    words = {look.color for look in PHASES} | {"foreground", "secondary", "warning"}
    for name in words:
        color = theme.variables["muted"] if name == "muted" else getattr(theme, name)
        assert contrast(sixteen(color), background) >= 4.5, name
        assert contrast(sixteen(color), sixteen(theme.surface)) >= 4.5, name
    for color in (theme.foreground, theme.variables["muted"]):
        assert contrast(sixteen(color), background) >= (20 if clear else 15)
        assert contrast(sixteen(color), panel) >= 4.5
    assert contrast(sixteen(theme.primary), panel) >= 4.5
    assert contrast(sixteen(theme.variables["frame"]), background) >= (7 if clear else 3)
    states = [theme.primary, theme.accent, theme.warning, theme.error, theme.success]
    assert len({sixteen(color) for color in states[1:]}) == 4
    assert theme.primary not in (theme.accent, theme.warning, theme.error)


@FEW
async def test_with_16_colours_the_marked_line_of_a_list_is_told_from_others(theme: Theme) -> None:
    with FakeOrchestrator(session(1, "one")) as server:
        async with visit(server) as here:
            here.app.theme = theme.name
            await here.leader(":")
            await here.type("theme")
            await here.sees("auto follows")
            options = here.app.screen.query_one(OptionList)
            marked, other = (
                options.get_visual_style("option-list--option", *more)
                for more in (("option-list--option-highlighted",), ())
            )
            assert marked.underline and not other.underline


@FEW
def test_with_16_colours_each_setting_has_an_effect(theme: Theme) -> None:
    def colors(name: str) -> list[str]:
        (found,) = [one for one in THEMES if one.name == name]
        return [str(color) for _, color in sorted(found.to_color_system().generate().items())]

    for setting in ("-contrast", "-everyone"):
        if setting in theme.name:
            assert colors(theme.name) != colors(theme.name.replace(setting, ""))


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_words_of_a_changed_line_can_be_read_as_the_terminal_draws_it(theme: Theme) -> None:
    look = palette(theme.to_color_system().generate() | theme.variables, theme.name)
    has = {"-16": ColorSystem.STANDARD, "-256": ColorSystem.EIGHT_BIT}
    system = next((has[end] for end in has if end in theme.name), ColorSystem.TRUECOLOR)

    def drawn(color: Color | None, other: Color | None) -> str:
        shown = (color or other or Color.parse("#000000")).downgrade(system)
        return XTERM[shown.number or 0] if "-16" in theme.name else shown.get_truecolor().hex

    for line in (look.base, look.added, look.removed):
        paper = drawn(line.bgcolor, look.base.bgcolor)
        for words in (line, *look.syntax.values()):
            color = drawn(words.color, line.color or look.base.color)
            assert contrast(color, paper) >= 3.5, (paper, words)


@pytest.mark.parametrize(
    "theme", [one for one in THEMES if "-16" not in one.name], ids=lambda theme: theme.name
)
def test_words_can_be_read_on_every_background(theme: Theme) -> None:
    """AA of WCAG 2.1 on paper and bars, AAA in the clear themes; a little less under the focus."""
    clear = "contrast" in theme.name
    assert contrast(theme.foreground, theme.background) >= (15 if clear else 9)
    needed = {
        theme.background: 7 if clear else 4.5,
        theme.surface: 7 if clear else 4.5,
        theme.panel: 5.5 if clear else 4,
    }
    for name in {"foreground", *(look.color for look in PHASES), "warning"}:
        color = theme.variables["muted"] if name == "muted" else getattr(theme, name)
        for paper, ratio in needed.items():
            assert contrast(color, paper) >= ratio, (name, paper)


@pytest.mark.parametrize(
    "theme", [theme for theme in THEMES if "contrast" in theme.name], ids=lambda theme: theme.name
)
def test_clear_themes_show_their_frames(theme: Theme) -> None:
    assert contrast(theme.variables["frame"], theme.background) >= 3


@pytest.mark.requirement("N-140")
def test_badges_differ_by_shape_and_word_not_only_by_colour() -> None:
    assert len({look.shape for look in PHASES}) == len(PHASES)
    assert len({look.word for look in PHASES}) == len(PHASES)


@pytest.mark.parametrize(
    "theme", [theme for theme in THEMES if "everyone" in theme.name], ids=lambda theme: theme.name
)
def test_without_red_and_green_good_and_bad_still_differ(theme: Theme) -> None:
    """Blue and yellow, the axis that nearly everybody sees, tells them apart."""
    for bad in (theme.error, theme.accent):
        assert blueness(theme.success) - blueness(bad) > 60


def sixteen(color: str | None) -> str:
    """Return how xterm draws the one of its 16 colours that Rich takes for a colour."""
    number = Color.parse(color or "").downgrade(ColorSystem.STANDARD).number
    return XTERM[number or 0]


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


@pytest.mark.parametrize("key", ["c", ":", "?", "s", "R"])
async def test_what_is_typed_in_a_dialog_has_a_colour_of_the_theme(key: str) -> None:
    """The terminal's own colour was unreadable where the theme is not the one of its background."""
    with FakeOrchestrator(session(1, "one"), theme="light") as server:
        async with visit(server) as here:
            await here.leader(key)
            await here.until(lambda: here.app.screen.query("Input, TextArea"))
            fields = here.app.screen.query("Input, TextArea")
            assert all(field.styles.color.ansi is None for field in fields)
