"""Finds secrets in columns: `| DB_PASSWORD | … |`, and below a header that names a column so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from nagomi_tui.masking.names import Holds, holds
from nagomi_tui.masking.plain import (
    is_date,
    is_hex,
    is_made,
    is_path,
    is_phrase,
    is_plain,
    is_said,
    is_uuid,
    looks_random,
)
from nagomi_tui.masking.values import REDACTED, Span
from nagomi_tui.text.patterns import lazy

_BARS: Final = "|│┃║"
_BAR: Final = lazy(rf"[{_BARS}]")
_EDGES: Final = {mark: lazy(mark) for mark in ",;\t"}
_VALUES_OF: Final = frozenset(("value", "values", "secret value", "string", "secretstring"))
_BLANKS: Final = lazy(r"\s{2,}")
_RULE: Final = lazy(r"[\s+\-=|:\u2500-\u257f]+")
_TITLE: Final = lazy(r"[A-Za-z_][\w .\-]{0,40}")
_HEADING: Final = lazy(r"[A-Z][A-Z0-9 _\-]{0,40}")
_WORD: Final = lazy(r"[A-Za-z_][A-Za-z0-9_]{0,40}")
_LINES: Final = lazy(r"\s*-{2,}(?:\s+-{2,}){1,64}\s*")
_NAME: Final = lazy(r"[`\"']?([A-Za-z_][\w.\-:]{1,60})[`\"']?")
_TYPE: Final = lazy(
    r"(?i)(?:var)?char(?:acter)?\b.*|(?:tiny|medium|long)?(?:text|blob)|(?:big|small)?int(?:eger)?\b.*"
    r"|string|bool(?:ean)?|bytea|uuid|json[b]?|timestamp.*|date(?:time)?|(?:var)?binary\b.*|secretstr"
)
_SHORTEST: Final = 20
_CAPITALS: Final = 16
"""Letters of a key in base32, as authenticators have them."""
_MOST: Final = 64
"""Cells of a row that is still taken for one of a table."""


class Header(msgspec.Struct, frozen=True):
    """Which columns of a table hold secrets: their numbers, of how many, and what parts them."""

    columns: tuple[int, ...]
    sure: tuple[bool, ...]
    """Whether these hold passwords, which may be any word."""
    count: int
    mark: str
    ruled: bool = True
    """It is a header for certain; where only blanks part its words, the rule below it says so."""
    perhaps: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    """Those of the columns that hold secrets only where a word looks drawn by chance."""

    def kinds(self) -> Iterator[Holds]:
        """Yield how sure it is of each of these columns that it holds secrets."""
        for at, sure in zip(self.columns, self.sure, strict=True):
            if self.perhaps is not msgspec.UNSET and at in self.perhaps:
                yield Holds.PERHAPS
            else:
                yield Holds.PASSWORD if sure else Holds.SECRET


def find_rows(text: str) -> Iterator[Span]:
    """Yield the second cell of a row whose first one is the name of a secret."""
    if not _has_bar(text):
        yield from _two_columns(text)
        return
    cells = _cells(text, "|")
    for (start, end), (first, last) in zip(cells, cells[1:2], strict=False):
        name = _NAME.fullmatch(text, start, end)
        word = text[first:last]
        if name is None or holds(name[1]) < Holds.SECRET or _is_plain(word):
            continue
        made = len(word) >= 12 and word.isalpha() and not (word[1:].islower() or word.isupper())
        if is_said(word) or looks_random(word) or (made and holds(name[1]) is Holds.PASSWORD):
            yield first, last


def _two_columns(text: str) -> Iterator[Span]:
    """Yield the value at the end of a line with the name of a secret before it, and some words before that."""
    found = _COLUMNS.fullmatch(text)
    if found and found[1].lower().endswith("secret_id") and is_uuid(found[2]):
        yield found.span(2)
        return
    kind = _column(found[1]) if found else Holds.NOTHING
    if found is None or kind is Holds.NOTHING or found[1] == "PASS":
        return
    word = found[2]
    if kind is Holds.PASSWORD:
        given = is_said(word) or is_phrase(word)
    else:
        parted = text[found.end(1) : found.start(2)] != " "
        given = (is_said(word) if parted else is_made(word)) and (parted or not is_hex(word))
    if given and not (_is_plain(word) or is_date(word) or is_path(word)):
        yield found.span(2)


_COLUMNS: Final = lazy(
    r"[\s?◆◇│|✔✓•*>]*(?:[\w.@:-]{1,40}\s{1,8}){0,3}?([A-Za-z_][\w.-]{1,60})\s{1,24}[\"'`]?([^\s(;\"'`\\]{6,200})[\"'`]?\s*"
)
_VALUES: Final = lazy(r"\(([\w\s,\"`\[\].]{3,400})\)\s{0,8}values\s{0,8}(?=\()", re.IGNORECASE)
_SELECT: Final = lazy(r"(?i:[>#]\s{1,4}select)\s+([\w.\"`]+(?:\s*,\s*[\w.\"`]+)+)\s+(?i:from)\s")
_TUPLE: Final = lazy(r"\s{0,8},?\s{0,8}\(((?:[^()'\"]|'(?:[^']|'')*'|\"[^\"]*\"|\([^()]*\))*)\)")
_ITEM: Final = lazy(
    r"\s*(?:[A-Za-z]?'((?:[^']|'')*)'|\"([^\"]*)\"|((?:[^,'\"()]|\([^()]*\))*))\s*(?:,|$)"
)


def find_inserted(text: str, low: str) -> Iterator[Span]:
    """Yield the values that an INSERT gives to columns of secrets."""
    if "values" not in low or (found := _VALUES.search(text)) is None:
        return
    names = [name.strip(' "`[]') for name in found[1].split(",")]
    kinds = [holds(name) for name in names]
    if max(kinds) < Holds.SECRET:
        return
    at = found.end()
    while row := _TUPLE.match(text, at):
        at = row.end()
        start = row.start(1)
        for kind in kinds:
            item = _ITEM.match(text, start, row.end(1))
            if item is None or start >= row.end(1):
                break
            given = 1 if item[1] is not None else 2
            if kind >= Holds.SECRET and item[given] and not _is_plain(item[given]):
                yield item.span(given)
            start = item.end()


def header(text: str) -> Header | None:
    """Return what a line says of the columns below it, where one of these holds secrets."""
    comment = text.startswith("# ")
    text = text.lstrip("# ")
    if not (mark := _mark(text)):
        return None
    names = [text[start:end] for start, end in _cells(text, mark)]
    ruled = mark != "  " or text.isupper() or comment
    title = _TITLE if mark != "  " or comment else _HEADING if ruled else _WORD
    if len(names) < 2 or not all(title.fullmatch(name) for name in names):
        return None
    kinds = [Holds.PERHAPS if name.lower() in _VALUES_OF else _column(name) for name in names]
    columns = tuple(at for at, kind in enumerate(kinds) if kind is not Holds.NOTHING)
    if not columns:
        return None
    sure = tuple(kinds[at] is Holds.PASSWORD for at in columns)
    perhaps = tuple(at for at in columns if kinds[at] is Holds.PERHAPS)
    return Header(columns, sure, len(names), mark, ruled, perhaps or msgspec.UNSET)


def _column(name: str) -> Holds:
    kind = Holds.PASSWORD if name.lower() in ("pass", "pw", "pwd") else holds(name)
    return kind if kind >= Holds.SECRET else Holds.NOTHING


def selected(text: str) -> Header | None:
    """Return what a SELECT says of the rows below it, which some clients print without a header."""
    if ("from" not in text and "FROM" not in text) or not (found := _SELECT.search(text)):
        return None
    names = [name.split()[-1].rpartition(".")[2] for name in found[1].split(",")]
    kinds = [holds(name.strip('"`')) for name in names]
    columns = tuple(at for at, kind in enumerate(kinds) if kind >= Holds.SECRET)
    if len(names) < 2 or not columns:
        return None
    return Header(columns, tuple(kinds[at] is Holds.PASSWORD for at in columns), len(names), "|")


def ruled(text: str, head: Header) -> Header | None:
    """Return the header once the line below it has the rule that it lacks."""
    if not _LINES.fullmatch(text) or len(_cells(text, head.mark)) != head.count:
        return None
    return msgspec.structs.replace(head, ruled=True)


def belongs(text: str, head: Header) -> bool:
    """Tell whether a line is a row of the table, or a rule in it."""
    if _RULE.fullmatch(text):
        return True
    return len(_cells(text, head.mark)) == head.count


def find_cells(text: str, head: Header) -> list[Span]:
    """Return the cells of a row that stand in columns of secrets."""
    cells = _cells(text, head.mark)
    if not head.ruled or len(cells) != head.count or _RULE.fullmatch(text):
        return []
    found = zip((cells[at] for at in head.columns), head.kinds(), strict=True)
    parted = head.mark != "  "
    return [span for span, kind in found if _is_secret(text[slice(*span)], kind, parted=parted)]


def _is_secret(word: str, kind: Holds, *, parted: bool) -> bool:
    # What was masked before may have kept the quote before it.
    if not word or _is_plain(word) or word.strip("\"'`") == REDACTED:
        return False
    if kind is Holds.PERHAPS:
        return len(word) >= _SHORTEST and looks_random(word) and not is_hex(word)
    if kind is Holds.PASSWORD and " " in word:
        return parted and is_said(word.replace(" ", ""))
    if len(word) >= _CAPITALS and word.isalnum() and word.isupper():
        return True
    return is_said(word) or (kind is Holds.PASSWORD and len(word) > 3)


def _is_plain(word: str) -> bool:
    plain = is_plain(word, strength=Holds.PASSWORD, quoted=True, name="")
    return plain or _TYPE.fullmatch(word) is not None


def _has_bar(text: str) -> bool:
    return "|" in text or "│" in text or "┃" in text or "║" in text


def _mark(text: str) -> str:
    """Return what parts the cells of a line that might be a header."""
    if _has_bar(text):
        return "|"
    if "\t" in text.strip():
        return "\t"
    for mark in ",;":
        if mark in text and " " not in text.strip():
            return mark
    return "  " if "  " in text.strip() else ""


def _cells(text: str, mark: str) -> Sequence[Span]:
    """Return where the cells of a line stand, without the blanks around them and outer bars."""
    bare = text.strip(" ") if mark == "\t" else text.strip()
    start = len(text) - len(text.lstrip(" " if mark == "\t" else None))
    end = start + len(bare)
    if mark == "|":
        start += bare[:1] in _BARS and bool(bare)
        end -= len(bare) > 1 and bare[-1] in _BARS
    edge = _BAR if mark == "|" else _EDGES.get(mark, _BLANKS)
    cells: list[Span] = []
    for found in edge.finditer(text, start, end):
        cells.append(_trimmed(text, start, found.start()))
        start = found.end()
        if len(cells) > _MOST:
            return ()
    return [*cells, _trimmed(text, start, end)]


def _trimmed(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    first = start + len(part) - len(part.lstrip())
    return first, first + len(part.strip())
