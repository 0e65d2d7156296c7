"""What makes the start of a front end short, and must not change what is drawn."""

from __future__ import annotations

import asyncio

from textual.app import App, ComposeResult
from textual.css.stylesheet import Stylesheet
from textual.widgets import Static

from nagomi_tui.view import textual_private

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


def test_what_changes_behind_the_curtain_is_drawn_when_it_opens() -> None:
    textual_private.draw_nothing_behind_a_curtain()
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
                app.query_one(Word).update("behind")
                app.query_one(Word).refresh(layout=True)
                await asyncio.sleep(0.1)
                app.screen._compositor_refresh()
                assert drawn == []
            await pilot.pause(0.1)
            assert drawn and set(drawn) == {"behind"}

    asyncio.run(look())
