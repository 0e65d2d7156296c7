"""The frame writer beside Textual: whoever writes last, the terminal shows the newest rows."""

from __future__ import annotations

import contextlib
import os
import pty
import tty
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from nagomi_tui.api.messages import Hello, View
from nagomi_tui.terminal.ghostty.engine import GhosttyEngine
from nagomi_tui.text.rows import Cursor, Row, Run, Style
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.textual_private import SYNC_END, SYNC_START
from nagomi_tui.view.driver.frame_writer import FrameWriter, Placement
from nagomi_tui.view.driver.terminal_writer import TerminalWriter
from nagomi_tui.view.pane.buffer import CellRect, PaneBuffer
from nagomi_tui.view.pane.viewport import Viewport
from tests.helpers.front_socket import frame_of

if TYPE_CHECKING:
    from collections.abc import Iterator

CONSOLE = Console(color_system="truecolor", force_terminal=True)
PLACE = CellRect(3, 1, 10, 3)


class Desk:
    """One pane, a frame writer and a PTY; the test is both threads, in the order that it chooses."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.link = Link(Hello(version="0"), address=Path("/nonexistent"))
        self.tty = TerminalWriter(self.slave, self.link)
        self.frame_writer = FrameWriter(self.link, self.tty)
        self.told = 0
        self.pane = PaneBuffer(self.link, Viewport(), self._told)
        self.pane.begin(1, "s")
        self.pane.resize(PLACE.width, PLACE.height)
        self.engine = GhosttyEngine(20, 6)
        self.number = 0

    def _told(self) -> None:
        self.told += 1

    def arrive(self, *rows: tuple[int, str]) -> bool:
        """A frame arrives in the IO thread; True if the frame writer takes it."""
        self.number += 1
        view = View(view=1, session="s", cols=10, rows=3)
        found = [(y, Row((Run(text, Style()),))) for y, text in rows]
        frame = frame_of(view, found, number=self.number, cursor=Cursor(2, 1))
        assert self.pane.take(frame)
        return self.frame_writer.changed(self.pane, self.number)

    def textual(self) -> str:
        """Textual takes the rows for a frame of its own, which it has not written yet."""
        strips = self.pane.strips(PLACE.x)
        body = "".join(
            f"\x1b[{PLACE.y + y + 1};{PLACE.x + 1}H{strip.render(CONSOLE)}"
            for y, strip in enumerate(strips)
        )
        return f"{SYNC_START}{body}{SYNC_END}"

    def commit(self, frame: str, *, exposed: bool = True) -> None:
        self.frame_writer.commit(frame, {self.pane: Placement(PLACE, exposed)})

    def shown(self) -> list[str]:
        """Return what the terminal shows in the pane's place."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self.engine.feed(os.read(self.master, 65536))
        lines = [row.text.ljust(20) for row in self.engine.screen()]
        return [line[PLACE.x : PLACE.x + PLACE.width].rstrip() for line in lines[1:4]]


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.tty.close()
    desk.link.stop()
    os.close(desk.master)
    os.close(desk.slave)


def test_before_textual_has_drawn_it_a_pane_is_textuals(desk: Desk) -> None:
    assert not desk.arrive((0, "first"))
    desk.commit(desk.textual())
    assert desk.shown() == ["first", "", ""]
    assert desk.arrive((1, "second"))
    desk.frame_writer.turn()
    assert desk.shown() == ["first", "second", ""]


def test_a_frame_that_textual_made_before_newer_rows_does_not_win(desk: Desk) -> None:
    desk.commit(desk.textual())
    desk.arrive((0, "old"))
    desk.frame_writer.turn()
    late = desk.textual()
    desk.arrive((0, "new"), (2, "more"))
    desk.frame_writer.turn()
    assert desk.shown() == ["new", "", "more"]
    desk.commit(late)
    assert desk.shown() == ["new", "", "more"]
    desk.arrive((0, "newer"))
    desk.frame_writer.turn()
    assert desk.shown() == ["newer", "", "more"]


def test_rows_that_textual_drew_first_are_not_painted_twice(desk: Desk) -> None:
    desk.arrive((0, "row"))
    desk.commit(desk.textual())
    desk.shown()
    desk.commit(f"{SYNC_START}{SYNC_END}")
    with contextlib.suppress(BlockingIOError):
        assert b"row" not in os.read(desk.master, 65536)


def test_under_a_cover_nothing_is_painted_and_textual_hears_of_rows_it_missed(desk: Desk) -> None:
    desk.arrive((0, "row"))
    desk.commit(desk.textual())
    covered = desk.textual()
    desk.arrive((1, "missed"))
    desk.frame_writer.turn()
    desk.commit(covered, exposed=False)
    assert desk.pane.take_stale() == [1]
    assert not desk.arrive((0, "under"))
    desk.frame_writer.turn()
    assert desk.shown()[0] == "row"
    desk.commit(desk.textual(), exposed=True)
    assert desk.shown() == ["under", "missed", ""]


def test_the_cursor_comes_back_after_each_of_textuals_frames(desk: Desk) -> None:
    desk.frame_writer.give_cursor("s")
    desk.arrive((0, "row"))
    desk.commit(desk.textual())
    desk.shown()
    assert desk.engine.cursor == Cursor(PLACE.x + 2, PLACE.y + 1)
    desk.frame_writer.give_cursor("")
    desk.shown()
    assert not desk.engine.cursor.visible


def test_a_terminal_that_takes_nothing_gets_the_newest_frame_in_the_end(desk: Desk) -> None:
    desk.commit(desk.textual())
    with desk.link.lock:
        desk.tty.write(b"\x1b[m" * 400_000)
    assert desk.tty.behind
    for number in range(50):
        assert desk.arrive((0, f"row {number}"))
        desk.frame_writer.turn()
    assert desk.frame_writer.frames == 0
    while desk.tty.behind:
        desk.shown()
        with desk.link.lock:
            desk.tty.finish(0.01)
    desk.frame_writer.turn()
    assert desk.shown()[0] == "row 49"
    assert desk.frame_writer.frames == 1


def test_direct_output_may_be_switched_off(desk: Desk) -> None:
    desk.frame_writer.enabled = False
    desk.commit(desk.textual())
    assert not desk.arrive((0, "row"))


def test_a_pane_that_is_laid_out_after_its_frame_is_news(desk: Desk) -> None:
    desk.frame_writer.give_cursor("s")
    assert not desk.arrive((0, "one"))
    assert desk.frame_writer.modes_changed and desk.frame_writer.watched("s") is None
    desk.frame_writer.modes_changed = False
    desk.commit(desk.textual())
    assert desk.frame_writer.modes_changed and desk.frame_writer.watched("s") is desk.pane
    desk.frame_writer.modes_changed = False
    desk.commit(desk.textual())
    assert not desk.frame_writer.modes_changed
