"""The rows of a review: headers of files, hunks, lines and comments, one below the other."""

from __future__ import annotations

from enum import IntEnum
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from nagomi_tui.text.cells import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nagomi_tui.review.comments import Comment
    from nagomi_tui.review.model import FileChange, Hunk


class Kind(IntEnum):
    """What a row shows."""

    FILE = 0
    NOTE = 1
    """A sentence on a file in place of its content."""
    HUNK = 2
    LINE = 3
    COMMENT = 4
    GAP = 5


class Row(NamedTuple):
    """One row. For a comment, `hunk` is its position in the list of comments, `line` that in its text."""

    kind: Kind
    file: int = -1
    hunk: int = -1
    line: int = -1


def rows(
    files: Sequence[FileChange], folded: Mapping[bytes, bool], comments: Sequence[Comment], width: int,
    *, more: bool = False,
) -> list[Row]:  # fmt: skip
    """Return all rows; comments whose lines are not among those shown stand before the others.

    Where there is `more` to tell, a row for it is the last one.
    """
    by_file: dict[bytes, list[int]] = {}
    paths = {path for one in files for path in (one.path, one.old_path)}
    elsewhere = []
    for at, comment in enumerate(comments):
        if comment.path in paths:
            by_file.setdefault(comment.path, []).append(at)
        else:
            elsewhere.append(at)
    made: list[Row] = []
    for at in elsewhere:
        made.extend(_comment(-1, at, comments[at], width))
    for number, one in enumerate(files):
        if number:
            made.append(Row(Kind.GAP, number))
        made.append(Row(Kind.FILE, number))
        mine = list(dict.fromkeys(by_file.get(one.path, []) + by_file.get(one.old_path, [])))
        if folded.get(one.path, one.folds):
            if one.kind == "text" and one.loaded:
                continue
            made.append(Row(Kind.NOTE, number))
            for at in mine:
                made.extend(_comment(number, at, comments[at], width))
            continue
        if not one.hunks:
            made.append(Row(Kind.NOTE, number))
        places, loose = _places(one, mine, comments)
        for at in loose:
            made.extend(_comment(number, at, comments[at], width))
        for at, hunk in enumerate(one.hunks):
            made.append(Row(Kind.HUNK, number, at))
            if not any(key[0] == at for key in places):
                made.extend(_lines(number, at, len(hunk.lines)))
                continue
            for line in range(len(hunk.lines)):
                made.append(Row(Kind.LINE, number, at, line))
                for below in places.get((at, line), ()):
                    made.extend(_comment(number, below, comments[below], width))
    if more:
        made.append(Row(Kind.GAP, len(files)))
    return made


def _lines(file: int, hunk: int, count: int) -> Iterator[Row]:
    """Return the rows of a hunk's lines; there may be many, so that no function of ours makes each."""
    values = zip(repeat(Kind.LINE), repeat(file), repeat(hunk), range(count), strict=False)
    return map(tuple.__new__, repeat(Row), values)


def _places(
    one: FileChange, mine: Sequence[int], comments: Sequence[Comment]
) -> tuple[dict[tuple[int, int], list[int]], list[int]]:
    """Return below which hunk and line each comment stands, and which stand below none."""
    places: dict[tuple[int, int], list[int]] = {}
    loose = []
    for at in mine:
        comment = comments[at]
        found = None if comment.standing == "lost" else _line_of(one.hunks, comment)
        if found is None:
            loose.append(at)
        else:
            places.setdefault(found, []).append(at)
    return places, loose


def _line_of(hunks: Sequence[Hunk], comment: Comment) -> tuple[int, int] | None:
    column = 1 if comment.side == "new" else 0
    for at, hunk in enumerate(hunks):
        first, count = (hunk.new, hunk.new_count) if column else (hunk.old, hunk.old_count)
        if first <= comment.last < first + count:
            for line, numbers in enumerate(hunk.numbers()):
                if numbers[column] == comment.last:
                    return at, line
    return None


def comment_lines(comment: Comment, width: int) -> list[str]:
    """Return the lines of a comment, folded to a width."""
    room = max(12, width)
    return [part for line in comment.text.split("\n") for part in (fold(line, room) or [""])]


def _comment(file: int, at: int, comment: Comment, width: int) -> Iterator[Row]:
    for line in range(-1, len(comment_lines(comment, width))):
        yield Row(Kind.COMMENT, file, at, line)
