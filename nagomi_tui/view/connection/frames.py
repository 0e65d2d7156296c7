"""Who takes the frames of a view, and who shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from nagomi_tui.api.messages import Frame, View


class FrameSink(Protocol):
    """What takes the frames of one view."""

    @property
    def view(self) -> int:
        """The view's number on the socket."""

    def wanted(self) -> View | None:
        """Return the view as it is to be asked for, or None while it is not shown."""

    def take(self, frame: Frame) -> bool:
        """Take a frame in, in the IO thread; False where it is of another session."""

    def tell(self) -> None:
        """Have Textual show what changed."""


class FrameOutput(Protocol):
    """What shows panes without Textual."""

    def changed(self, sink: FrameSink, frame: int) -> bool:
        """Take note that a pane is to be painted; False where Textual must do it."""

    def repaint(self, sink: FrameSink) -> bool:
        """Paint what was changed on our side; False where Textual must do it."""
