"""The rows of a review, and how they are drawn: colours of the theme, of the language, of words that differ."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import repeat
from typing import Any, Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from nagomi_tui.review.comments import Comment
from nagomi_tui.review.model import FileChange, Hunk, Span, word_marks
from nagomi_tui.system import deadlines
from nagomi_tui.text.cells import HIDDEN, fold
from nagomi_tui.view.common.theme import FEW, INDEXED
from nagomi_tui.view.common.translate import tr


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


PIECE: Final = 40
"""Lines of a hunk that are coloured at once."""
_KEPT: Final = 1500
_LONGEST: Final = 2000
"""Characters of a line that are coloured."""
_TAB: Final = "    "
_WORDS: Final = (
    ("Comment", "comment"), ("Keyword.Type", "type"), ("Keyword", "keyword"), ("Literal.String", "string"),
    ("Literal.Number", "number"), ("Name.Function", "name"), ("Name.Class", "name"),
    ("Name.Decorator", "number"), ("Name.Tag", "keyword"), ("Name.Attribute", "type"),
    ("Operator.Word", "keyword"), ("Generic.Heading", "keyword"), ("Name.Builtin", "type"),
)  # fmt: skip
"""Kinds of words of pygments that have a colour, by the beginnings of their names."""


class Palette(NamedTuple):
    """The styles of a theme."""

    base: Style
    added: Style
    removed: Style
    added_word: Style
    removed_word: Style
    number: Style
    muted: Style
    header: Style
    heading: Style
    note: Style
    good: Style
    bad: Style
    accent: Style
    cursor: str
    """Background of the line with the cursor, as Rich names it."""
    selected: str
    syntax: Mapping[str, Style]


def palette(variables: Mapping[str, str], theme: str) -> Palette:
    """Return the styles for the variables of a theme, by its name."""
    few = FEW in theme
    ground = Color.parse(variables["background"])

    def color(name: str) -> str:
        return Color.parse(variables[name]).hex

    def mixed(name: str, part: float) -> str:
        return ground.blend(Color.parse(variables[name]), part).hex

    base = Style(color=color("foreground"), bgcolor=color("background"))
    # Neither 16 nor 256 colours have faint tints on which the colours of words can be read.
    if few or INDEXED in theme:
        added, removed = Style(color=color("success")), Style(color=color("error"))
        words = Style(underline=True), Style(underline=True)
        syntax: dict[str, Style] = {}
    else:
        added, removed = (Style(bgcolor=mixed(one, 0.14)) for one in ("success", "error"))
        words = Style(bgcolor=mixed("success", 0.34)), Style(bgcolor=mixed("error", 0.34))
        syntax = {
            "comment": Style(color=color("muted"), italic=True), "keyword": Style(color=color("primary")),
            "type": Style(color=color("secondary")), "string": Style(color=color("warning")),
            "number": Style(color=color("accent")), "name": Style(bold=True),
        }  # fmt: skip
    selected = mixed("primary", 0.3)
    if few or INDEXED in theme:
        selected = color("frame" if few else "panel")
    return Palette(
        base=base, added=added, removed=removed, added_word=words[0], removed_word=words[1],
        number=Style(color=color("muted")), muted=Style(color=color("muted")),
        header=Style(color=color("foreground"), bgcolor=color("background" if few else "panel"), bold=True),
        heading=Style(color=color("primary")), note=Style(color=color("accent")),
        good=Style(color=color("success")), bad=Style(color=color("error")),
        accent=Style(color=color("accent"), bold=True),
        cursor=color("panel"), selected=selected,
        syntax=syntax,
    )  # fmt: skip


_lexers: Final[dict[str, Any]] = {}
"""The languages that were needed so far, by ends of files' names; None where none is known."""


class Painter:
    """Knows which parts of lines have a colour; what takes its time is done a little at a time."""

    def __init__(self) -> None:
        self._pieces: OrderedDict[tuple[int, int], list[list[tuple[int, int, str]]]] = OrderedDict()
        self._marks: dict[int, dict[int, list[Span]]] = {}
        self._wanted: dict[tuple[int, int], tuple[Hunk, str]] = {}

    def forget(self) -> None:
        """Forget all pieces: other changes are shown from now on."""
        self._pieces.clear()
        self._marks.clear()
        self._wanted.clear()

    def prepare(self, names: Iterable[str]) -> None:
        """Load what the languages of these files need, in a thread: the first use of one takes long."""
        kinds = {_kind(name): name for name in names}
        new = {kind: name for kind, name in kinds.items() if kind not in _lexers}

        def load() -> None:
            for kind, name in new.items():
                _lexers[kind] = _lexer(name)

        if new:
            deadlines.begin(load)

    def spans(self, hunk: Hunk, at: int, name: str) -> Sequence[tuple[int, int, str]]:
        """Return the coloured parts of a line after its sign; nothing until they are known."""
        key = (id(hunk), at // PIECE)
        if (found := self._pieces.get(key)) is not None:
            self._pieces.move_to_end(key)
            return found[at % PIECE]
        self._wanted[key] = hunk, name
        return ()

    def knows(self, hunk: Hunk, at: int) -> bool:
        """Tell whether the colours of a line are known."""
        return (id(hunk), at // PIECE) in self._pieces

    def marks(self, hunk: Hunk, at: int) -> Sequence[Span]:
        """Return which characters of a line after its sign differ from its other side."""
        if (found := self._marks.get(id(hunk))) is None:
            return ()
        return found.get(at, ())

    def work(self, seconds: float) -> bool:
        """Colour some of what was drawn without; tell whether there is something new to draw."""
        until, done = time.perf_counter() + seconds, False
        while self._wanted and time.perf_counter() < until:
            key = next(reversed(self._wanted))
            hunk, name = self._wanted.pop(key)
            if id(hunk) not in self._marks:
                self._marks[id(hunk)] = word_marks(hunk.lines) if len(hunk.lines) <= 2000 else {}
                done = True
            kind = _kind(name)
            if kind not in _lexers:
                self._wanted[key] = hunk, name
                return done
            lines = hunk.lines[key[1] * PIECE : (key[1] + 1) * PIECE]
            self._pieces[key] = _colored(lines, _lexers[kind])
            done = True
            while len(self._pieces) > _KEPT:
                self._pieces.popitem(last=False)
        return done

    @property
    def has_work(self) -> bool:
        """Whether something was drawn that has no colours yet."""
        return bool(self._wanted)


def _kind(name: str) -> str:
    """Return what of a file's name tells its language."""
    base = name.rpartition("/")[2]
    return base.rpartition(".")[2].lower() if "." in base else base


def _lexer(name: str) -> Any:
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_for_filename(name.rpartition("/")[2], stripnl=False, ensurenl=False)
        list(lexer.get_tokens_unprocessed("x = 1\n"))
    except (ClassNotFound, ValueError, OSError):
        return None
    return lexer


def _colored(lines: Sequence[str], lexer: Any) -> list[list[tuple[int, int, str]]]:
    """Return the coloured parts of each line; both sides are read on their own."""
    found: list[list[tuple[int, int, str]]] = [[] for _ in lines]
    if lexer is None:
        return found
    signs = [line[:1] for line in lines]
    sides = [[at for at, sign in enumerate(signs) if sign in "+ "]]
    if "-" in signs:
        sides.append([at for at, sign in enumerate(signs) if sign in "- "])
    for number, side in enumerate(sides):
        for at, parts in zip(side, _lexed([lines[at][1:] for at in side], lexer), strict=True):
            if number == 0 or signs[at] == "-":
                found[at] = parts
    return found


def _lexed(lines: Sequence[str], lexer: Any) -> list[list[tuple[int, int, str]]]:
    texts = [line[:_LONGEST] for line in lines]
    found: list[list[tuple[int, int, str]]] = [[] for _ in texts]
    row = column = 0
    for _, kind, value in lexer.get_tokens_unprocessed("\n".join(texts)):
        word = _word(kind)
        parts = value.split("\n")
        for number, part in enumerate(parts):
            if number:
                row, column = row + 1, 0
            if part and word and row < len(found):
                found[row].append((column, column + len(part), word))
            column += len(part)
    return found


_known: Final[dict[Any, str]] = {}


def _word(kind: Any) -> str:
    if (found := _known.get(kind)) is None:
        text = str(kind).removeprefix("Token.")
        found = _known[kind] = next((word for start, word in _WORDS if text.startswith(start)), "")
    return found


def segments(
    text: str, base: Style, spans: Sequence[tuple[int, int, str]], marks: Sequence[Span],
    mark: Style, syntax: Mapping[str, Style],
) -> list[Segment]:  # fmt: skip
    """Return a line's text in its parts; control characters are blanks, a tab is four."""
    if not spans and not marks:
        return [Segment(_shown(text), base)]
    cuts = sorted(
        {0, len(text), *(p for s in spans for p in s[:2]), *(p for m in marks for p in m)}
    )
    made, at, inside = [], 0, 0
    for start, end in zip(cuts, cuts[1:], strict=False):
        if start >= len(text):
            break
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        style = base
        if at < len(spans) and spans[at][0] <= start:
            style += syntax.get(spans[at][2], Style.null())
        while inside < len(marks) and marks[inside][1] <= start:
            inside += 1
        if inside < len(marks) and marks[inside][0] <= start:
            style += mark
        made.append(Segment(_shown(text[start:end]), style))
    return made


def _shown(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return HIDDEN.sub(" ", text.replace("\t", _TAB))


def hits(text: str, needle: str) -> list[tuple[int, int]]:
    """Return where a text holds another one that is in lower case."""
    low, found, at = text.lower(), [], 0
    if len(low) != len(text):
        return []
    while (at := low.find(needle, at)) >= 0:
        found.append((at, at + len(needle)))
        at += len(needle)
    return found


def note(one: FileChange) -> str:
    """Return what stands in place of a file's content."""
    if one.kind == "submodule":
        return tr(
            "a repository of its own: {before} → {after}",
            before=one.before[:9],
            after=one.after[:9],
        )
    if one.kind == "binary":
        return tr("binary: its content is not shown")
    if one.kind == "large":
        return tr("a large file: Enter shows its content")
    if not one.loaded:
        return tr("not read yet: Enter shows it")
    if one.folds:
        return tr("many changed lines: Enter shows them")
    if one.mode_change or one.path != one.old_path:
        return tr("its content is as it was")
    return tr("an empty file")
