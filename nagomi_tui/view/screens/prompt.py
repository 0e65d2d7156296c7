"""The prompt at the foot of the chat view: Enter sends, Shift+Enter and its kin break the line.

While the session reads a secret, what is typed is shown as dots and kept nowhere.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from rich.text import Text
from textual.message import Message
from textual.widgets import TextArea

from nagomi_tui.core.text.text import cells

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events

NEWLINE_KEYS: Final = frozenset({"shift+enter", "ctrl+j", "alt+enter"})
"""Many terminals cannot tell Shift+Enter from Enter, so that two others do the same (NB-17)."""

ANSWERED: Final = 2.0
"""Age in seconds from which a draft is no part of a secret that is read from now on."""

_DOT: Final = "•"


class Prompt(TextArea, inherit_bindings=True):
    """An editor of one or more lines; Up and Down at its edges go through what was sent before."""

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
        """The user sends this text; a hidden one is not to be kept."""

        def __init__(self, text: str, *, hidden: bool = False) -> None:
            super().__init__()
            self.text = text
            self.hidden = hidden

    def __init__(self) -> None:
        super().__init__(
            soft_wrap=True, tab_behavior="indent", show_line_numbers=False, compact=False
        )
        self.highlight_cursor_line = False
        self.enter_sends = True
        self.hidden = False
        self._history: list[str] = []
        self._back = 0
        self._draft = ""
        self._begun_at = float("-inf")

    @property
    def draft(self) -> str:
        """The text that is being written and may be kept; while a secret is read, the one before it."""
        return self._draft if self.hidden else self.text

    def begin(self, draft: str, history: list[str]) -> None:
        """Load another session's draft, and what was sent to it before."""
        self.hidden = False
        self._history = history
        self._begun_at = float("-inf")
        self._write(draft)

    def hide(self, hidden: bool) -> None:
        """Hide what is typed from now on, or end that; a draft waits, and a secret is dropped.

        What was begun a moment ago is taken for the secret: its question is seen before us.
        """
        if hidden is self.hidden:
            return
        answers = hidden and time.monotonic() < self._begun_at + ANSWERED
        waiting, shown = self.text, self._draft
        self.hidden = hidden
        if hidden:
            self._write(waiting if answers else "")
            self._draft = "" if answers else waiting
        else:
            self._write(shown)

    def take_back(self, text: str) -> None:
        """Show a text again that could not be sent, unless another one is being written."""
        if self.hidden:
            self._draft = self._draft or text
        elif not self.text:
            self.text = text

    def get_line(self, line_index: int) -> Text:
        """Return a line as it is shown."""
        line = super().get_line(line_index)
        return Text(_DOT * cells(line.plain), end="", no_wrap=True) if self.hidden else line

    def action_copy(self) -> None:
        """Copy what is selected, unless it is a secret."""
        if not self.hidden:
            super().action_copy()

    def action_cut(self) -> None:
        """Cut what is selected; a secret is only deleted."""
        if self.hidden:
            self.text = ""
        else:
            super().action_cut()

    async def _on_key(self, event: events.Key) -> None:
        """Enter sends; the arrows at an edge go through the history; the rest edits."""
        self._note_beginning()
        if (act := self._act_for(event.key)) is not None:
            event.stop()
            event.prevent_default()
            act()
        else:
            await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        self._note_beginning()
        await super()._on_paste(event)

    def _note_beginning(self) -> None:
        if not self.text:
            self._begun_at = time.monotonic()

    def _act_for(self, key: str) -> Callable[[], object] | None:
        sends = "enter" if self.enter_sends else "alt+enter"
        if key == sends or (self.hidden and key == "enter"):
            return self._send
        if key == "enter" or key in NEWLINE_KEYS:
            return lambda: None if self.hidden else self.insert("\n")
        if self._leaves_text(key):
            return lambda: self._recall(-1 if key == "up" else 1)
        return None

    def _send(self) -> None:
        text = self.text.rstrip("\n") if self.hidden else self.text
        if text.strip():
            self.text = ""
            self._back = 0
            self._draft = self._draft if self.hidden else ""
            self.post_message(self.Sent(text, hidden=self.hidden))

    def _leaves_text(self, key: str) -> bool:
        if self.hidden:
            return False
        if key == "up":
            return self.cursor_at_first_line and bool(self._history)
        return key == "down" and self.cursor_at_last_line and self._back > 0

    def _recall(self, by: int) -> None:
        """Go back (negative) or forth in the history, whose newest entry is the draft."""
        if self._back == 0:
            self._draft = self.text
        self._back = max(0, min(len(self._history), self._back - by))
        self.text = self._history[-self._back] if self._back else self._draft
        self.move_cursor(self.document.end)

    def _write(self, text: str) -> None:
        """Set another text, with an empty undo history."""
        self._back, self._draft = 0, ""
        self.text = text
        self.move_cursor(self.document.end)
