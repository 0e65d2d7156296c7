"""What makes the start of a front end short, and must not change what is drawn."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.app import App, ComposeResult
from textual.css.stylesheet import Stylesheet
from textual.widgets import Static

from nagomi_tui.view.common import textual_private

if TYPE_CHECKING:
    from textual.geometry import Region
    from textual.strip import Strip

CSS = "Static { color: $mark; } .a { width: 7; }"


def test_a_stylesheet_is_parsed_once_for_each_set_of_variables() -> None:
    textual_private.share_parsed_css()
    one, same, other = (Stylesheet(variables={"mark": mark}) for mark in ("red", "red", "blue"))
    for sheet in (one, same, other):
        sheet.add_source(CSS, read_from=("here", "CSS"))
        sheet.parse()
    assert [a is b for a, b in zip(one.rules, same.rules, strict=True)] == [True, True]
    assert str(one.rules[0].styles.color) != str(other.rules[0].styles.color)
    one.set_variables({"mark": "blue"})
    one.parse()
    assert one.rules[0] is other.rules[0]


def test_what_changes_within_a_batch_is_drawn_when_it_is_over() -> None:
    textual_private.draw_nothing_within_a_batch()
    drawn: list[str] = []

    class Word(Static):
        def render_line(self, y: int):  # type: ignore[no-untyped-def]
            drawn.append(str(self.content))
            return super().render_line(y)

    class Small(App[None]):
        def compose(self) -> ComposeResult:
            yield Word("before")

    async def look() -> None:
        app = Small()
        async with app.run_test(size=(20, 3)) as pilot:
            await pilot.pause()
            assert drawn
            drawn.clear()
            with app.batch_update():
                app.query_one(Word).update("within")
                app.query_one(Word).refresh(layout=True)
                await asyncio.sleep(0.1)
                app.screen._compositor_refresh()
                assert drawn == []
            await pilot.pause(0.1)
            assert drawn and set(drawn) == {"within"}

    asyncio.run(look())


def test_lines_behind_others_are_not_rendered() -> None:
    textual_private.keep_wide_characters_whole()
    asked: list[range] = []

    class Behind(Static):
        def render_lines(self, crop: Region) -> list[Strip]:
            asked.append(crop.line_range)
            return super().render_lines(crop)

    class Covered(App[None]):
        CSS = "Screen { layers: back over; } Behind { layer: back; height: 6; } #over { layer: over; height: 4; }"

        def compose(self) -> ComposeResult:
            yield Behind("\n".join("abcdef"))
            yield Static("\n".join("ABCD"), id="over")

    async def look() -> list[str]:
        app = Covered()
        async with app.run_test(size=(20, 8)) as pilot:
            await pilot.pause()
            asked.clear()
            app.screen.refresh()
            await pilot.pause()
            return [strip.text.strip() for strip in app.screen._compositor.render_strips()]

    assert asyncio.run(look()) == ["A", "B", "C", "D", "e", "f", "", ""]
    assert asked and {(lines.start, lines.stop) for lines in asked} == {(4, 6)}
