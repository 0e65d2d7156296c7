"""What the outer terminal tells of itself: its replies to queries, its focus, clicks on notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual import events

from nagomi_tui.alerts.outer_terminal import CLICKED
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.driver import modes

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message as TextualMessage

    from nagomi_tui.view.connection.link import Link
    from nagomi_tui.view.driver.tokens import Patience
    from nagomi_tui.view.output.frame_writer import FrameWriter

_STATUS: Final = b"\x1b[0n"
_SCHEME: Final = b"\x1b[?997;"


class TerminalReplies:
    """Takes replies in the IO thread, and hands each to those whom it concerns."""

    def __init__(
        self,
        link: Link,
        to_textual: Callable[[TextualMessage], object],
        frame_writer: Callable[[], FrameWriter | None],
        patience: Patience,
    ) -> None:
        self.on_told: Callable[[str, str], object] = lambda _kind, _text: None
        """Hears, on Textual's loop, of the terminal's `focus` and `version`, of what was `clicked`,
        with its text, and of other `colors`."""
        self._link = link
        self._to_textual = to_textual
        self._frame_writer = frame_writer
        self._patience = patience
        self._colors: dict[int, int] = {}
        self._entering = False
        """Whether the queries sent at the start are unanswered."""

    def await_colors(self) -> None:
        """The terminal was asked for what it can, and for its status behind that."""
        self._entering = True
        self._link.await_colors()

    def focus(self, *, focused: bool) -> None:
        """Tell that the terminal has the keyboard's focus, or no longer."""
        self._to_textual(events.AppFocus() if focused else events.AppBlur())
        self._tell("focus", "in" if focused else "")

    def take(self, data: bytes) -> None:
        """Handle a reply; one that nobody asked for is ignored."""
        if data == _STATUS:
            self._status()
        elif data.startswith(b"\x1b[?2026;") and data[-3:-2] in b"123":
            if (frame_writer := self._frame_writer()) is not None:
                frame_writer.synchronized = True
            self._to_textual(textual_private.supports_synchronized())
        elif data.startswith(_SCHEME):
            self._colors.clear()
            if (frame_writer := self._frame_writer()) is not None:
                frame_writer.write(modes.COLORS_QUERY)
        elif name := modes.name_reply(data):
            self._tell("version", name)
        elif click := CLICKED.match(data):
            self._tell("clicked", click[1].decode())
        elif (color := modes.color_reply(data)) is not None:
            self._colors[color[0]] = color[1]
            if len(self._colors) == 2:
                self._link.set_colors(self._colors[10], self._colors[11])
                if not self._entering:
                    self._tell("colors", "")

    def _status(self) -> None:
        """The first one ends the replies of the beginning; the others end a frame each."""
        if self._entering:
            self._entering = False
            self._link.have_colors()
            return
        frame_writer = self._frame_writer()
        if frame_writer is not None and (trip := frame_writer.answered()) is not None:
            self._patience.measured(trip)

    def _tell(self, kind: str, text: str) -> None:
        self._link.post(lambda: self.on_told(kind, text))
