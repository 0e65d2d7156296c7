"""The field to type in that agents have in common on their screens, read by its form.

It is drawn near the bottom, between two edges, behind a bar or below a rule, with the cursor in it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from nagomi_tui.core.judge.evidence import View

_BELOW: Final = 6
"""Most rows that are not empty below a field: hints, a status line."""
_TALLEST: Final = 14
"""Most rows of a field."""
_EDGE: Final = re.compile(r"^\s*[│┃║]?\s*[╭┌┏╔╻╰└┗╚╹├┣╠]?[─━═▄▀▔▁]{12,}|^\s*\+[-=]{12,}\+\s*$")
_ASCII: Final = re.compile(r"^\s*\+")
_TOP: Final = re.compile(r"^\s*[╭┌┏╔╻]|^\s*▄")
_BOTTOM: Final = re.compile(r"^\s*[╰└┗╚╹]|^\s*▀")
_BAR: Final = re.compile(r"^\s*[┃▌▎█](?:\s|$)")
_MARKED: Final = re.compile(r"^\s*[│┃║|▌▎]?\s*(?:[>»›⟩λ$!#●◆*→-⇿▶-▻❩-❵➔-➾](?:\s|$))")
_BLANK: Final = re.compile(r"^[\s│┃║|]*$")
_CHOICE: Final = re.compile(r"^\s*[│┃║|]?\s*(?:[❯›>»▸➜●*]\s*)?\[?\(?\d{1,2}[.)\]] ")
_CHOSEN: Final = re.compile(r"^[\s│┃║|]*[❯›>»▸➜●]\s*\[?\(?\d{1,2}[.)\]] ")
_PICKED: Final = re.compile(r"^\s*[┃▌▎█]\s+[❯›»▸▶➜●◉◆]\s")
_BARRED: Final = re.compile(r"^\s{0,4}[│┃▌▎▍█](?: |$)")
_RULE: Final = re.compile(r"^\s?─{20,}\s*$|^\s?━{20,}\s*$")
_TYPED: Final = re.compile(r"^ ?(?:[^\s❯›>»▸▶➜●○◉◯◆◇│┃║|\[(]|$)")
_CAP: Final = re.compile(r"^\s*[╷╵╻╹╭╰┌└┏┗▄▀]?\s*$")
_PROMPT: Final = re.compile(r"^(?:[\w./~-]{1,24} ?)?[>❯›»](?: |$)")
_WORDED: Final = re.compile(r"^[\w.-]{1,24}[>❯›»] ")
_ROLE: Final = re.compile(r"(?i)^(?:user|you|human|me|あなた|ユーザー?|질문|你|用户) ?[:：>❯»] ?")
_LONE: Final = re.compile(r"^ ?[❯›»>] ")


def has_field(view: View) -> bool:
    """Tell whether there is a field to type in near the bottom, and the cursor not above it."""
    return _begin(view) is not None


def above_field(view: View) -> tuple[str, ...]:
    """Return the rows above the field's upper edge; all rows if there is no field."""
    first = _begin(view)
    if first is None:
        return view.rows
    edged = first > 0 and _EDGE.match(view.rows[first - 1])
    return view.rows[: first - 1 if edged else first]


def above_field_of(rows: tuple[str, ...]) -> tuple[str, ...]:
    """Return the rows above the field, where it is not known in which row the cursor stands.

    That is the last row, or where no field is found so the last one with the mark of a prompt.
    """
    last = len(rows) - 1
    marked = next((at for at in range(last, -1, -1) if _LONE.match(rows[at])), last)
    behind = View(at=0.0, rows=rows, cursor_y=marked, cursor_x=2)
    below = View(at=0.0, rows=rows, cursor_y=last)
    return above_field(below if has_field(below) else behind)


def word_prompt(view: View) -> str:
    """Return the word and sign of a prompt that the cursor stands behind in the last row, or nothing."""
    return _prompted(view, _WORDED)


def role_prompt(view: View) -> str:
    """Return the prompt of a conversation, which names the user, if the cursor stands behind it."""
    return _prompted(view, _ROLE)


def _prompted(view: View, pattern: re.Pattern[str]) -> str:
    found = pattern.match(view.cursor_line)
    below = view.rows[view.cursor_y + 1 :]
    return found[0] if found and not any(row.strip() for row in below) else ""


def _begin(view: View) -> int | None:
    """Return the row that the field begins in."""
    if view.prompt and view.prompt in (word_prompt(view), role_prompt(view)):
        return view.cursor_y
    return _field(view.rows, view.cursor_y, view.cursor_x, view.bars)


@lru_cache(maxsize=32)
def _field(rows: tuple[str, ...], cursor_y: int, cursor_x: int, bars: frozenset[int]) -> int | None:
    """Return the row that a field begins in that has a shape."""
    filled = [at for at, row in enumerate(rows) if row.strip()]
    for edge in reversed(filled[-_BELOW - 1 :]):
        if _EDGE.match(rows[edge]) and not _TOP.match(rows[edge]):
            listed = any(_CHOSEN.match(row) for row in rows[edge + 1 :])
            if (top := _closed(rows, edge)) is not None and cursor_y >= top and not listed:
                return top
            if (top := _ruled(rows, edge, cursor_y)) is not None and not listed:
                return top
            break
    if _behind_bar(rows, filled, cursor_y, cursor_x):
        return cursor_y
    return _open(rows, filled, cursor_y, cursor_x, bars)


def _behind_bar(rows: tuple[str, ...], filled: list[int], cursor_y: int, cursor_x: int) -> bool:
    """Tell whether the cursor stands in the only row with words behind a bar that stands alone."""
    if cursor_y >= len(rows) or sum(at > cursor_y for at in filled) > _BELOW:
        return False
    bar = _BARRED.match(rows[cursor_y])
    if bar is None or cursor_x <= bar.end() - 1 or _CHOICE.match(rows[cursor_y]):
        return False
    first = last = cursor_y
    while first > 0 and _BARRED.match(rows[first - 1]):
        first -= 1
    while last + 1 < len(rows) and _BARRED.match(rows[last + 1]):
        last += 1
    alone = all(
        _BLANK.match(_BARRED.sub("", rows[at])) for at in range(first, last + 1) if at != cursor_y
    )
    around = (rows[at] for at in (first - 1, last + 1) if 0 <= at < len(rows))
    return alone and all(_CAP.match(row) for row in around)


def _closed(rows: tuple[str, ...], edge: int) -> int | None:
    """Return where the field begins that ends above this edge: below another one, or a bar's."""
    at = edge - 1
    while at >= 0 and edge - at <= _TALLEST and not _EDGE.match(rows[at]):
        if _BAR.match(rows[edge - 1]) and not _BAR.match(rows[at]):
            break
        at -= 1
    first = at + 1
    barred = first < edge and _BAR.match(rows[first]) is not None
    if first == edge or (at >= 0 and not barred and not _EDGE.match(rows[at])):
        return None
    if at >= 0 and not barred and _BOTTOM.match(rows[at]):
        return None
    if barred and any(_PICKED.match(row) for row in _after_first(rows[first:edge])):
        return None
    marked = barred or _MARKED.match(rows[first]) is not None
    empty = edge - first <= 3 and all(_BLANK.match(row) for row in rows[first:edge])
    empty = empty and not _ASCII.match(rows[edge])
    return first if (marked or empty) and not _CHOICE.match(rows[first]) else None


def _ruled(rows: tuple[str, ...], edge: int, cursor_y: int) -> int | None:
    """Return where the field begins that has no sign: what is typed between two rules of one length.

    The cursor stands in it, and its lines begin at the left edge: in a dialog they are set in.
    """
    at = cursor_y
    while at >= 0 and edge - at <= _TALLEST and not _RULE.match(rows[at]):
        at -= 1
    if not at < cursor_y < edge or at < 0 or rows[at].strip() != rows[edge].strip():
        return None
    between = rows[at + 1 : edge]
    typed = all(_TYPED.match(row) and not _CHOICE.match(row) for row in between)
    return at + 1 if typed else None


def _after_first(rows: tuple[str, ...]) -> tuple[str, ...]:
    """Return the rows after the first one with words."""
    first = next((at for at, row in enumerate(rows) if not _BLANK.match(row)), len(rows))
    return rows[first + 1 :]


def _open(
    rows: tuple[str, ...],
    filled: list[int],
    cursor_y: int,
    cursor_x: int,
    bars: frozenset[int],
) -> int | None:
    """Return the row of the prompt below a rule or bar, or of the mark alone, that the cursor stands behind."""
    if sum(at > cursor_y for at in filled) > _BELOW or cursor_x < 2:
        return None
    first = _draft(rows, cursor_y)
    if first is None or _CHOICE.match(rows[first]):
        return None
    above = [at for at in filled if at < first]
    if above and above[-1] == first - 1 and (_EDGE.match(rows[first - 1]) or first - 1 in bars):
        return first if _PROMPT.match(rows[first]) else None
    apart = not above or above[-1] < first - 1
    lonely = cursor_y + 1 >= len(rows) or not rows[cursor_y + 1].strip()
    return first if apart and lonely and _LONE.match(rows[first]) else None


def _draft(rows: tuple[str, ...], cursor_y: int) -> int | None:
    """Return the first row of what is typed: the cursor's, or one whose lines go on below it."""
    for at in range(min(cursor_y, len(rows) - 1), max(-1, cursor_y - _TALLEST), -1):
        if _PROMPT.match(rows[at]) or _LONE.match(rows[at]):
            return at
        ends = at < cursor_y and not rows[at].strip() and not rows[at + 1].strip()
        if ends or (rows[at].strip() and not rows[at].startswith("  ")):
            return None
    return None
