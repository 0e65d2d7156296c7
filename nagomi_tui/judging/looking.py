"""Looks at an engine's screen as the judge needs it, and feeds a session's output to both."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.judge.evidence import Evidence, Says, Source, Stopped, Typed, View
from nagomi_tui.core.judge.lines import TAIL_LINES
from nagomi_tui.core.screen import crop
from nagomi_tui.judging.signals import SignalReader, is_agents_own

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nagomi_tui.core.judge.evidence import Event
    from nagomi_tui.core.screen import Cursor, Row
    from nagomi_tui.terminal.engine import Engine

EVERY: Final = 0.1
"""Least seconds between two looks at a screen that keeps changing."""

_PASTE_MODE: Final = re.compile(rb"\x1b\[\?2004([hl])")
_CUT: Final = re.compile(rb"\x1b(?:\[(?:\?(?:2(?:0(?:0(?:4)?)?)?)?)?)?\Z")


class Senses(msgspec.Struct, frozen=True):
    """Which senses are used; to leave one out shows what it is worth."""

    hooks: bool = True
    titles: bool = True
    process: bool = True
    screen: bool = True
    shell_integration: bool = True


class Observer:
    """One session's output → events for its judge, in the order in which they happened."""

    def __init__(
        self, engine: Engine, tell: Callable[[Event], None], senses: Senses | None = None
    ) -> None:
        self.engine = engine
        self._tell = tell
        self._senses = senses or Senses()
        self._signals = SignalReader()
        self._held = b""
        self._editing = False
        self._start = 0
        self._command = ""
        self._seen: list[tuple[Row, str]] = []
        self._above: tuple[tuple[int, int], tuple[str, ...]] = ((0, 0), ())
        self._looked_at = float("-inf")
        self.due: float | None = None
        """When the screen is to be looked at next; None while nothing has changed."""

    def output(self, data: bytes, at: float) -> None:
        """Take in what the program printed."""
        changes, at_byte = self._changes(data), 0
        for letter, end in changes:
            if letter == "l":
                self.engine.feed(data[at_byte:end])
                self._begin_lines()
                at_byte = end
        self.engine.feed(data[at_byte:])
        for event in self.engine.take_events():
            wanted = self._senses.titles if is_agents_own(event) else self._senses.shell_integration
            said = self._signals.read(event, at) if wanted else None
            if said is not None:
                self._tell(said)
        if self._senses.screen:
            self._editor(changes, at)
            self.due = max(at, self._looked_at + EVERY)
            if at >= self.due:
                self.look(at)

    def typed(self, event: Typed | Stopped) -> None:
        """Take in that the user typed, or that we stop the session."""
        if isinstance(event, Typed) and event.key == "enter":
            self._begin_lines()
        self._tell(event)

    def look(self, at: float) -> None:
        """Show the screen to the judge."""
        self.due, self._looked_at = None, at
        self._tell(self.view(at))

    def view(self, at: float) -> View:
        """Return the screen and the turn's lines as they are now."""
        engine, cursor = self.engine, self.engine.cursor
        screen = engine.screen()
        rows = self._texts(screen)
        return View(
            at=at,
            rows=rows,
            cursor_x=_characters(screen, cursor),
            cursor_y=cursor.y,
            alt_screen=engine.modes.alt_screen,
            title=engine.title if self._senses.titles else "",
            lines=self._lines(rows, cursor.y),
            command=self._command,
        )

    def _texts(self, screen: Sequence[Row]) -> tuple[str, ...]:
        """Return the rows as text; only those that changed since the last look are read."""
        known = {id(row): text for row, text in self._seen}
        texts = tuple(known.get(id(row)) for row in screen)
        read = tuple(
            row.text if text is None else text for row, text in zip(screen, texts, strict=True)
        )
        self._seen = list(zip(screen, read, strict=True))
        return read

    def _lines(self, rows: tuple[str, ...], cursor_row: int) -> tuple[str, ...]:
        """Return the turn's last lines: those that have scrolled away, and those on screen."""
        top = self.engine.screen_line
        start = max(self._start, top + cursor_row - TAIL_LINES, self.engine.first_line)
        if (start, top) != self._above[0]:
            above = tuple(row.text for row in self.engine.lines(start, top))
            self._above = ((start, top), above)
        return self._above[1] + rows[max(0, start - top) : cursor_row + 1]

    def _begin_lines(self) -> None:
        """A line was entered: the turn's lines are those below it, without its echo (NB-6)."""
        cursor = self.engine.cursor
        self._start = self.engine.screen_line + cursor.y + (cursor.x > 0)
        rows = self.engine.lines(max(self._start - 4, self.engine.first_line), self._start)
        self._command = ""
        for row in rows:
            self._command += row.text
            if not row.wrapped and row is not rows[-1]:
                self._command = ""

    def _editor(self, changes: list[tuple[str, int]], at: float) -> None:
        """Line editors ask for bracketed paste while they read a line, and end it after."""
        for letter, _ in changes:
            says = Says.REST if letter == "h" else Says.RUNNING
            rule = "line-is-read" if letter == "h" else "line-was-entered"
            self._tell(Evidence(source=Source.EDITOR, says=says, at=at, rule=rule))

    def _changes(self, data: bytes) -> list[tuple[str, int]]:
        """Return how bracketed paste changed in these bytes, and after which byte of them."""
        held = len(self._held)
        data, self._held = self._held + data, b""
        if cut := _CUT.search(data):
            data, self._held = data[: cut.start()], data[cut.start() :]
        changes = []
        for found in _PASTE_MODE.finditer(data):
            # Programs also reset at their end what they never set.
            if (found[1] == b"h") is not self._editing:
                self._editing = not self._editing
                changes.append((found[1].decode(), found.end() - held))
        return changes


def _characters(screen: Sequence[Row], cursor: Cursor) -> int:
    """Return how many characters stand left of the cursor; wide ones take two cells."""
    if cursor.y >= len(screen):
        return 0
    left = crop(screen[cursor.y], 0, cursor.x)
    return sum(len(run.text) for run in left.runs) + max(0, cursor.x - left.cells)
