"""Copy mode: its keys, and its line at the foot of the pane."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final, NamedTuple

from textual import events
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from nagomi_tui.text.cells import cells, cut_left, printable
from nagomi_tui.text.motions import MOTIONS
from nagomi_tui.text.selection import Marks, Shape, by_line
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.pane.copy_cursor import CopyCursor, Searching
from nagomi_tui.view.pane.lines import Follow
from nagomi_tui.view.pane.pane import TerminalPane

KEYS: Final = {
    "h": "left", "left": "left", "backspace": "left",
    "j": "down", "down": "down", "ctrl+n": "down",
    "k": "up", "up": "up", "ctrl+p": "up",
    "l": "right", "right": "right", "space": "right",
    "w": "word_next", "b": "word_previous", "e": "word_end",
    "ctrl+right": "word_next", "ctrl+left": "word_previous",
    "0": "line_start", "home": "line_start", "^": "line_text", "$": "line_end", "end": "line_end",
    "g": "first", "ctrl+home": "first", "G": "last", "ctrl+end": "last",
    "ctrl+u": "half_up", "ctrl+d": "half_down",
    "pageup": "page_up", "ctrl+b": "page_up", "pagedown": "page_down", "ctrl+f": "page_down",
    "shift+pageup": "page_up", "shift+pagedown": "page_down",
    "H": "top", "M": "middle", "L": "bottom",
    "{": "paragraph_up", "}": "paragraph_down",
    "v": "select", "V": "select_lines", "ctrl+v": "select_block",
    "o": "other_end_or_open", "y": "copy", "enter": "copy_or_open",
    "/": "search_down", "?": "search_up", "n": "next", "N": "previous", "*": "search_word",
    "q": "leave", "escape": "give_up", "i": "leave", "ctrl+c": "leave",
}  # fmt: skip
"""What each key does, by the character that it types or by its name."""


def command(key: str, character: str | None) -> str:
    """Return what a key does, or ""."""
    return KEYS.get(character or "", "") or KEYS.get(key, "")


class LineState(NamedTuple):
    """What the line of copy mode shows."""

    line: int
    lines: int
    selecting: bool
    on_link: bool
    typed: str | None
    """What is typed after `/` or `?`, with that sign; None when nothing is searched for."""
    matches: str
    searching: bool
    """Whether the result of a search is awaited."""


def line_of(state: LineState, width: int) -> Content:
    """Return the line in at most `width` cells; keys are left out from the end."""
    if state.typed is not None:
        return _search(state, width)
    title = tr("Selecting") if state.selecting else tr("Looking back")
    parts = [f"{state.line}/{state.lines}"]
    if state.matches:
        parts.append(tr("match {count}", count=state.matches))
    where = "  ".join(parts)
    keys = keys_of(state)
    while keys and cells(title) + cells(where) + sum(cells(key) + 3 for key in keys) + 4 > width:
        keys.pop(-2 if len(keys) > 1 else -1)
    return Content.assemble((title, "bold"), f"  {where}   {' · '.join(keys)}")


def keys_of(state: LineState) -> list[str]:
    """Return what keys do now, the most useful first and the way out last."""
    if state.selecting:
        return [tr("y copy"), tr("o other end"), tr("V lines"), tr("Ctrl+v block"),
                tr("Esc select nothing")]  # fmt: skip
    keys = [tr("v select"), tr("/ search")]
    if state.matches:
        keys.insert(0, tr("n N next, previous"))
    if state.on_link:
        keys.insert(0, tr("Enter open the link"))
    return [*keys, tr("y copy the line"), tr("PageUp PageDown scroll"), tr("g G first, last"),
            tr("q back")]  # fmt: skip


def _search(state: LineState, width: int) -> Content:
    typed = state.typed or ""
    count = tr("searching…") if state.searching else state.matches
    if not state.searching and typed[1:] and count.endswith("/0"):
        count = tr("not found")
    keys = tr("Enter go there · Esc back")
    if cells(typed) + cells(count) + cells(keys) + 8 > width:
        keys = ""
    shown = cut_left(printable(typed), max(8, width - cells(count) - cells(keys) - 8))
    return Content.assemble((shown, "bold"), (" ", "reverse"), f"  {count}   {keys}")


_SHAPES: Final = {"select": Shape.TEXT, "select_lines": Shape.LINES, "select_block": Shape.BLOCK}
_SAY_SECONDS: Final = 0.5
"""Seconds between two updates of the number of lines while output goes on."""


class _Back(NamedTuple):
    """Copy mode in one pane: the cursor, and what is searched for."""

    cursor: CopyCursor
    searching: Searching


class CopyMode(Static, can_focus=True):
    """The line at the bottom, which has the keys in copy mode; the lines shown stay in their place."""

    DEFAULT_CSS = """
    CopyMode {
        display: none; dock: bottom; layer: over; height: 1; padding: 0 1;
        background: $primary; color: $background; text-wrap: nowrap; text-overflow: ellipsis;
    }
    CopyMode.-open { display: block; }
    CopyMode.-top { dock: top; }
    """

    class Left(Message):
        """Copy mode was left; the pane follows its tail again."""

    @dataclass
    class Copied(Message):
        """The user wants a text copied."""

        text: str

    def __init__(self) -> None:
        super().__init__()
        self._back: _Back | None = None
        self._keys: deque[events.Key] = deque()
        self._count = ""
        self._saying: Timer | None = None

    # --- coming and going

    @property
    def open_now(self) -> bool:
        return self._back is not None

    @property
    def pane(self) -> TerminalPane | None:
        """The pane that copy mode is open in, or None."""
        return self._back.cursor.pane if self._back else None

    def on_mount(self) -> None:
        """Keep cursor and number of lines up to date while copy mode is open."""
        self._saying = self.set_interval(_SAY_SECONDS, self._tick, pause=True)

    def open(self, pane: TerminalPane, *, search: bool = False) -> None:
        """Open copy mode in this pane; `search` begins with a search upwards."""
        if self.pane is not pane:
            self.close(quiet=True)
            cursor = CopyCursor(pane, self._show)
            self._back = _Back(cursor, Searching(cursor, show=self._show, work=self._work))
            self._count = ""
            self._keys.clear()
            pane.hold()
            pane.reader.on_idle = self._work
            pane.marked.on_renumbered = self._renumbered
            cursor.begin()
            if self._saying is not None:
                self._saying.resume()
        self.add_class("-open")
        self.focus()
        if search and self._back is not None:
            self._back.searching.begin("?")
        self._show()

    def close(self, *, quiet: bool = False) -> None:
        """Close copy mode; the pane follows its tail again."""
        back, self._back = self._back, None
        if back is None:
            return
        if self._saying is not None:
            self._saying.pause()
        back.searching.end()
        pane = back.cursor.pane
        pane.reader.on_idle = lambda: None
        pane.marked.on_renumbered = lambda _follow: None
        if pane.is_attached:
            pane.marked.lay(None)
            pane.follow()
        self.remove_class("-open", "-top")
        if not quiet:
            self.post_message(self.Left())

    def _renumbered(self, follow: Follow) -> None:
        """The session was reflowed: the cursor stays with its text, and matches are found anew."""
        if self._back is not None:
            self._back.cursor.renumbered(follow)
            self._back.searching.renumbered(follow)

    # --- keys

    def on_key(self, event: events.Key) -> None:
        """Do what the key means, after the keys before it."""
        event.stop()
        event.prevent_default()
        self._keys.append(event)
        self._work()

    def on_paste(self, event: events.Paste) -> None:
        """Search for what is pasted."""
        event.stop()
        if self._back is not None:
            self._back.searching.paste(event.text)

    def _work(self) -> None:
        """Do one key after the other; those after a search wait for what it finds."""
        while self._keys and (back := self._back) is not None:
            if back.searching.waits or not back.cursor.pane.reader.idle:
                return
            event = self._keys.popleft()
            if not back.cursor.pane.is_attached:
                self.close()
            elif back.searching.typed is not None:
                back.searching.type(event)
            else:
                self._command(back, event)

    def _command(self, back: _Back, event: events.Key) -> None:
        character = event.character
        if character and character.isdecimal() and (character != "0" or self._count):
            self._count = (self._count + character)[-5:]
            return
        times, self._count = int(self._count or 1), ""
        name = command(event.key, character)
        if name in MOTIONS:
            back.cursor.move(name, times)
        elif name in _SHAPES:
            back.cursor.select(_SHAPES[name])
        else:
            self._do(back, name)

    def _do(self, back: _Back, name: str) -> None:
        """Do what moves nothing: select otherwise, copy, open, search, leave."""
        cursor, searching = back
        match name:
            case "other_end_or_open" if cursor.anchor is not None:
                cursor.swap()
            case "copy" | "copy_or_open" if name == "copy" or cursor.anchor is not None:
                cursor.copy(self._copied)
            case "give_up" if cursor.anchor is not None:
                cursor.drop()
            case "other_end_or_open" | "copy_or_open" if cursor.link is not None:
                cursor.pane.tell_link(cursor.link.target)
            case "search_down" | "search_up":
                searching.begin("/" if name == "search_down" else "?")
            case "search_word":
                searching.word()
            case "next" | "previous":
                searching.jump(1 if name == "next" else -1)
            case "copy_or_open" | "give_up" | "leave":
                self.close()

    def _copied(self, text: str) -> None:
        if text:
            self.post_message(self.Copied(text))
        self.close()

    # --- showing

    def _show(self) -> None:
        """Lay the marks, and say where the cursor is."""
        if self._back is None or not self._back.cursor.pane.is_attached:
            return
        cursor, finder = self._back.cursor, self._back.searching.finder
        width = cursor.window.width
        cursor.pane.marked.lay(
            Marks(
                selection=cursor.selection,
                matches=finder.by_line(width),
                found=by_line(finder.here, width),
                link=cursor.link,
                cursor=cursor.place.at,
            )
        )
        self._move_aside(cursor)
        self._show_status()

    def _tick(self) -> None:
        if self._back is not None:
            self._back.cursor.keep_up()
            self._show_status()

    def _show_status(self) -> None:
        if self._back is None:
            return
        cursor, searching = self._back
        scroll = cursor.pane.buffer.scroll
        standing = LineState(
            line=cursor.place.at.line - scroll.first_line + 1,
            lines=max(1, scroll.last_line - scroll.first_line + 1),
            selecting=cursor.anchor is not None,
            on_link=cursor.link is not None,
            typed=searching.typed,
            matches=searching.finder.count,
            searching=searching.finder.pending,
        )
        self.update(line_of(standing, self.app.size.width - 2))

    def _move_aside(self, cursor: CopyCursor) -> None:
        """Cover no line of the pane, or at least not the cursor's."""
        region = cursor.pane.region
        over_bottom = region.bottom >= self.app.size.height
        over_top = region.y <= 0
        low = cursor.place.at.line - cursor.pane.buffer.top_line > region.height // 2
        self.set_class(over_bottom and (not over_top or low), "-top")
