"""Protocols of what receives the frames of a view, and of what paints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from nagomi_tui.api.messages import Frame, View


class FrameSink(Protocol):
    """Receives the frames of one view, as a pane's buffer does."""

    @property
    def view(self) -> int:
        """The view's number on the socket."""

    def wanted(self) -> View | None:
        """Return the view as it is to be asked for, or None while it is not shown."""

    def take(self, frame: Frame) -> bool:
        """Apply a frame, in the IO thread; return False if it belongs to another session."""

    def tell(self) -> None:
        """Have Textual show what changed."""


class FrameOutput(Protocol):
    """Paints panes without Textual, as the frame writer does."""

    def changed(self, sink: FrameSink, frame: int) -> bool:
        """Note that a pane is to be painted; return False if Textual must do that."""

    def repaint(self, sink: FrameSink) -> bool:
        """Paint a pane whose marks have changed; return False if Textual must do that."""
