"""Searching in copy mode: all matches at once, and the one that the cursor goes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.api.messages import Failed, Matches, Search
from nagomi_tui.core.copy.grid import At
from nagomi_tui.core.copy.marks import by_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.core.copy.marks import Columns
    from nagomi_tui.view.connection.roles import RequestLink

MOST: Final = 5000
"""Most matches that are asked for; the newest count."""


class Finder:
    """Asks the orchestrator, and keeps its answer to the last question."""

    def __init__(self, link: RequestLink) -> None:
        self._link = link
        self._question = 0
        self.pending = False
        """Whether the answer is awaited."""
        self.text = ""
        self.step = 1
        """The direction of `n`: 1 down, -1 up."""
        self.matches: list[tuple[int, int, int]] = []
        self.current = -1
        self._lines: Mapping[int, tuple[Columns, ...]] = {}
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

    def ask(self, session: str, text: str, then: Callable[[], object]) -> None:
        """Search for a text; `then` is called once there are matches, unless another search began."""
        self._question += 1
        question, self.text = self._question, text
        self.pending = bool(text)

        def answered(answer: Matches | Failed) -> None:
            if question != self._question:
                return
            self.matches = [] if isinstance(answer, Failed) else list(answer.matches)
            self.current, self.pending = -1, False
            then()

        if text:
            self._link.request(Search(id=0, session=session, text=text, limit=MOST), answered)
        else:
            self.forget()
            then()

    def again(self, session: str, then: Callable[[], object]) -> None:
        """Search again, since lines have other numbers; the current match stays."""
        current, behind = self.current, len(self.matches) - self.current

        def answered() -> None:
            if current >= 0 and behind <= len(self.matches):
                self.current = len(self.matches) - behind
            then()

        self.ask(session, self.text, answered)

    def forget(self) -> None:
        """Show no matches any more."""
        self._question += 1
        self.pending = False
        self.matches, self.current, self.text = [], -1, ""

    def by_line(self, width: int) -> Mapping[int, tuple[Columns, ...]]:
        """Return the matches by the lines that they touch; worked out once."""
        if self._lines_of[0] is not self.matches or self._lines_of[1] != width:
            self._lines_of = (self.matches, width)
            self._lines = by_line(self.matches, width)
        return self._lines

    def go(self, at: At, step: int, *, here: bool = False) -> At | None:
        """Go to the next match from a cell, around the end; `here` counts one that begins there."""
        if not self.matches:
            return None
        starts = [At(line, column) for line, column, _ in self.matches]
        if step > 0:
            later = (n for n, start in enumerate(starts) if start > at or (here and start == at))
            self.current = next(later, 0)
        else:
            earlier = [n for n, start in enumerate(starts) if start < at or (here and start == at)]
            self.current = earlier[-1] if earlier else len(starts) - 1
        return starts[self.current]
