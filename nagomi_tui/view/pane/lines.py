"""The lines of a pane's session as a grid: read from the orchestrator piece by piece, and kept."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, TypeVar

from nagomi_tui.api.messages import Failed, LineRows, Lines
from nagomi_tui.core.copy.grid import Absent, Grid, GridRow, grid_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.connection.roles import RequestLink
    from nagomi_tui.view.pane.buffer import PaneBuffer

T = TypeVar("T")

_NEAR: Final = 40
_FAR: Final = 360
"""Lines that are read before a missing one when reading upwards, else behind it."""
_EMPTY: Final = GridRow()


class LineReader:
    """Runs functions on the session's lines, in order, each as soon as its lines were read.

    Lines of the history never change. Those of the screen are read again for each function that
    is given after a frame.
    """

    def __init__(self, link: RequestLink, buffer: PaneBuffer) -> None:
        self._link = link
        self._buffer = buffer
        self._rows: dict[int, GridRow] = {}
        self._jobs: deque[Callable[[], bool]] = deque()
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
        """Columns of the session when the lines were read."""
        return self._of[1]

    @property
    def idle(self) -> bool:
        """Whether no function waits."""
        return not self._jobs

    def row(self, line: int) -> GridRow:
        """Return a line.

        Raises:
            Absent: it was not read yet.
        """
        row = self._rows.get(line)
        if row is None:
            raise Absent(line)
        return row

    def read(self, work: Callable[[Grid], T], then: Callable[[T], object]) -> None:
        """Run `work` on the lines, and call `then` with its result; on Textual's loop."""

        def attempt() -> bool:
            try:
                result = work(self)
            except Absent as missing:
                self._ask(missing.line)
                return False
            then(result)
            return True

        self._jobs.append(attempt)
        if len(self._jobs) == 1:
            self._begin()

    def _begin(self) -> None:
        """Do what is to be done, until lines are missing."""
        while self._jobs:
            self._refresh()
            if not self._try():
                return
        self.on_idle()

    def _try(self) -> bool:
        try:
            done = self._jobs[0]()
        except Exception:
            self._jobs.popleft()  # what failed must not keep the others waiting
            raise
        if not done:
            return False
        self._jobs.popleft()
        return True

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
        self._link.request(request, lambda answer: self._answered(line, answer))

    def _answered(self, line: int, answer: LineRows | Failed) -> None:
        if isinstance(answer, Failed):
            self._jobs.popleft()
            self._begin()
            return
        self._keep(answer)
        # A line that is gone is empty, so that nobody waits for it.
        self._rows.setdefault(line, _EMPTY)
        if self._jobs and self._try():
            self._begin()

    def _keep(self, result: LineRows) -> None:
        for number, (wrapped, runs) in enumerate(result.rows, result.start):
            self._rows[number] = grid_row(runs, wrapped)
