"""The lines of a pane's session as a grid, with their links and marks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from nagomi_tui.api.messages import Failed, LineRows, Lines
from nagomi_tui.text import motions
from nagomi_tui.text import selection as selections
from nagomi_tui.text.rows import Style
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.pane.buffer import PaneBuffer
from nagomi_tui.view.pane.viewport import Viewport

T = TypeVar("T")
Follow: TypeAlias = Callable[[selections.At], Callable[[selections.Grid], selections.At]]
"""Returns, for a cell as it was before a reflow, what finds its text on the lines as they are now."""

_NEAR: Final = 40
_FAR: Final = 360
"""Lines that are read before a missing one when reading upwards, else behind it."""
_EMPTY: Final = selections.GridRow()


class LineReader:
    """Runs functions on the session's lines, in order, each as soon as its lines were read.

    Lines of the history never change. Those of the screen are read again for each function that
    is given after a frame. When lines have other numbers, all cells that are kept follow them first.
    """

    def __init__(self, link: Link, buffer: PaneBuffer) -> None:
        self._link = link
        self._buffer = buffer
        self._rows: dict[int, selections.GridRow] = {}
        self._jobs: deque[Callable[[], bool]] = deque()
        self._follows: list[
            tuple[Callable[[selections.Grid], object], Callable[[Any], object]]
        ] = []
        """What finds cells after a reflow, and who gets them."""
        self._moved: Mapping[selections.At, selections.At] | None = None
        """Cells before a reflow and after it, until all have followed."""
        self._before: LineReader = self
        """The lines as they were before it."""
        self._of = (buffer.view, 0)
        self._arrivals = -1
        self.on_idle: Callable[[], object] = lambda: None
        self.first = 0
        self.last = 0

    @property
    def screen_line(self) -> int:
        """Number of the screen's top row."""
        return self._buffer.scroll.last_line + 1 - self._buffer.session_size[1]

    @property
    def width(self) -> int:
        return self._of[1]

    @property
    def idle(self) -> bool:
        """Whether no function waits, nor would."""
        return not self._jobs and not self._buffer.is_renumbering

    def row(self, line: int) -> selections.GridRow:
        """Return a line."""
        row = self._rows.get(line)
        if row is None:
            raise selections.MissingLine(line)
        return row

    def read(self, work: Callable[[selections.Grid], T], then: Callable[[T], object]) -> None:
        """Run `work` on the lines, and call `then` with its result; on Textual's loop."""

        def attempt() -> bool:
            then(work(self))
            return True

        self._jobs.append(attempt)
        if len(self._jobs) == 1:
            self.resume()

    def follow(self, find: Callable[[selections.Grid], T], then: Callable[[T], object]) -> None:
        """Find what is kept after a reflow, and call `then` with it, together with all others."""
        self._follows.append((find, then))

    def renumbered(self, moved: Mapping[selections.At, selections.At]) -> Follow:
        """Forget all lines, since they have other numbers; `moved` has cells before and after that.

        Others are found from there. `follow` is to be called behind this, and then `resume`.
        """
        if self._moved is None:  # else nobody has followed the reflow before this one
            self._before = copy(self)
        before, self._moved = self._before, moved
        self._follows = []
        self._rows, self._arrivals = {}, -1

        def follow(at: selections.At) -> Callable[[selections.Grid], selections.At]:
            if (exactly := moved.get(at)) is not None:
                return lambda _grid: exactly
            known = min(moved, key=lambda one: abs(one.line - at.line), default=at)
            start = moved.get(known, known).line
            if before.width == self._buffer.session_size[0]:
                return lambda _grid: selections.At(start + at.line - known.line, at.column)
            try:
                far = motions.distance(before, known.line, at, before.width)
            except selections.MissingLine:
                far = motions.Distance(at.line - known.line, at.column)

            def find(grid: selections.Grid) -> selections.At:
                found = motions.reached(grid, start, far, self.width)
                return motions.landed(grid, found.line, found.column).at

            return find

        return follow

    def resume(self) -> None:
        """Do what is to be done, until lines are missing."""
        while self._job is not None:
            self._refresh()
            if not self._try():
                return
        if self.idle:
            self.on_idle()

    @property
    def _job(self) -> Callable[[], bool] | None:
        """What is to be done next, and can be."""
        if self._buffer.is_behind:
            return None
        if self._moved is not None:
            return self._follow_all
        return self._jobs[0] if self._jobs else None

    def _try(self) -> bool:
        """Do what is next; return False where it waits for lines, or cannot be done."""
        if (job := self._job) is None:
            return False
        try:
            done = job()
        except selections.MissingLine as missing:
            self._ask(missing.line)
            return False
        except Exception:
            self._drop(job)  # what failed must not keep the others waiting
            raise
        if done:
            self._drop(job)
        return done

    def _follow_all(self) -> bool:
        found = [(then, find(self)) for find, then in self._follows]
        if self._moved is not None and not self._buffer.followed(self._moved):
            return False  # cells have moved again; that is about to be told
        for then, cells in found:
            then(cells)
        return True

    def _drop(self, job: Callable[[], bool] | None) -> None:
        """Have done with what is next, for good or ill."""
        if self._moved is None:
            if job is not None:
                self._jobs.popleft()
            return
        self._buffer.followed(self._moved)
        self._moved, self._follows, self._before = None, [], self

    def _refresh(self) -> None:
        """Forget what may have changed since it was read."""
        buffer = self._buffer
        of = (buffer.view, buffer.session_size[0])
        if of != self._of:
            self._of = of
            self._rows.clear()
        if buffer.arrivals != self._arrivals:
            self._arrivals = buffer.arrivals
            self.first, self.last = buffer.scroll.first_line, buffer.scroll.last_line
            changing = range(self.screen_line, max(self._rows, default=0) + 1)
            for line in changing:
                self._rows.pop(line, None)

    def _ask(self, line: int) -> None:
        upwards = line + 1 in self._rows and line - 1 not in self._rows
        before, behind = (_FAR, _NEAR) if upwards else (_NEAR, _FAR)
        request = Lines(
            id=0, session=self._buffer.session, start=max(0, line - before), stop=line + behind
        )
        rows = self._rows
        self._link.request(request, lambda answer: self._answered(line, answer, rows))

    def _answered(
        self, line: int, answer: LineRows | Failed, rows: dict[int, selections.GridRow]
    ) -> None:
        if rows is not self._rows:
            return  # it was asked by other numbers
        if isinstance(answer, Failed):
            self._drop(self._job)
            self.resume()
            return
        if not self._buffer.answered(answer.cols):
            return
        if answer.cols not in (0, self.width):
            self.resume()
            return
        self._keep(answer)
        # A line that is gone is empty, so that nobody waits for it.
        self._rows.setdefault(line, _EMPTY)
        if self._try():
            self.resume()

    def _keep(self, result: LineRows) -> None:
        for number, (wrapped, runs) in enumerate(result.rows, result.start):
            self._rows[number] = selections.grid_row(runs, wrapped)


def link_shown(buffer: PaneBuffer, at: selections.At) -> selections.Hyperlink | None:
    """Return the link on a cell that is shown, as far as its row goes."""
    left = buffer.scroll.left
    y, x = at.line - buffer.scroll.line, at.column - left
    if not (0 <= y < len(buffer.plain) and 0 <= x < buffer.width):
        return None
    cells = buffer.plain[y].cells
    target = cells[x][1].link
    if not target:
        return None
    first = last = x
    while first > 0 and cells[first - 1][1].link == target:
        first -= 1
    while last + 1 < len(cells) and cells[last + 1][1].link == target:
        last += 1
    return selections.Hyperlink(
        target, selections.At(at.line, left + first), selections.At(at.line, left + last)
    )


class ShownGrid:
    """The rows that a pane shows. A full row is taken for one that goes on in the next."""

    def __init__(self, buffer: PaneBuffer) -> None:
        self._rows = list(buffer.plain)
        self.first = buffer.scroll.line
        self.last = self.first + len(self._rows) - 1
        self._whole = buffer.scroll.left == 0 and buffer.width >= buffer.session_size[0]

    def row(self, line: int) -> selections.GridRow:
        """Return a line."""
        if not self.first <= line <= self.last:
            raise selections.MissingLine(line)
        cells = tuple(text for text, _ in self._rows[line - self.first].cells)
        return selections.GridRow(cells, self._whole and cells[-1:] not in ((" ",), ()))


def link_under(buffer: PaneBuffer, at: selections.At) -> selections.Hyperlink | None:
    """Return the link on a cell that is shown, as far as it is shown."""
    if (shown := link_shown(buffer, at)) is not None:
        return shown
    grid = ShownGrid(buffer)
    try:
        return selections.link_at(grid, selections.At(at.line, grid.row(at.line).start(at.column)))
    except selections.MissingLine:
        return None


@dataclass(eq=False)
class MarkedLines:
    """Lays marks over the lines of a buffer, and has them follow their text."""

    buffer: PaneBuffer
    viewport: Viewport
    reader: LineReader
    _: KW_ONLY
    looks: Callable[[], Mapping[selections.Look, Style]]
    """Returns how each kind of mark looks, in the theme of the moment."""
    laid: Callable[[], object]
    """Called when other marks lie over the lines."""
    ask_again: Callable[[], object]
    """Asks the orchestrator anew, since the viewport wants something else."""
    pointed: Callable[[str], object]
    """Hears where the link under the mouse leads, or "" for none."""

    def __post_init__(self) -> None:
        self._pointed: selections.Hyperlink | None = None
        """The link under the mouse."""
        self.on_renumbered: Callable[[Follow], object] = lambda _follow: None
        """Hears when the session was reflowed."""
        self.dragged: Callable[[Follow], object] = lambda _follow: None
        """Hears of it, too, for what is dragged from."""
        self.buffer.on_spoiled = self._spoiled
        self.buffer.on_renumbered = self._renumbered

    def lay(self, marks: selections.Marks | None) -> None:
        """Lay marks over the session's lines, or none."""
        self._lay(marks, watch_on=False)

    def select(self, selection: selections.Selection | None) -> None:
        """Show what is selected; it goes when other text comes where it was."""
        buffer = self.buffer
        if selection is None and (buffer.marks is None or buffer.marks.selection is None):
            return
        self.lay(msgspec.structs.replace(buffer.marks or selections.Marks(), selection=selection))
        if selection is not None:
            buffer.watch(range(selection.first.line, selection.last.line + 1))

    def point_at(self, link: selections.Hyperlink | None) -> None:
        """Underline a link, and tell where it leads; None for no link."""
        buffer, before = self.buffer, self._pointed
        marks = buffer.marks or selections.Marks()
        if link == before or marks.cursor is not None:
            return
        self._pointed = link
        if marks.link in (None, before):
            self._lay(msgspec.structs.replace(marks, link=link), watch_on=True)
            if link is not None and not buffer.watched_lines:
                buffer.watch(range(link.first.line, link.last.line + 1))
        if (link.target if link else "") != (before.target if before else ""):
            self.pointed(link.target if link else "")

    def _lay(self, marks: selections.Marks | None, *, watch_on: bool) -> None:
        self.buffer.lay(marks, self.looks(), watch_on=watch_on)
        self._keep(marks or selections.Marks())
        self.laid()

    def _spoiled(self) -> None:
        self.select(None)
        self.point_at(None)

    def _keep(self, marks: selections.Marks) -> None:
        """Have the ends of what is selected, or the cursor, found again after a reflow."""
        selection = marks.selection
        kept: tuple[selections.At, ...] = (selection.anchor, selection.head) if selection else ()
        if marks.cursor is not None and not kept:
            kept = (marks.cursor,)
        if self.viewport.keep(kept):
            self.ask_again()

    def _renumbered(self, moved: Mapping[selections.At, selections.At]) -> None:
        """The session was reflowed: what is selected stays with its text, but for a block."""
        follow = self.reader.renumbered(moved)
        marks = self.buffer.marks or selections.Marks()
        if (selection := marks.selection) is not None and marks.cursor is None:
            self._follow(selection, follow)
        self.dragged(follow)
        self.on_renumbered(follow)
        self.reader.follow(lambda _grid: None, lambda _: self.ask_again())
        self.reader.resume()

    def _follow(self, selection: selections.Selection, follow: Follow) -> None:
        if (shape := selection.shape) is selections.Shape.BLOCK:
            self.select(None)
            return
        anchor, head = follow(selection.anchor), follow(selection.head)
        self.reader.follow(
            lambda grid: selections.Selection(anchor(grid), head(grid), shape), self.select
        )
