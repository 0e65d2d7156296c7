"""Shows keys that are on their way to a far session, as its pane predicts their echo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.api.messages import Press
from nagomi_tui.core.text.predicted_echo import ERASE, OTHER
from nagomi_tui.view.driver.route import types
from nagomi_tui.view.driver.strokes import SHIFT

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import Paste, TypeText
    from nagomi_tui.view.connection.io_thread import IoThread, Timer
    from nagomi_tui.view.output.frame_writer import FrameWriter
    from nagomi_tui.view.pane.buffer import PaneBuffer


class EchoKeys:
    """Hands keys to the pane that shows them, and looks again when their echo is due.

    For the IO thread only, but for `may_predict`, which is called in it, and `look_again`.
    """

    def __init__(self, io: IoThread, frame_writer: Callable[[], FrameWriter | None]) -> None:
        self.may_predict: Callable[[str], bool] = lambda _session: False
        """Tells whether the echo of a session may be predicted now."""
        self._io = io
        self._frame_writer = frame_writer
        self._pane: PaneBuffer | None = None
        """The pane that was typed into last."""
        self._timer: Timer | None = None

    def typed(self, message: Press | TypeText | Paste) -> None:
        """Take what was sent to a session."""
        key = guessed_key(message)
        frame_writer = self._frame_writer()
        pane = frame_writer.watched(message.session) if frame_writer and key is not None else None
        if pane is None or key is None:
            return
        self._pane = pane
        may = pane.follows_from_the_left and self.may_predict(message.session)
        self._show(pane, pane.typed(key) if may else pane.forget_echo())

    def look_again(self) -> None:
        """Take predictions back where there may be none any more; for any thread."""
        self._io.call(self._look_again)

    def _look_again(self) -> None:
        pane = self._pane
        if pane is not None and not self.may_predict(pane.session):
            self._show(pane, pane.forget_echo())

    def _show(self, pane: PaneBuffer, changed: bool) -> None:
        frame_writer = self._frame_writer()
        if changed and (frame_writer is None or not frame_writer.repaint(pane)):
            pane.tell()
        wait = pane.echo_wait
        if self._timer is None and wait is not None:
            self._timer = self._io.after(wait, lambda: self._due(pane))

    def _due(self, pane: PaneBuffer) -> None:
        self._timer = None
        self._show(pane, pane.look_for_echo())


def guessed_key(message: Press | TypeText | Paste) -> str | None:
    """Return the key that the echo is predicted with; None for one that types nothing."""
    if not isinstance(message, Press):
        return OTHER
    if not types(message.key, message.action):
        return None
    if message.key == "backspace" and not message.mods:
        return ERASE
    plain = len(message.text) == 1 and message.text.isprintable() and not message.mods & ~SHIFT
    return message.text if plain else OTHER
