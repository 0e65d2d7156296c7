"""Copy mode's cursor on one pane, and its search: it moves, selects, goes from match to match."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from textual import events

from nagomi_tui.api.messages import Failed, Matches, Search
from nagomi_tui.text import motions
from nagomi_tui.text import selection as selections
from nagomi_tui.view.pane.lines import Follow, link_shown
from nagomi_tui.view.pane.pane import TerminalPane


class CopyCursor:
    """The cursor's cell, the selection that ends there, and the link under it."""

    def __init__(self, pane: TerminalPane, on_moved: Callable[[], object]) -> None:
        self.pane = pane
        self.place = motions.Place.of(selections.At(0, 0))
        self.anchor: selections.At | None = None
        self.shape = selections.Shape.TEXT
        self.link: selections.Hyperlink | None = None
        self._on_moved = on_moved

    def begin(self) -> None:
        """Start where the session's own cursor is, or at the end of what is shown."""
        buffer = self.pane.buffer
        x, y = (
            (buffer.cursor.x, buffer.cursor.y) if buffer.cursor.visible else (0, buffer.height - 1)
        )
        line = min(buffer.top_line + y, buffer.scroll.last_line)
        self.place = motions.Place.of(selections.At(line, buffer.scroll.left + x))
        self.pane.reader.read(
            lambda grid: motions.landed(grid, self.place.at.line, self.place.wish), self.go
        )

    @property
    def window(self) -> motions.Window:
        """Which lines are shown."""
        buffer = self.pane.buffer
        return motions.Window(
            buffer.top_line, max(1, buffer.height), max(1, buffer.session_size[0])
        )

    @property
    def selection(self) -> selections.Selection | None:
        if self.anchor is None:
            return None
        return selections.Selection(self.anchor, self.place.at, self.shape)

    # --- moving

    def move(self, motion: str, times: int) -> None:
        """Move as a motion says."""
        free = self.anchor is not None and self.shape is selections.Shape.BLOCK

        def work(grid: selections.Grid) -> motions.Place:
            return motions.move(grid, self.place, motion, self.window, times=times, free=free)

        self.pane.reader.read(work, self.go)

    def go(self, place: motions.Place) -> None:
        """Move to a cell, and scroll it into view."""
        pane = self.pane
        if not pane.is_attached:
            return
        self.place = place
        pane.scroll_to_line(motions.top_for(place.at.line, self.window))
        left, width = pane.buffer.left_column, pane.buffer.width
        if not left <= place.at.column < left + width:
            pane.scroll_to_column(max(0, place.at.column - width // 2))
        self._on_moved()
        pane.reader.read(self._link_here, self._underline)

    def keep_up(self) -> None:
        """Go to the first line that is left, where the history has dropped the cursor's."""
        if not self.pane.reader.idle:
            return
        first = self.pane.buffer.scroll.first_line
        if self.anchor is not None and self.anchor.line < first:
            self.anchor = selections.At(first, 0)
        if self.place.at.line < first:
            self.go(motions.Place.of(selections.At(first, 0)))

    def renumbered(self, follow: Follow) -> None:
        """The session was reflowed: the cursor stays with its text, and so does what is selected.

        A block does not.
        """
        self.link = None
        ends = [follow(self.place.at)]
        if self.anchor is not None and self.shape is not selections.Shape.BLOCK:
            ends.append(follow(self.anchor))

        def found(cells: list[selections.At]) -> None:
            self.anchor = cells[1] if len(cells) > 1 else None
            self.go(motions.Place.of(cells[0]))

        self.pane.reader.follow(lambda grid: [find(grid) for find in ends], found)

    def _link_here(self, grid: selections.Grid) -> selections.Hyperlink | None:
        at = self.place.at
        return link_shown(self.pane.buffer, at) or selections.link_at(grid, at)

    def _underline(self, link: selections.Hyperlink | None) -> None:
        if link != self.link:
            self.link = link
            self._on_moved()

    # --- selecting

    def select(self, shape: selections.Shape) -> None:
        """Select from here on; the same shape again ends that, another one changes it."""
        if self.anchor is not None and self.shape is shape:
            self.anchor = None
        else:
            self.anchor = self.place.at if self.anchor is None else self.anchor
            self.shape = shape
        self._on_moved()

    def drop(self) -> None:
        """Select nothing."""
        self.anchor = None
        self._on_moved()

    def swap(self) -> None:
        """Go to the other end of what is selected."""
        if self.anchor is not None:
            self.anchor, at = self.place.at, self.anchor
            self.go(motions.Place.of(at))

    def copy(self, then: Callable[[str], object]) -> None:
        """Read the selection, or else the cursor's line; `then` gets the text."""

        def text(grid: selections.Grid) -> str:
            selection, at = self.selection, self.place.at
            if selection is not None:
                return selections.copied(grid, selection)
            first, last = selections.line_first(grid, at.line), selections.line_last(grid, at.line)
            return selections.copied(
                grid,
                selections.Selection(selections.At(first, 0), selections.At(last, selections.END)),
            )

        self.pane.reader.read(text, then)

    def word(self, then: Callable[[str], object]) -> None:
        """Read the word under the cursor; `then` gets the text."""

        def text(grid: selections.Grid) -> str:
            return selections.copied(
                grid, selections.Selection(*motions.word_around(grid, self.place.at))
            ).strip()

        self.pane.reader.read(text, then)


MOST: Final = 5000
"""Most matches that are asked for; the newest count."""


class Finder:
    """Asks the orchestrator, and keeps its answer to the last question."""

    def __init__(self, pane: TerminalPane) -> None:
        self._pane = pane
        self._question = 0
        self._then: Callable[[], object] = lambda: None
        self.pending = False
        """Whether the answer is awaited."""
        self.text = ""
        self.step = 1
        """The direction of `n`: 1 down, -1 up."""
        self.matches: list[tuple[int, int, int]] = []
        self.current = -1
        self._lines: Mapping[int, tuple[selections.Columns, ...]] = {}
        self._lines_of: tuple[list[tuple[int, int, int]], int] = (self.matches, 0)

    @property
    def count(self) -> str:
        """The number of the current match and of all, such as `12/40`."""
        if not self.text:
            return ""
        more = "+" if len(self.matches) >= MOST else ""
        return f"{self.current + 1}/{len(self.matches)}{more}"

    @property
    def here(self) -> list[tuple[int, int, int]]:
        """The current match, by its stretches of lines; empty if there is none."""
        return self.matches[self.current : self.current + 1] if self.current >= 0 else []

    def ask(self, text: str, then: Callable[[], object]) -> None:
        """Search for a text; `then` is called once there are matches, unless another search began."""
        self._question += 1
        question, self.text, self._then = self._question, text, then
        self.pending = bool(text)

        def answered(answer: Matches | Failed) -> None:
            if question != self._question:
                return
            if isinstance(answer, Matches) and not self._pane.buffer.answered(answer.cols):
                return  # it is asked again when the reflow is told
            self._pane.reader.read(lambda _grid: answer, found)

        def found(answer: Matches | Failed) -> None:
            if question != self._question:
                return
            self.matches = [] if isinstance(answer, Failed) else list(answer.matches)
            self.current, self.pending = -1, False
            then()

        if text:
            request = Search(id=0, session=self._pane.session_id, text=text, limit=MOST)
            self._pane.link.request(request, answered)
        else:
            self.forget()
            then()

    def again(self, then: Callable[[], object]) -> None:
        """Search again, since lines have other numbers; the current match stays."""
        if self.pending:
            self.ask(self.text, self._then)
            return
        current, behind = self.current, len(self.matches) - self.current

        def answered() -> None:
            if current >= 0 and behind <= len(self.matches):
                self.current = len(self.matches) - behind
            then()

        self.ask(self.text, answered)

    def forget(self) -> None:
        self._question += 1
        self.pending = False
        self.matches, self.current, self.text = [], -1, ""

    def by_line(self, width: int) -> Mapping[int, tuple[selections.Columns, ...]]:
        """Return the matches by the lines that they touch; worked out once."""
        if self._lines_of[0] is not self.matches or self._lines_of[1] != width:
            self._lines_of = (self.matches, width)
            self._lines = selections.by_line(self.matches, width)
        return self._lines

    def go(self, at: selections.At, step: int, *, here: bool = False) -> selections.At | None:
        """Go to the next match from a cell, around the end; `here` counts one that begins there."""
        if not self.matches:
            return None
        starts = [selections.At(line, column) for line, column, _ in self.matches]
        if step > 0:
            later = (n for n, start in enumerate(starts) if start > at or (here and start == at))
            self.current = next(later, 0)
        else:
            earlier = [n for n, start in enumerate(starts) if start < at or (here and start == at)]
            self.current = earlier[-1] if earlier else len(starts) - 1
        return starts[self.current]


class Searching:
    """Moves the cursor from match to match. `show` updates the line, `work` handles the next keys."""

    def __init__(
        self, cursor: CopyCursor, *, show: Callable[[], None], work: Callable[[], None]
    ) -> None:
        self.finder = Finder(cursor.pane)
        self.typed: str | None = None
        """`/` or `?` and the text typed after it; None while no text is being typed."""
        self._cursor = cursor
        self._origin = cursor.place
        """The cursor's cell when the search began."""
        self._show = show
        self._work = work
        self._ended = False

    @property
    def waits(self) -> bool:
        """Whether the next key must wait for what is found."""
        return self.finder.pending and self.typed is None

    def end(self) -> None:
        """End searching: a result that is still awaited moves the cursor no more."""
        self._ended = True
        self.finder.forget()

    def begin(self, sign: str) -> None:
        """Search for what is typed from now on: `/` downwards, `?` upwards."""
        self.typed, self._origin = sign, self._cursor.place
        self.finder.step = 1 if sign == "/" else -1
        self._show()

    def word(self) -> None:
        """Search for the word under the cursor."""

        def search(text: str) -> None:
            if text and not self._ended:
                self.finder.step = 1
                self.finder.ask(text, lambda: self.jump(1))

        self._cursor.word(search)

    def type(self, event: events.Key) -> None:
        """Edit the text that is searched for."""
        typed = self.typed or "/"
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

    def paste(self, text: str) -> None:
        """Add the first line of the pasted text to the one that is searched for."""
        if self.typed is not None:
            self._change(self.typed + text.partition("\n")[0])

    def jump(self, way: int) -> None:
        """Go to the next match (1), or the previous one (-1)."""
        if (at := self.finder.go(self._cursor.place.at, self.finder.step * way)) is not None:
            self._cursor.go(motions.Place.of(at))
        self._show()
        self._work()

    def renumbered(self, follow: Follow) -> None:
        """Find the matches again, since lines have other numbers."""
        if self.typed is not None:
            self._cursor.pane.reader.follow(follow(self._origin.at), self._searched_from)
        if self.finder.text:
            self.finder.again(self._found_again if self.typed is None else self._found)

    def _searched_from(self, at: selections.At) -> None:
        self._origin = motions.Place.of(at)

    def _change(self, typed: str) -> None:
        """Search for what is typed so far, from where the search began."""
        self.typed = typed
        self.finder.ask(typed[1:], self._found)
        self._show()

    def _found(self) -> None:
        at = self.finder.go(self._origin.at, self.finder.step, here=self.finder.step > 0)
        self._cursor.go(self._origin if at is None else motions.Place.of(at))
        self._work()

    def _found_again(self) -> None:
        self._show()
        self._work()

    def _accept(self) -> None:
        typed, self.typed = self.typed or "", None
        if len(typed) == 1:
            self.jump(1)
        self._show()

    def _take_back(self) -> None:
        self.typed = None
        self.finder.forget()
        self._cursor.go(self._origin)
