"""The prompt at the foot of the chat view: Enter sends, Shift+Enter and its kin break the line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.message import Message
from textual.widgets import TextArea

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events

NEWLINE_KEYS: Final = frozenset({"shift+enter", "ctrl+j", "alt+enter"})
"""Many terminals cannot tell Shift+Enter from Enter, so that two others do the same (NB-17)."""


class Prompt(TextArea, inherit_bindings=True):
    """A text of one or many lines; the arrows at its edges go through what was sent before."""

    DEFAULT_CSS = """
    Prompt {
        height: 1fr; border: round $frame; padding: 0 1; background: $background;
        color: $foreground; scrollbar-size-vertical: 1;
        &:ansi { border: round $frame; background: $background; color: $foreground; }
        &:focus { border: round $primary; background: $background; }
        & .text-area--cursor-line { background: $background; }
        & .text-area--placeholder { color: $muted; }
    }
    """

    class Sent(Message):
        """The user sends this text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__(
            soft_wrap=True, tab_behavior="indent", show_line_numbers=False, compact=False
        )
        self.highlight_cursor_line = False
        self.enter_sends = True
        self._history: list[str] = []
        self._back = 0
        self._draft = ""

    def begin(self, draft: str, history: list[str]) -> None:
        """Write for another session: its draft and what was sent to it."""
        self._history, self._back, self._draft = history, 0, draft
        self.text = draft
        self.move_cursor(self.document.end)

    async def _on_key(self, event: events.Key) -> None:
        """Enter sends; the arrows at an edge go through the history; the rest edits."""
        if (act := self._act_for(event.key)) is not None:
            event.stop()
            event.prevent_default()
            act()
        else:
            await super()._on_key(event)

    def _act_for(self, key: str) -> Callable[[], object] | None:
        sends = "enter" if self.enter_sends else "alt+enter"
        if key == sends:
            return self._send
        if key == "enter" or key in NEWLINE_KEYS:
            return lambda: self.insert("\n")
        if self._leaves_text(key):
            return lambda: self._recall(-1 if key == "up" else 1)
        return None

    def _send(self) -> None:
        text = self.text
        if text.strip():
            self.text = self._draft = ""
            self._back = 0
            self.post_message(self.Sent(text))

    def _leaves_text(self, key: str) -> bool:
        if key == "up":
            return self.cursor_at_first_line and bool(self._history)
        return key == "down" and self.cursor_at_last_line and self._back > 0

    def _recall(self, by: int) -> None:
        """Go back (negative) or forth in the history; in front of it is what is being written."""
        if self._back == 0:
            self._draft = self.text
        self._back = max(0, min(len(self._history), self._back - by))
        self.text = self._history[-self._back] if self._back else self._draft
        self.move_cursor(self.document.end)
