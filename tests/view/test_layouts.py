"""How Textual lays out and shows what nagomi gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.app import App, ComposeResult
from textual.containers import Grid, Horizontal
from textual.content import Content
from textual.widgets import Button, Input, OptionList, Static

from nagomi_tui.view.common import textual_private

if TYPE_CHECKING:
    from textual import events
    from textual.geometry import Region


class Cell(Static):
    """Notes its sizes."""

    def on_mount(self) -> None:
        self.sizes: list[int] = []

    def on_resize(self, event: events.Resize) -> None:
        self.sizes.append(event.size.width)


class Cells(App[None]):
    CSS = """
    Grid { grid-size: 2; height: 1fr; }
    Cell { height: 100%; }
    Grid.big Cell:first-child { column-span: 2; }
    """

    def compose(self) -> ComposeResult:
        with Grid():
            for _ in range(4):
                yield Cell()


class Menu(Static):
    DEFAULT_CSS = "Menu { dock: bottom; layer: over; height: 3; width: 100%; }"


class Covered(App[None]):
    CSS = """
    Screen { layers: base over; }
    Horizontal { height: 1fr; }
    Horizontal > Static { width: 1fr; height: 100%; }
    """

    def compose(self) -> ComposeResult:
        with Horizontal():
            for sign in "abc":
                yield Static(sign * 400)
        yield Menu("ア" * 60)


@pytest.mark.parametrize("width", [40, 41, 47])
async def test_a_menu_over_other_widgets_keeps_its_wide_characters(width: int) -> None:
    textual_private.keep_wide_characters_whole()
    app = Covered()
    async with app.run_test(size=(width, 8)) as pilot:
        await pilot.pause()
        compositor = app.screen._compositor
        whole = [strip.text for strip in compositor.render_strips()]
        assert whole[5].rstrip() == "ア" * (width // 2)
        assert whole[0] == "a" * (width // 3) + whole[0][width // 3 :]
        assert {len(strip) for strip in (line.strip() for line in whole[:5])} == {width}
        # A part that is drawn anew under the menu changes nothing of it.
        app.query(Static).first().refresh()
        await pilot.pause()
        assert [strip.text for strip in compositor.render_strips()] == whole


class Sentence(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("tests は終わっています。ここに書けます。")


async def test_japanese_is_broken_beside_kana_and_not_only_at_spaces() -> None:
    textual_private.break_lines_as_japanese()
    app = Sentence()
    async with app.run_test(size=(20, 5)) as pilot:
        await pilot.pause()
        shown = [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]
        assert shown[:3] == ["tests は終わっていま", "す。ここに書けます。", ""]


class Named(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("[/x] [red")
        button = Button("[@click=quit]b[/]")
        button.tooltip = "[/tip]"
        yield button
        chosen = OptionList("[bold]c[/bold]")
        chosen.border_title = "[/title"
        yield chosen
        field = Input(placeholder="[/d]")
        field.border_subtitle = "[/g]"
        yield field


async def test_names_in_brackets_are_shown_as_they_are() -> None:
    textual_private.show_strings_as_they_are()
    app = Named()
    async with app.run_test(size=(40, 20), tooltips=True, notifications=True) as pilot:
        app.query_one(OptionList).add_option("[/f]")

        def shown() -> str:
            return "\n".join(strip.text for strip in app.screen._compositor.render_strips())

        await pilot.pause()
        texts = (
            "[/x] [red",
            "[@click=quit]b[/]",
            "[bold]c[/bold]",
            "[/title",
            "[/d]",
            "[/f]",
            "[/g]",
        )
        assert [text for text in texts if text not in shown()] == []
        app.notify("[/told]")
        await pilot.hover(Button)
        await pilot.pause(1)
        assert "[/tip]" in shown() and "[/told]" in shown()
        named = Content.from_markup("[bold]$name[/bold]", name="[/e]")
        assert (named.plain, len(named.spans)) == ("[/e]", 1)


async def test_a_question_between_two_layouts_hides_no_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    textual_private.keep_layouts_apart()
    app = Cells()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        first, last = app.query(Cell).first(), app.query(Cell).last()
        compositor = app.screen._compositor
        drawn: set[Region] = set()
        render = compositor.render_update

        def noted(**values: object) -> object:
            drawn.update(compositor._dirty_regions)
            return render(**values)  # type: ignore[arg-type]

        monkeypatch.setattr(compositor, "render_update", noted)
        grid = app.query_one(Grid)
        grid.add_class("big")
        grid._clear_arrangement_cache()  # as the layout itself will do first
        compositor._full_map_invalidated = True  # as when a dialog or a toast has come
        before = compositor.visible_widgets[last][0]
        assert last.region != before  # arranged anew, before the layout
        await pilot.pause()
        assert any(region.contains_region(before) for region in drawn)
        assert first.sizes == [20, 40]
