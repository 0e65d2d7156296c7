"""Copy mode: the keys move a cursor through a session's lines, select, search and copy."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from textual.message import Message
from textual.widgets import Static

from nagomi_tui.core.grid import At
from nagomi_tui.core.marks import Marks, by_line
from nagomi_tui.core.roam import MOTIONS, Place
from nagomi_tui.core.selection import Shape
from nagomi_tui.view.copy_cursor import CopyCursor
from nagomi_tui.view.copy_keys import command
from nagomi_tui.view.copy_line import Standing, line_of
from nagomi_tui.view.copy_search import Finder

if TYPE_CHECKING:
    from textual import events

    from nagomi_tui.view.glass import TerminalGlass

_SHAPES: Final = {
    "select": Shape.TEXT,
    "select_lines": Shape.LINES,
    "select_block": Shape.BLOCK,
}
_SAY_SECONDS: Final = 0.5
"""How often the number of lines is said anew while output goes on."""


class CopyMode(Static, can_focus=True):
    """The line that has the keys meanwhile. Output goes on, and the lines shown stay put."""

    DEFAULT_CSS = """
    CopyMode {
        display: none; dock: bottom; layer: over; height: 1; padding: 0 1;
        background: $primary; color: $background; text-wrap: nowrap; text-overflow: ellipsis;
    }
    CopyMode.-open { display: block; }
    CopyMode.-top { dock: top; }
    """

    class Left(Message):
        """The user is back at the tail."""

    class Copied(Message):
        """A text is to be copied."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__()
        self._cursor: CopyCursor | None = None
        self._finder: Finder | None = None
        self._keys: deque[events.Key] = deque()
        self._typed: str | None = None
        self._origin = Place.of(At(0, 0))
        """Where the cursor was when a search began."""
        self._count = ""

    # --- coming and going

    @property
    def open_now(self) -> bool:
        """Whether the user looks back."""
        return self._cursor is not None

    @property
    def glass(self) -> TerminalGlass | None:
        """The glass that is looked at."""
        return self._cursor.glass if self._cursor else None

    def on_mount(self) -> None:
        """Say how many lines there are, again and again."""
        self.set_interval(_SAY_SECONDS, self._say)

    def open(self, glass: TerminalGlass, *, search: bool = False) -> None:
        """Look back in this glass from now on; `search` begins with a search upwards."""
        if self.glass is not glass:
            self.close(quiet=True)
            self._finder = Finder(glass.link)
            self._cursor = CopyCursor(glass, self._show)
            self._typed, self._count = None, ""
            self._keys.clear()
            glass.hold()
            glass.reader.on_idle = self._work
            glass.on_renumbered = self._renumbered
            self._cursor.begin()
        self.add_class("-open")
        self.focus()
        if search:
            self._search("?")
        self._show()

    def close(self, *, quiet: bool = False) -> None:
        """Follow the tail again."""
        glass, self._cursor = self.glass, None
        if glass is None:
            return
        glass.reader.on_idle = lambda: None
        glass.on_renumbered = lambda _by: None
        if glass.is_attached:
            glass.lay(None)
            glass.follow()
        self.remove_class("-open", "-top")
        if not quiet:
            self.post_message(self.Left())

    def _renumbered(self, by: int) -> None:
        """The session was reflowed: the cursor stays with its text, and matches are found anew."""
        cursor, finder = self._cursor, self._finder
        if cursor is None or finder is None:
            return
        cursor.renumbered(by)
        session = cursor.glass.session_id
        if self._typed is not None:
            finder.ask(session, finder.text, self._found)
        elif finder.text:
            finder.again(session, self._found_again)

    # --- keys

    def on_key(self, event: events.Key) -> None:
        """Do what the key says, when those before it are done."""
        event.stop()
        event.prevent_default()
        self._keys.append(event)
        self._work()

    def on_paste(self, event: events.Paste) -> None:
        """Search for what is pasted."""
        event.stop()
        if self._typed is not None:
            self._change(self._typed + event.text.partition("\n")[0])

    def _work(self) -> None:
        """Do one key after the other; those after a search wait for what it finds."""
        while self._keys and (cursor := self._cursor) is not None:
            waits = self._finder is not None and self._finder.pending and self._typed is None
            if waits or not cursor.glass.reader.idle:
                return
            event = self._keys.popleft()
            if not cursor.glass.is_attached:
                self.close()
            elif self._typed is not None:
                self._type(event)
            else:
                self._command(cursor, event)

    def _command(self, cursor: CopyCursor, event: events.Key) -> None:
        character = event.character
        if character and character.isdecimal() and (character != "0" or self._count):
            self._count = (self._count + character)[-5:]
            return
        times, self._count = int(self._count or 1), ""
        name = command(event.key, character)
        if name in MOTIONS:
            cursor.move(name, times)
        elif name in _SHAPES:
            cursor.select(_SHAPES[name])
        elif name:
            getattr(self, f"_{name}")(cursor)

    # --- copying and opening

    def _other_end_or_open(self, cursor: CopyCursor) -> None:
        if cursor.anchor is None:
            self._open(cursor)
        else:
            cursor.swap()

    def _copy_or_open(self, cursor: CopyCursor) -> None:
        if cursor.anchor is not None:
            self._copy(cursor)
        elif cursor.link is not None:
            self._open(cursor)
        else:
            self.close()

    def _copy(self, cursor: CopyCursor) -> None:
        def copy(text: str) -> None:
            if text:
                self.post_message(self.Copied(text))
            self.close()

        cursor.copy(copy)

    def _open(self, cursor: CopyCursor) -> None:
        if cursor.link is not None:
            cursor.glass.tell_link(cursor.link.target)

    def _give_up(self, cursor: CopyCursor) -> None:
        """Drop the selection, or leave where there is none."""
        if cursor.anchor is None:
            self.close()
        else:
            cursor.drop()

    def _leave(self, _cursor: CopyCursor) -> None:
        self.close()

    # --- searching

    def _search_down(self, _cursor: CopyCursor) -> None:
        self._search("/")

    def _search_up(self, _cursor: CopyCursor) -> None:
        self._search("?")

    def _search(self, sign: str) -> None:
        assert self._finder is not None and self._cursor is not None
        self._typed, self._origin = sign, self._cursor.place
        self._finder.step = 1 if sign == "/" else -1
        self._show()

    def _search_word(self, cursor: CopyCursor) -> None:
        """Search for the word under the cursor."""

        def search(text: str) -> None:
            if self._finder is not None and self._cursor is cursor and text:
                self._finder.step = 1
                self._finder.ask(cursor.glass.session_id, text, self._next)

        cursor.word(search)

    def _type(self, event: events.Key) -> None:
        """Edit what is searched for."""
        typed = self._typed or "/"
        if event.key == "enter":
            self._accept()
        elif event.key in ("escape", "ctrl+c") or (event.key == "backspace" and len(typed) == 1):
            self._take_back()
        elif event.key == "backspace":
            self._change(typed[:-1])
        elif event.key == "ctrl+u":
            self._change(typed[:1])
        elif event.character and event.character.isprintable():
            self._change(typed + event.character)

    def _change(self, typed: str) -> None:
        """Search for what is typed so far, from where the search began."""
        assert self._cursor is not None and self._finder is not None
        self._typed = typed
        self._finder.ask(self._cursor.glass.session_id, typed[1:], self._found)
        self._show()

    def _found(self) -> None:
        finder, cursor = self._finder, self._cursor
        if finder is not None and cursor is not None:
            at = finder.go(self._origin.at, finder.step, here=finder.step > 0)
            cursor.go(self._origin if at is None else Place.of(at))
            self._work()

    def _found_again(self) -> None:
        self._show()
        self._work()

    def _accept(self) -> None:
        typed, self._typed = self._typed or "", None
        if len(typed) == 1:
            self._next()
        self._show()

    def _take_back(self) -> None:
        assert self._finder is not None and self._cursor is not None
        self._typed = None
        self._finder.forget()
        self._cursor.go(self._origin)

    def _next(self, _cursor: CopyCursor | None = None) -> None:
        self._jump(1)

    def _previous(self, _cursor: CopyCursor) -> None:
        self._jump(-1)

    def _jump(self, way: int) -> None:
        finder, cursor = self._finder, self._cursor
        if finder is None or cursor is None:
            return
        if (at := finder.go(cursor.place.at, finder.step * way)) is not None:
            cursor.go(Place.of(at))
        self._show()
        self._work()

    # --- showing

    def _show(self) -> None:
        """Lay the marks, and say where the cursor is."""
        cursor, finder = self._cursor, self._finder
        if cursor is None or finder is None or not cursor.glass.is_attached:
            return
        width = cursor.window.width
        cursor.glass.lay(
            Marks(
                selection=cursor.selection,
                matches=finder.by_line(width),
                found=by_line(finder.here, width),
                link=cursor.link,
                cursor=cursor.place.at,
            )
        )
        self._move_aside(cursor)
        self._say()

    def _say(self) -> None:
        cursor, finder = self._cursor, self._finder
        if cursor is None or finder is None:
            return
        scroll = cursor.glass.model.scroll
        standing = Standing(
            line=cursor.place.at.line - scroll.first_line + 1,
            lines=max(1, scroll.last_line - scroll.first_line + 1),
            selecting=cursor.anchor is not None,
            on_link=cursor.link is not None,
            typed=self._typed,
            matches=finder.count,
            searching=finder.pending,
        )
        self.update(line_of(standing, self.app.size.width - 2))

    def _move_aside(self, cursor: CopyCursor) -> None:
        """Cover no line of the glass, or at least not the cursor's."""
        region = cursor.glass.region
        over_bottom = region.bottom >= self.app.size.height
        over_top = region.y <= 0
        low = cursor.place.at.line - cursor.glass.model.top_line > region.height // 2
        self.set_class(over_bottom and (not over_top or low), "-top")
