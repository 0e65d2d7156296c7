"""The pane inside a Textual app without a terminal: Textual itself draws it."""

from __future__ import annotations

import time

import pytest
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from nagomi_tui.api.messages import Hello, Taken, ToClient, Unview, View, Welcome
from nagomi_tui.text.rows import Modes, Row, Run, Style
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.driver.strokes import Report, mouse_event
from nagomi_tui.view.pane.pane import TerminalPane
from tests.helpers.front_socket import FrontSocket, frame_of
from tests.helpers.waiting import PATIENCE

SESSION = "11111111-1111-4111-8111-111111111111"


def text_row(text: str, style: Style | None = None) -> Row:
    return Row((Run(text, style or Style()),))


class PaneApp(App[None]):
    def __init__(self, front: FrontSocket) -> None:
        super().__init__()
        self.link = Link(Hello(version="0", front_end=True), address=front.address)
        self.pane = TerminalPane(self.link, SESSION)
        self.messages: list[ToClient] = []
        self.scrolled: list[tuple[bool, int]] = []

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        import asyncio

        self.link.on_message = self.messages.append
        self.link.start(asyncio.get_running_loop())

    def on_unmount(self) -> None:
        self.link.stop()

    def on_terminal_pane_scrolled(self, message: TerminalPane.Scrolled) -> None:
        self.scrolled.append((message.pane.following, message.pane.lines_below))

    def screen_text(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]


async def settle(pilot, condition) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + PATIENCE
    await pilot.pause(0.005)
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await pilot.pause(0.005)


@pytest.fixture
def front():  # type: ignore[no-untyped-def]
    with FrontSocket() as front:
        yield front


async def _shown(app: PaneApp, front: FrontSocket, pilot) -> View:  # type: ignore[no-untyped-def]
    await settle(pilot, lambda: front.views)
    return next(iter(front.views.values()))


def run(coroutine) -> None:  # type: ignore[no-untyped-def]
    import asyncio

    asyncio.run(coroutine)


def test_a_frame_is_shown_and_taken(front: FrontSocket) -> None:
    async def story() -> None:
        app = PaneApp(front)
        async with app.run_test(size=(30, 6)) as pilot:
            view = await _shown(app, front, pilot)
            assert (view.cols, view.rows, view.session) == (30, 6, SESSION)
            front.send(
                frame_of(view, [(0, text_row("hello")), (2, text_row("日本", None))], full=True)
            )
            await settle(pilot, lambda: app.screen_text()[0] == "hello")
            assert app.screen_text()[2].startswith("日")
            await settle(pilot, lambda: front.taken == {view.view: 1})
            assert isinstance(app.messages[0], Welcome)

    run(story())


def test_rows_wider_than_the_pane_are_cropped(front: FrontSocket) -> None:
    async def story() -> None:
        app = PaneApp(front)
        async with app.run_test(size=(10, 3)) as pilot:
            view = await _shown(app, front, pilot)
            wide = Row((Run("日本語日本語", Style(), 2),))
            front.send(frame_of(view, [(0, text_row("x" * 50)), (1, wide), (9, wide)], full=True))
            await settle(pilot, lambda: app.screen_text()[0] == "x" * 10)
            assert app.screen_text()[1] == "日本語日本"

    run(story())


def test_scrolling_fixes_a_line_and_the_end_follows_again(front: FrontSocket) -> None:
    async def story() -> None:
        app = PaneApp(front)
        async with app.run_test(size=(10, 4)) as pilot:
            view = await _shown(app, front, pilot)
            front.send(frame_of(view, [(0, text_row("a"))], full=True, line=96, last_line=99))
            await settle(pilot, lambda: app.pane.buffer.scroll.line == 96)
            app.pane.scroll_lines(-10)
            await settle(pilot, lambda: front.views[view.view].line == 86)
            assert not app.pane.following
            front.send(frame_of(view, [], line=86, last_line=99, number=2))
            await settle(pilot, lambda: (False, 10) in app.scrolled)
            app.pane.scroll_lines(10)
            await settle(pilot, lambda: front.views[view.view].line is None)
            await settle(pilot, lambda: (True, 10) in app.scrolled)

    run(story())


def test_another_session_is_another_view(front: FrontSocket) -> None:
    async def story() -> None:
        app = PaneApp(front)
        async with app.run_test(size=(10, 4)) as pilot:
            view = await _shown(app, front, pilot)
            front.send(frame_of(view, [(0, text_row("old"))], full=True))
            await settle(pilot, lambda: app.screen_text()[0] == "old")
            app.pane.session_id = "2"
            await settle(pilot, lambda: app.screen_text()[0] == "")
            await settle(pilot, lambda: [v.session for v in front.views.values()] == ["2"])
            assert front.of(Unview) == [Unview(view=view.view)]

    run(story())


def test_out_of_sight_no_frames_are_asked_for(front: FrontSocket) -> None:
    async def story() -> None:
        app = PaneApp(front)
        async with app.run_test(size=(10, 4)) as pilot:
            view = await _shown(app, front, pilot)
            app.pane.in_sight = False
            await settle(pilot, lambda: front.of(Unview) == [Unview(view=view.view)])
            asked = len(front.of(View))  # twice, where the layout came late
            app.pane.session_id = "2"
            app.pane.in_sight = True
            await settle(pilot, lambda: [v.session for v in front.views.values()] == ["2"])
            assert [one.session for one in front.of(View)[asked:]] == ["2"]

    run(story())


def test_the_wheel_on_an_alternate_screen_goes_to_the_child(front: FrontSocket) -> None:
    async def story() -> None:
        from nagomi_tui.api.messages import Point

        app = PaneApp(front)
        async with app.run_test(size=(10, 4)) as pilot:
            view = await _shown(app, front, pilot)
            front.send(frame_of(view, [], full=True, modes=Modes(alt_screen=True)))
            await settle(pilot, lambda: app.pane.buffer.modes.alt_screen)
            from textual.events import MouseScrollUp

            app.screen._forward_event(
                MouseScrollUp(None, 3, 2, 0, 0, 0, False, False, False, screen_x=3, screen_y=2)
            )
            await settle(pilot, lambda: front.of(Point))
            point = front.of(Point)[0]
            assert isinstance(point, Point)
            assert (point.x, point.y, point.button) == (3, 2, 4)
            assert app.pane.following

    run(story())


class BelowAnother(PaneApp):
    def compose(self) -> ComposeResult:
        yield Static("above")
        yield from super().compose()

    def point(self, *reports: Report) -> None:
        """Hand reports over at once, as they are read from the terminal of a busy machine."""
        for report in reports:
            self.post_message(mouse_event(report, (0, 0)))


def test_a_drag_is_the_panes_from_its_press_to_its_release(front: FrontSocket) -> None:
    press, beyond, release = (
        Report(0, 2, 2, False),
        Report(32, 2, 0, False),
        Report(0, 2, 0, True),
    )

    async def story() -> None:
        app = BelowAnother(front)
        async with app.run_test(size=(10, 4)) as pilot:
            view = await _shown(app, front, pilot)
            front.send(frame_of(view, [(0, text_row("a"))], full=True, line=96, last_line=98))
            await settle(pilot, lambda: app.pane.buffer.scroll.line == 96)
            app.point(press, beyond)
            await settle(pilot, lambda: (front.views[view.view].line or 96) < 94)
            app.push_screen(Screen())
            await settle(pilot, lambda: app.mouse_captured is None)
            await settle(pilot, lambda: app.pane._gestures._edge is None)
            app.pop_screen()
            app.pane.follow()
            app.point(press, beyond, release)
            await settle(pilot, lambda: app.pane.buffer.marks is not None)
            await settle(pilot, lambda: app.pane._gestures._edge is None)
            assert app.mouse_captured is None

    run(story())


def test_frames_of_a_resized_pane_are_asked_for_again(front: FrontSocket) -> None:
    async def story() -> None:
        app = PaneApp(front)
        async with app.run_test(size=(10, 4)) as pilot:
            await _shown(app, front, pilot)
            await pilot.resize_terminal(20, 5)
            await settle(
                pilot, lambda: [(v.cols, v.rows) for v in front.views.values()] == [(20, 5)]
            )

    run(story())


def test_every_frame_is_answered_by_taken(front: FrontSocket) -> None:
    async def story() -> None:
        app = PaneApp(front)
        async with app.run_test(size=(10, 4)) as pilot:
            view = await _shown(app, front, pilot)
            for number in range(1, 51):
                front.send(frame_of(view, [(0, text_row(str(number)))], number=number))
            await settle(pilot, lambda: app.screen_text()[0] == "50")
            await settle(pilot, lambda: len(front.of(Taken)) == 50)

    run(story())
