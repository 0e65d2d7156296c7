"""The prompt of the chat view: its editor, its history, and the search in it.

While it is empty, some keys are for the program: Escape, Ctrl+C, Shift+Tab, and the arrows of a menu.
A key of an open question answers it with Enter behind it, and only where the question stood there
before the key: what is written as a message, or typed ahead, never approves anything. While the
session reads a secret, what is typed is shown as dots and kept nowhere.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import TextArea

from nagomi_tui.agents.slash_commands import Slash, own_commands, slash_of
from nagomi_tui.sessions.session import Session
from nagomi_tui.system.completion import beginning
from nagomi_tui.text.cells import cells
from nagomi_tui.text.key_names import BEHIND_SECONDS
from nagomi_tui.view.common.timers import SETTLE_SECONDS, HeldKey
from nagomi_tui.view.common.translate import tr


class HistorySearch:
    """A search for the newest text that holds what was typed, and for older ones."""

    def __init__(self, history: Sequence[str], draft: str) -> None:
        self._history = history
        self.draft = draft
        """What stood in the prompt before; it comes back when the search is given up."""
        self.wanted = ""
        """What is searched for."""
        self._at = len(history)
        """Place of the text that is shown; the history's length while none is."""

    @property
    def found(self) -> str | None:
        """The text that is shown, or None while there is none."""
        return self._history[self._at] if self._at < len(self._history) else None

    @property
    def fails(self) -> bool:
        """Whether no text holds what is searched for."""
        return self.wanted.casefold() not in (self.found or "").casefold()

    def type(self, character: str) -> None:
        """Search for one more character; the text shown stays while it fits."""
        self.wanted += character
        self._look(self._at)

    def erase(self) -> None:
        """Search for one character less, from the newest text on."""
        self.wanted = self.wanted[:-1]
        self._look(len(self._history))

    def older(self) -> None:
        """Show an older text that fits, and is another one; without one, the same as before."""
        self._look(self._at - 1, unlike=self.found)

    def _look(self, newest: int, *, unlike: str | None = None) -> None:
        wanted = self.wanted.casefold()
        for at in range(min(newest, len(self._history) - 1), -1, -1):
            text = self._history[at]
            if wanted and wanted in text.casefold() and text != unlike:
                self._at = at
                return


NEWLINE_KEYS: Final = frozenset({"shift+enter", "ctrl+j", "alt+enter"})
"""Many terminals cannot tell Shift+Enter from Enter, so that two others do the same (NB-17)."""

ANSWERED: Final = 2.0
"""Age in seconds from which a draft is no part of a secret that is read from now on."""

PAUSE_SECONDS: Final = 0.8
"""For so long nothing follows a key that answers by itself, where the user has set it so."""

PASSED: Final = frozenset({"escape", "ctrl+c", "shift+tab"})
"""Keys that an empty prompt hands to the program."""
MENU: Final = frozenset({"up", "down", "left", "right", "enter", "space", "tab"})
"""Keys that it hands on, too, while a menu for the arrow keys stands there."""
_ARROWS: Final = frozenset({"up", "down", "left", "right", "tab"})
"""Keys of a menu that choose nothing, and may be held."""
_DOT: Final = "•"
_INDENT: Final = "    "


class Keys(NamedTuple):
    """The keys of an open question."""

    choices: frozenset[str] = frozenset()
    menu: bool = False
    """It is answered with the arrow keys."""
    question: str = ""
    """The question's id."""


class Prompt(TextArea, inherit_bindings=True):
    """An editor of one or more lines; Up and Down at its edges go through what was sent before."""

    DEFAULT_CSS = """
    Prompt {
        height: 1fr; border: round $frame; padding: 0 1; background: $background;
        color: $foreground; scrollbar-size-vertical: 1; border-subtitle-color: $muted;
        &:ansi { border: round $frame; background: $background; color: $foreground; }
        &:focus { border: round $primary; background: $background; }
        & .text-area--cursor-line { background: $background; }
        & .text-area--placeholder { color: $muted; }
    }
    """

    @dataclass
    class Sent(Message):
        """The user sends this text; a hidden one is not to be kept."""

        text: str
        hidden: bool = False
        early: bool = False
        """It was begun before the question that stands open now."""

    @dataclass
    class Passed(Message):
        """The prompt is empty, and this key is for the program."""

        key: str

    @dataclass
    class Chosen(Message):
        """This key, the only text of the prompt, answers the question that stands there."""

        choice: str
        question: str

    def __init__(self) -> None:
        super().__init__(
            soft_wrap=True, tab_behavior="indent", show_line_numbers=False, compact=False
        )
        self.highlight_cursor_line = False
        self.enter_sends = True
        self.hidden = False
        self.passes = True
        """Whether keys are handed to the program while the prompt is empty."""
        self.answers_alone = False
        """Whether a key of a question answers without Enter if nothing follows it."""
        self.at_rest = ""
        """What stands on the lower edge while nothing is written: what the chat gives over zoom."""
        self.complete: Callable[[str], Completion | None] = lambda _before: None
        """Returns what the text before the cursor may become."""
        self._keys = Keys()
        self._keys_at = float("-inf")
        self._held = HeldKey()
        self._is_held = False
        """Whether the key that is handled only repeats."""
        self._begun_at_question = ""
        """Id of the question that stood there when the text was begun."""
        self._search: HistorySearch | None = None
        self._offers: list[str] = []
        """What Tab goes through, the next one first."""
        self._offered = ""
        """The last word as Tab has written it."""
        self._escaped = False
        self._history: list[str] = []
        self._back = 0
        self._emptied_until = float("-inf")
        """Until when a key is meant for the text that has gone."""
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
        self._search, self._offers, self._escaped = None, [], False
        self._write(draft)

    def expect(self, keys: Keys) -> None:
        """Take the keys of the question that stands open now."""
        if keys != self._keys:
            self._keys, self._keys_at = keys, time.monotonic()

    def show_rest(self) -> None:
        """Say at the lower edge what the chat gives, unless something is written or searched for."""
        if self._search is None and not self._offers and not self._escaped:
            self.border_subtitle = "" if self.text or self.hidden else self.at_rest

    def _show_search(self) -> None:
        search = self._search
        if search is None:
            self.border_subtitle = ""
            self.show_rest()
        elif search.fails:
            self.border_subtitle = tr("nothing sent holds “{wanted}”", wanted=search.wanted)
        else:
            self.border_subtitle = tr("search: {wanted}", wanted=search.wanted)

    def hide(self, hidden: bool) -> None:
        """Hide what is typed from now on, or end that; a draft waits, and a secret is dropped.

        What was begun a moment ago is taken for the secret: the user sees its question before we do.
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
        line = super().get_line(line_index)
        return Text(_DOT * cells(line.plain), end="", no_wrap=True) if self.hidden else line

    def action_copy(self) -> None:
        """Copy what is selected, unless it is a secret."""
        if not self.hidden:
            super().action_copy()

    def empty(self) -> None:
        """Delete the text; undo brings it back, unless it is a secret."""
        if self.hidden:
            self.text = ""
        else:
            self.history.checkpoint()
            self.clear()
        self._emptied()

    def _emptied(self) -> None:
        """Hand nothing on for a moment: Enter or Escape once more is not meant for the program."""
        self._back = 0
        self._emptied_until = time.monotonic() + BEHIND_SECONDS

    def action_cut(self) -> None:
        """Cut what is selected; a secret is only deleted."""
        if self.hidden:
            self.text = ""
        else:
            super().action_cut()

    async def _on_key(self, event: events.Key) -> None:
        """Enter sends; the arrows at an edge go through the history; the rest edits."""
        self._note_beginning()
        self._is_held = self._held.repeats(event.key)
        if self._search is not None and self._searched(self._search, event):
            act: Callable[[], object] | None = self._show_search
        else:
            act = self._handed_on(event) or self._act_for(event.key)
        if event.key != "tab":
            self._offers, self.border_subtitle = [], ""
        if event.key != "escape":
            self._escaped = False
        self.show_rest()
        if act is not None:
            event.stop()
            event.prevent_default()
            act()
        else:
            await super()._on_key(event)
            if self.answers_alone and self._choice(self.text):
                self.set_timer(PAUSE_SECONDS, partial(self._answer_alone, self.text))

    async def _on_paste(self, event: events.Paste) -> None:
        self._note_beginning()
        await super()._on_paste(event)

    def _note_beginning(self) -> None:
        if not self.text:
            self._begun_at = time.monotonic()
            self._begun_at_question = self._keys.question if self._is_settled() else ""

    def _act_for(self, key: str) -> Callable[[], object] | None:
        sends = "enter" if self.enter_sends else "alt+enter"
        if key == sends or (self.hidden and key == "enter"):
            return self._send
        if key == "enter" or key in NEWLINE_KEYS:
            return lambda: None if self.hidden else self.insert("\n")
        if self._leaves_text(key):
            return lambda: self._recall(-1 if key == "up" else 1)
        return self._editing(key)

    def _editing(self, key: str) -> Callable[[], object] | None:
        if key == "escape":
            return self._escape
        if key == "ctrl+c" and self.selection.is_empty:
            return self.empty
        if key == "ctrl+r":
            return self._begin_search
        if key in ("tab", "shift+tab"):
            return self._tab if key == "tab" else lambda: None
        return None

    # --- keys that are not for the prompt

    def _handed_on(self, event: events.Key) -> Callable[[], object] | None:
        """Return what hands a key on to the program, or None if it is for the prompt."""
        if self.text or not self.passes:
            return None
        key = event.key
        in_menu = self._keys.menu and key in MENU and not self.hidden
        if (in_menu or key in PASSED or key == "enter") and time.monotonic() < self._emptied_until:
            return self._emptied
        if not event.is_printable and key in self._keys.choices and self._is_settled():
            if self._is_held:
                return lambda: None
            return lambda: self.post_message(self.Chosen(key, self._keys.question))
        if in_menu and (not self._is_settled() or (self._is_held and key not in _ARROWS)):
            return lambda: None
        if key in PASSED or in_menu:
            return lambda: self.post_message(self.Passed(key))
        return None

    def _is_settled(self) -> bool:
        """Whether the open question, if there is one, has stood there for a moment."""
        return time.monotonic() >= self._keys_at + SETTLE_SECONDS

    def _choice(self, text: str) -> str:
        """Return the choice that a text is, if its question stood there before the text; else ""."""
        if self.hidden or not self.passes or self._keys.question != self._begun_at_question:
            return ""
        typed = text.strip()
        known = (typed, typed.lower(), typed.upper())
        return next((name for name in known if name in self._keys.choices), "")

    def _answer_alone(self, text: str) -> None:
        if self.text == text and (choice := self._choice(text)):
            self._answer(choice)

    def _answer(self, choice: str) -> None:
        self.text = ""
        self._emptied()
        self.post_message(self.Chosen(choice, self._keys.question))

    # --- Escape, Tab, Ctrl+R

    def _escape(self) -> None:
        """The second of two Escapes deletes the text."""
        if self._escaped:
            self.empty()
        elif self.text:
            self.border_subtitle = tr("Esc again empties it")
        self._escaped = not self._escaped and bool(self.text)

    def _tab(self) -> None:
        """Complete the last word, or go to the next thing that it may become."""
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        if self.hidden:
            return
        if self._offers:
            self._next_offer(row, column)
        elif not before.strip():
            self.insert(_INDENT if self.text else "")
        elif (found := self.complete(before)) is not None and found.offers:
            self.replace(found.common, (row, column - len(found.typed)), (row, column))
            if len(found.offers) > 1:
                self._offers = list(found.offers)
                self._offered = found.common
                self.border_subtitle = "  ".join(found.offers)
            elif not found.common.endswith("/"):
                self.insert(" ")

    def _next_offer(self, row: int, column: int) -> None:
        offer = self._offers.pop(0)
        self._offers.append(offer)
        self.replace(offer, (row, column - len(self._offered)), (row, column))
        self._offered = offer

    def _begin_search(self) -> None:
        if not self.hidden:
            self._search = HistorySearch(self._history, self.text)
            self._show_search()

    def _searched(self, search: HistorySearch, event: events.Key) -> bool:
        """Take a key for the search; False for one that ends it and does what it does elsewhere."""
        if event.key in ("escape", "ctrl+c", "ctrl+g"):
            self._search = None
            self._show_found(search.draft)
            return True
        if event.key == "ctrl+r":
            search.older()
        elif event.key == "backspace":
            search.erase()
        elif event.is_printable and event.character:
            search.type(event.character)
        else:
            self._search = None
            self._show_search()
            return event.key == "enter"
        self._show_found(search.found if search.found is not None else search.draft)
        return True

    def _show_found(self, text: str) -> None:
        self.text = text
        self.move_cursor(self.document.end)

    def _send(self) -> None:
        text = self.text.rstrip("\n") if self.hidden else self.text
        if choice := self._choice(text):
            self._answer(choice)
        elif text.strip():
            self.text = ""
            self._emptied()
            if not self.hidden:
                self._draft = ""
            early = not self.hidden and self._keys.question not in ("", self._begun_at_question)
            self.post_message(self.Sent(text, hidden=self.hidden, early=early))

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


_MOST: Final = 50
_WORD: Final = re.compile(r"(?:\\.|[^\s\\])*\Z")


class Completion(NamedTuple):
    """The beginning of the last word, and what it may become."""

    typed: str
    offers: tuple[str, ...]

    @property
    def common(self) -> str:
        """The longest beginning that all offers share."""
        return os.path.commonprefix(self.offers)


def complete(before: str, session: Session) -> Completion:
    """Return what the last word of the text `before` the cursor may become.

    At the text's beginning `/` is a command of the session's agent; behind `@` stands a file.
    """
    word = _WORD.search(before)
    typed = word.group() if word else ""
    named = before == typed and typed.startswith("/") and "/" not in typed[1:]
    if named and (slash := slash_of(session.agent_name)) != Slash():
        return Completion(typed, _commands(typed, slash, session))
    mark = "@" if typed.startswith("@") else ""
    plain = typed[len(mark) :].replace("\\ ", " ")
    if not session.is_local or (not plain and not mark):
        return Completion(typed, ())
    found = beginning(plain, base=session.here, files=True, limit=_MOST)
    return Completion(typed, tuple(mark + path.replace(" ", "\\ ") for path in found))


def _commands(typed: str, slash: Slash, session: Session) -> tuple[str, ...]:
    """Return the agent's own commands, and those in the user's and the project's folders."""
    own = own_commands(slash, session.here) if session.is_local else ()
    known = {f"/{name}" for name in (*slash.commands.split(), *own)}
    return tuple(sorted(name for name in known if name.startswith(typed)))
