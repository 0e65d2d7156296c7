"""Protocols of the link, for parts of the front end that need only a few of its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Lock

    from nagomi_tui.api.messages import Failed, Message, Request
    from nagomi_tui.view.connection.frames import FrameOutput, FrameSink

Answered = TypeVar("Answered")


class RequestLink(Protocol):
    """Sends requests to the orchestrator."""

    def request(
        self, message: Request[Answered], on_done: Callable[[Answered | Failed], object]
    ) -> None:
        """Send a request; `on_done` gets its result on Textual's loop."""


class PaneLink(RequestLink, Protocol):
    """Delivers frames of sessions, which its IO thread applies and paints."""

    @property
    def lock(self) -> Lock:
        """Guards what the IO thread and Textual's loop both use of panes and of the terminal."""

    @property
    def frame_writer(self) -> FrameOutput | None:
        """What paints panes without Textual; None where Textual paints all."""

    def post(self, work: Callable[[], object]) -> None:
        """Call `work` on Textual's loop soon, in the order of posting."""

    def send(self, message: Message) -> None:
        """Send a message, from any thread."""

    def new_view(self) -> int:
        """Return a number for a view."""

    def show(self, sink: FrameSink, view: int) -> None:
        """Give the frames of `view` to `sink`, and ask for them."""

    def hide(self, view: int) -> None:
        """Ask for no more frames of `view`."""
