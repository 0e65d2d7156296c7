"""Turns rendered rows of a session into the masked lines that are stored of it (N-86, N-93)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final

import msgspec

from nagomi_tui.masking import CLEAR, IN_BLOCK, Masker, MaskState, covered, mask_screen, orphaned

LONGEST: Final = 8192
"""Characters of a stored line; it is masked whole before it is cut."""

_REMEMBERED: Final = 60
"""Stored lines that are remembered, so that none is stored twice after a resize."""


class TextRow(msgspec.Struct, frozen=True):
    """A row as text; `wrapped` says that its line goes on in the next one."""

    text: str
    wrapped: bool = False


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """New output of a session: final rows, rows that may still change, and a gap before them."""

    session_id: str
    name: str
    at: float
    """When it was printed at the latest, in seconds since the epoch."""
    run: float
    """When the command that printed it was started, in seconds since the epoch."""
    next_line: int
    """Number of the first row that is not final."""
    rows: tuple[TextRow, ...] = ()
    open: tuple[TextRow, ...] = ()
    """Rows on the screen that have not changed lately; they are final once they scroll away."""
    whole: bool = True
    """The rows above are all that is on the screen."""
    gap: int = 0
    """How many rows before these were dropped because they were too many."""
    lost_place: bool = False
    """Some of the rows may be stored already."""
    width: int = 0
    """Columns of the terminal; 0 if they are not known."""


class Screenful(msgspec.Struct, frozen=True, kw_only=True):
    """The alternate screen of a session: its program redraws it, so that only the last one counts."""

    session_id: str
    name: str
    at: float
    """When it was printed at the latest, in seconds since the epoch."""
    run: float
    """When the command that printed it was started, in seconds since the epoch."""
    rows: tuple[TextRow, ...] = ()
    """Its rows; none once the program has left it."""
    final: bool = False
    """The program has ended, or is about to be ended."""

    @property
    def is_over(self) -> bool:
        """Whether no later one can replace it."""
        return self.final or not self.rows


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a session's transcript between two pieces; all of it is masked."""

    run: float = 0.0
    next_line: int = 0
    state: MaskState = CLEAR
    tail: tuple[str, ...] = ()
    """The lines stored last."""
    open: int = 0
    """How many of these lines were not final when they were stored."""
    screen: bool = False
    """The alternate screen on which its program ended is stored."""


def told(story: Story, piece: Piece) -> tuple[Story, list[str]]:
    """Return the next state, and the lines to store, masked and without blank ones."""
    if piece.run != story.run:
        story = Story(run=piece.run)
    begun = CLEAR if piece.gap else story.state
    state, final = _masked(begun, piece.rows, piece.width, orphans=piece.gap > 0)
    _, still = _masked(state, piece.open, piece.width, orphans=False)
    before = len(story.tail) - story.open
    known = list(story.tail if piece.lost_place else story.tail[before:])
    new, known = _unknown(known, final)
    new_still, left = _unknown(known, still)
    now_open = still if piece.whole else [*still, *left]
    after = Story(
        run=piece.run,
        next_line=piece.next_line,
        state=state,
        tail=(*[*story.tail[:before], *final][-_REMEMBERED:], *now_open),
        open=len(now_open),
        screen=story.screen,
    )
    return after, new + new_still


def ended(story: Story, run: float) -> Story:
    """Return the state behind a run whose alternate screen is stored."""
    story = story if story.run == run else Story(run=run)
    return msgspec.structs.replace(story, screen=True)


def standing(rows: Sequence[TextRow]) -> list[str]:
    """Return the lines of a screen masked; blank ones within it are part of how it looks.

    It may begin within a private key, and any of its lines may still grow.
    """
    lines = lines_of(rows)
    headless = orphaned(lines)
    masked = [*map(covered, lines[:headless]), *mask_screen(lines[headless:])]
    return [_cut(line) for line in masked]


def lines_of(rows: Iterable[TextRow]) -> list[str]:
    """Return the lines that rows make, wrapped ones joined."""
    lines: list[str] = []
    begun = ""
    for row in rows:
        begun += row.text
        if not row.wrapped:
            lines.append(begun.rstrip())
            begun = ""
    return [*lines, begun.rstrip()] if begun else lines


def _masked(
    state: MaskState, rows: Sequence[TextRow], width: int, *, orphans: bool
) -> tuple[MaskState, list[str]]:
    """Return lines masked, less the blank ones, and what masking remembers behind them."""
    lines = lines_of(rows)
    headless = orphaned(lines) if orphans else 0
    masker = Masker(state, width=width)
    masked = [*map(covered, lines[:headless]), *masker.lines(lines[headless:])]
    after = IN_BLOCK if 0 < headless == len(lines) else masker.state
    return after, [_cut(line) for line in masked if line]


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _unknown(known: list[str], lines: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines that are not known, and the known ones behind the last that was found.

    Lines come in the order in which they are known, and the known ones among the first.
    """
    head = lines[: 2 * len(known) + _REMEMBERED]
    matcher = SequenceMatcher(None, known, head, autojunk=False)
    new: list[str] = []
    found = 0
    for kind, _, end, start, stop in matcher.get_opcodes():
        if kind in ("insert", "replace"):
            new += head[start:stop]
        elif kind == "equal":
            found = end
    return new + lines[len(head) :], known[found:]
