"""Lines of a screen as they may be written while some of them still grow (N-86).

The beginning of a token is not known for one yet. So the line of the cursor is held back while it
grows, and another one that grows where the cursor is not. At rest it is shown, less a last word that
may become a secret if it goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.core.masking import Masker, MaskState, covered, looks_like_key, mask_growing
from nagomi_tui.core.text.text import head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.core.text.screen import Row

REST: Final = 0.5
"""Seconds without a change after which a line counts as resting."""
_FRAME: Final = " │┃|╮╯─"
"""Characters that may follow a text within a box."""


class _Line(NamedTuple):
    text: str
    since: float
    """When the line last changed, in monotonic seconds."""
    grows: bool
    """Whether that change only appended to it."""
    here: bool
    """Whether the cursor was in it."""
    drawn: tuple[str, ...]


class Held:
    """Keeps the lines of one screen as they were last drawn."""

    def __init__(self) -> None:
        self._lines: dict[int, _Line] = {}
        self.due = float("inf")
        """When a line that is held back will have rested."""

    def rows(
        self, rows: Sequence[Row], first: int, cursor: tuple[int, int], now: float, width: int
    ) -> list[str]:
        """Return rows as masked text, none wider than `width`; the first has the number `first`.

        The cursor is a line's number and a column. What is held back stands as it was drawn last.
        """
        masker, lines = Masker(), dict[int, _Line]()
        self.due = float("inf")
        begun, start = list[str](), first
        for number, row in enumerate(rows, first):
            begun.append("".join(run.text for run in row.runs))
            if not row.wrapped or number == first + len(rows) - 1:
                lines[start] = self._line(start, begun, cursor, now, masker)
                begun, start = [], number + 1
        self._lines = lines
        drawn = [row for line in lines.values() for row in line.drawn]
        return [head(covered(row) if looks_like_key(row) else row, width) for row in drawn]

    def _line(
        self, start: int, pieces: list[str], cursor: tuple[int, int], now: float, masker: Masker
    ) -> _Line:
        text, state = "".join(pieces), masker.state
        whole = masker.rows(pieces)
        row = cursor[0] - start
        here = 0 <= row < len(pieces)
        before = self._lines.get(start)
        changed = before is None or before.text != text
        since = now if before is None or changed else before.since
        grows = _grows(before, text, here=here)
        if grows and now - since < REST:
            self.due = min(self.due, since + REST)
            whole = [*(before.drawn if before else ()), *[""] * len(pieces)][: len(pieces)]
        elif here:
            whole = _open(pieces, row, len(head(pieces[row], cursor[1])), state)
        elif grows:
            whole = _open(pieces, -1, len(pieces[-1].rstrip(_FRAME)), state)
        return _Line(text, since, grows, here, tuple(whole))


def _grows(before: _Line | None, text: str, *, here: bool) -> bool:
    """Tell whether a line became longer by what came last, and may go on to."""
    if before is None or not before.text.strip():
        return here
    if before.here and not here:
        return False
    if before.text == text:
        return before.grows
    return text.startswith(before.text.rstrip(_FRAME))


def _open(pieces: list[str], row: int, column: int, state: MaskState) -> list[str]:
    """Return the rows of a line masked that may grow in that row, at that character."""
    row %= len(pieces)
    before = [*pieces[:row], pieces[row][:column]]
    masked = mask_growing(before, [pieces[row][column:], *pieces[row + 1 :]], state)
    return [*masked[:row], masked[row] + masked[row + 1], *masked[row + 2 :]]
