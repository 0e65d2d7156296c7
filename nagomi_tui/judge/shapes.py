"""What agents' screens have in common: the field to type in, and what moves while they work.

The field is drawn near the bottom, between two edges, behind a bar or below a rule, with the cursor
in it. What turns or counts changes in place: its row is the same but for a sign or a number, though
text that flows in above may push it down. Where only colours travel over a text, as a light that
passes over it, it must be seen longer, and after something was asked of the agent.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from nagomi_tui.judge.evidence import View
from nagomi_tui.text.patterns import lazy

_BELOW: Final = 6
"""Most rows that are not empty below a field: hints, a status line."""
_TALLEST: Final = 14
"""Most rows of a field."""
_EDGE: Final = lazy(r"^\s*[│┃║]?\s*[╭┌┏╔╻╰└┗╚╹├┣╠]?[─━═▄▀▔▁]{12,}|^\s*\+[-=]{12,}\+\s*$")
_ASCII: Final = lazy(r"^\s*\+")
_TOP: Final = lazy(r"^\s*[╭┌┏╔╻]|^\s*▄")
_BOTTOM: Final = lazy(r"^\s*[╰└┗╚╹]|^\s*▀")
_BAR: Final = lazy(r"^\s*[┃▌▎█](?:\s|$)")
_MARKED: Final = lazy(r"^\s*[│┃║|▌▎]?\s*(?:[>»›⟩λ$!#●◆*→-⇿▶-▻❩-❵➔-➾](?:\s|$))")
_BLANK: Final = lazy(r"^[\s│┃║|]*$")
_CHOICE: Final = lazy(r"^\s*[│┃║|]?\s*(?:[❯›>»▸▶➜→●*]\s*)?\[?\(?\d{1,2}[.)\]] ")
_CHOSEN: Final = lazy(r"^[\s│┃║|]*[❯›>»▸▶➜→●]\s*\[?\(?\d{1,2}[.)\]] ")
_PICKED: Final = lazy(r"^\s*[┃▌▎█]\s+[❯›»▸▶➜●◉◆]\s")
_BARRED: Final = lazy(r"^\s{0,4}[│┃▌▎▍█](?: |$)")
_BAR_PROMPT: Final = lazy(r"^\s{0,4}[│┃▌▎▍█] {0,2}[>❯›»](?: |$)")
_BAR_KEY: Final = lazy(r"(?i)^\s{0,4}[│┃▌▎▍█] {0,2}(?:press )?(?:esc|ctrl|tab|shift)\w*\b")
_RULE: Final = lazy(r"^\s?─{20,}\s*$|^\s?━{20,}\s*$")
_TYPED: Final = lazy(r"^ ?(?:[^\s❯›>»▸▶➜●○◉◯◆◇│┃║|\[(]|$)")
_CAP: Final = lazy(r"^\s*[╷╵╻╹╭╰┌└┏┗▄▀]?\s*$")
_PROMPT: Final = lazy(r"^(?:[\w./~-]{1,24} ?)?[>❯›»](?: |$)")
_PROMPT_AND_TEXT: Final = lazy(r"^(?:[\w.-]{1,24}[>❯›»]|[>❯›»]{1,3}) ")
_ROLE: Final = lazy(r"(?i)^(?:user|you|human|me|あなた|ユーザー?|질문|你|用户) ?[:：>❯»] ?")
_LONE: Final = lazy(r"^ ?[❯›»>](?: |$)")
_SENT: Final = lazy(
    r"^ ?(?:[\w./~-]{1,24} ?)?[❯›»>] \S|^(?i:user|you|human|me|あなた|ユーザー?) ?[:：] ?\S"
)
_MARK: Final = lazy(r"^[\s│┃║|▌▎█]*(?:[\w./~-]{0,24} ?[>»›❯:：$] )?[\s│┃║|]*")
_AT_WORK: Final = lazy(r"^[\s│┃║|]*[\u2801-\u28ff◐-◓]|(?:\.\.\.|…) ?(?:\(.*)?$")
_FRAME: Final = lazy(r"^[\s│┃║|]*")
_WORD: Final = lazy(r"\w+")
_LEAD: Final = lazy(r"^[\s│┃║|]*(?:[^\w\s│┃║|\"'`(\[{<*/~.#$@+-][\ufe0e\ufe0f]?|[*!ℹ])\s+\S")
"""A sign before words, with which a message begins."""
_NOTE: Final = lazy(
    r"^[\s│┃║|]*(?:[ℹ💡▣][\ufe0e\ufe0f]?\s|[·✢✳✶✻✽✺✹✦∴*] \S+ for \d|(?i:tip|hint|note): )"
)
"""Messages beside the answer: advice, or how long it took."""
_HINT: Final = lazy(r"^ {20,}\S|\S {15,}\S|^\s*[~/][\w./~-]*(?: [\[(].{0,40}[\])])?$")
"""What is set to the right edge, and the folder that a status line names."""
_HINTS: Final = 4
"""Rows that are not empty between a rule and the field in which hints stand."""


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


def last_block(view: View) -> tuple[str, bool]:
    """Return the last words that were printed above the field, and whether they begin in red.

    Hints below them count as none: what stands at the right edge, between a rule and the field, or
    above the field at all times, or says for how long it worked. The line that the user has sent ends them at their top.
    """
    rows = above_field(view) if has_field(view) else ()
    sent = (at for at in range(len(rows) - 1, -1, -1) if was_sent(rows[at], view.sent))
    top = next(sent, -1) + 1
    rows = rows[top:]
    last = _last_words(rows)
    while last >= 0:
        first = _block_begin(rows, last)
        if _SENT.match(rows[first]):
            break
        if not (_NOTE.match(rows[first]) or (view.label and _bare(rows[last]) == view.label)):
            text = "\n".join(_FRAME.sub("", row).rstrip(" │┃║|") for row in rows[first : last + 1])
            return text, first + top in view.red
        last = _last_words(rows[:first])
    return "", False


def was_sent(row: str, text: str) -> bool:
    """Tell whether a row is this text of the user's, behind whatever sign; none is ever."""
    before, found, after = row.strip(" │┃║|").rpartition(text or "\0")
    return bool(found) and not after and not _WORD.search(before)


def draft(view: View) -> str:
    """Return what stands in the cursor's row of the field, without its mark and frame."""
    if not has_field(view) or view.cursor_y >= len(view.rows):
        return ""
    row = view.rows[view.cursor_y]
    if view.prompt and row.startswith(view.prompt):
        return row[len(view.prompt) :].strip()
    return _bare(row)


def _bare(row: str) -> str:
    return _MARK.sub("", row, count=1).strip(" │┃║|").strip()


def words_above(view: View) -> tuple[str, ...]:
    """Return the words of each row above the field, without mark and frame."""
    return tuple(_bare(row) for row in above_field(view))


def said_last(view: View, words: str) -> bool:
    """Tell whether these words are the last ones above the field, but for a sign of work."""
    rows = above_field(view)
    last = _last_words(rows)
    if last >= 0 and _AT_WORK.search(rows[last]):
        last = _last_words(rows[:last])
    return last >= 0 and _bare(rows[last]) == words


def _last_words(rows: tuple[str, ...]) -> int:
    """Return the last row with words that is no hint; -1 without one."""
    filled = [at for at, row in enumerate(rows) if not _BLANK.match(row)]
    ruled = [at for at in filled[-_HINTS:] if _RULE.match(rows[at])]
    kept = (at for at in reversed(filled) if not ruled or at < ruled[0])
    return next((at for at in kept if not (_HINT.search(rows[at]) or _EDGE.match(rows[at]))), -1)


def _block_begin(rows: tuple[str, ...], last: int) -> int:
    """Return the row in which the words begin that end in this one."""
    at = last
    while at > 0 and last - at < _TALLEST and not _LEAD.match(rows[at]):
        if any(end.match(rows[at - 1]) for end in (_BLANK, _EDGE, _SENT)):
            break
        at -= 1
    return at


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
    """Return the word and sign, or the sign, of a prompt that the cursor stands behind in the last row, or nothing."""
    return _prompted(view, _PROMPT_AND_TEXT)


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
    found = _field(view.rows, view.cursor_y, view.cursor_x, view.bars)
    return _below_label(view.rows, view.label) if found is None and view.label else found


def _below_label(rows: tuple[str, ...], label: str) -> int | None:
    """Return where the field begins below what stands above it at all times: one row behind a bar."""
    last = next((at for at in range(len(rows) - 1, -1, -1) if _bare(rows[at]) == label), len(rows))
    below = [at for at in range(last + 1, len(rows)) if rows[at].strip()]
    barred = [at for at in below if _BARRED.match(rows[at])]
    worded = [at for at in barred if not _BLANK.match(rows[at])]
    fits = len(worded) == 1 and below[0] in barred and len(below) <= _BELOW + len(barred)
    return barred[0] if fits and not _CHOICE.match(rows[worded[0]]) else None


@lru_cache(maxsize=32)
def _field(rows: tuple[str, ...], cursor_y: int, cursor_x: int, bars: frozenset[int]) -> int | None:
    """Return the row that a field begins in that has a shape."""
    filled = [at for at, row in enumerate(rows) if row.strip()]
    for edge in reversed(filled[-_BELOW - 1 :]):
        if _EDGE.match(rows[edge]) and not _TOP.match(rows[edge]):
            listed = any(_CHOSEN.match(row) for row in rows[edge:])
            if (top := _closed(rows, edge)) is not None and cursor_y >= top and not listed:
                return top
            if (top := _ruled(rows, edge, cursor_y)) is not None and not listed:
                return top
            break
    if _behind_bar(rows, filled, cursor_y, cursor_x):
        return cursor_y
    return _beside_bar(rows, filled, cursor_y) or _open(rows, filled, cursor_y, cursor_x, bars)


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


def _beside_bar(rows: tuple[str, ...], filled: list[int], cursor_y: int) -> int | None:
    """Return where the field begins of an agent that draws its cursor itself, and has it below.

    It is a prompt behind a bar, with an empty row of the bar above and below, or a key below.
    """
    for at in filled[-_BELOW - 3 : -2]:
        below = at + 2 if _BAR_KEY.match(rows[at + 1]) else at + 1
        around = (rows[at - 1], rows[below]) if at else ()
        empty = all(_BARRED.match(row) and _BLANK.match(row) for row in around)
        if at and at < cursor_y and empty and _BAR_PROMPT.match(rows[at]):
            return at - 1
    return None


def _closed(rows: tuple[str, ...], edge: int) -> int | None:
    """Return where the field begins that ends above this edge: below another one, or a bar's."""
    at = edge - 1
    while at >= 0 and edge - at <= _TALLEST and not _EDGE.match(rows[at]):
        if _BAR.match(rows[edge - 1]) and not _BAR.match(rows[at]):
            break
        at -= 1
    first = at + 1
    barred = _BAR.match(rows[first]) is not None
    if first == edge or (at >= 0 and not barred and not _EDGE.match(rows[at])):
        return None
    if at >= 0 and not barred and _BOTTOM.match(rows[at]):
        return None
    if any((_PICKED if barred else _CHOSEN).match(row) for row in _after_first(rows[first:edge])):
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


STEADY: Final = 2.0
"""Most seconds between two changes in place that belong to one movement."""

LASTING: Final = 3.0
"""Seconds for which what moves is taken to move on, though the screen was not looked at."""

_LAST_SIGN: Final = 0.7
"""Seconds for which it moves on if its sign is a new one: that may be the one of its end."""

_TURNS: Final = 2
"""Changes by a sign or a count that make a movement."""
_TINTS: Final = 4
"""Changes of colours that make a movement: they also change where one moves about in a menu."""

_FAMILIES: Final = (
    "\u2800-\u28ff",
    "◐-◗◜-◟◰-◷◎○●◉◌◍⊶⊷",
    "⬝■□▪▫▰▱░▒▓█▁-▏▖▘▝▗▀▄▌▐",
    "·✢✳✶✻✽✺✹✷✸✴∗*∙•",
    "|/\\\\-",
    "◢◣◤◥◇◆⬖⬗⬘⬙←-↙",
    ".…",
    "\u2190-\u2bff\U0001f300-\U0001faff",
)
"""Signs that give way to one another where something turns."""
_SIGN: Final = lazy("|".join(f"([{family}])" for family in _FAMILIES))
_LEADING: Final = lazy(r"^([\s│┃║|]*?)([^\w\s│┃║]{1,2})(?=\s+\w)")
"""A sign before the first word turns, whichever others it gives way to."""
_UNITS: Final = lazy(
    r"(?<![\d:])\d+(?:[.,]\d+)? ?(?:[smhkKB]|ms|min(?:utes?)?|sec(?:onds?)?|tok\w*|bytes)\b(?!:)"
    r"|\d+(?:秒|分|時間|トークン)|(?<![\d.])\d{1,3} ?%"
)
_CLOCK: Final = lazy(r"(?<![\d:])\d{1,3}:[0-5]\d(?![\d:])")
"""Minutes and seconds; a clock's hours do not count on."""
_SHARE: Final = lazy(
    r"^[\s│┃║|▌▐\[(]*(?:[━╸╺─█▓▒░▉▊▋▌▍▎▏■□▪▫▰▱●○#=>.-]+[\])]?\s*)?(\d{1,3})(?:\.\d+)? ?%"
    r"(?:[\s\])]*(?:ETA|eta|in)?:? ?(?:-+:)*[\d:-][\d:.,-]*\w{0,5}){0,3}[\s│┃║|▌▐\])]*$"
)
_WIDEST: Final = 240
_DIGITS: Final = lazy(r"\d+(?:[.,]\d+)?k?")
_TURNING: Final = "\ue000"
"""Stands for a sign before the first word."""
_TINTED: Final = "\0"
"""Begins the form of what moves by its colours."""


class Motion:
    """What moves in place, seen over several looks at the screen."""

    def __init__(self) -> None:
        self._rows: tuple[str, ...] = ()
        self._tints: tuple[int, ...] = ()
        self._seen: dict[str, tuple[int, float]] = {}
        self._left: dict[str, set[str]] = {}
        """The signs before the first word that each of these has given up for another one."""
        self._restless: set[str] = set()

    def take(self, view: View, *, begun: bool) -> None:
        """Compare the screen with the last one; `begun` says that something was asked before.

        A clock or a light that moves before that does so at rest, too, and tells nothing later.
        """
        at, moved = view.at, self._turned(view.rows)
        clocks = {form for form, (told, _) in moved.items() if told == "clock"}
        tints = self._tinted(view)
        if not begun:
            self._restless |= clocks | tints
        for form in (moved.keys() | tints) - self._restless:
            count, last = self._seen.get(form, (0, at))
            least = _TINTS if form.startswith(_TINTED) else _TURNS
            # What is drawn anew for another size goes on moving, and does not begin to.
            again = at - last <= STEADY and not (view.resized and count < least)
            self._seen[form] = (count + 1 if again else 1, at)
            self._left.setdefault(form, set()).add(moved.get(form, ("", ""))[1])
        self._seen = {form: kept for form, kept in self._seen.items() if at - kept[1] <= STEADY}
        self._left = {form: kept for form, kept in self._left.items() if form in self._seen}
        self._rows, self._tints = view.rows, view.tints

    def lasts(self, at: float, *, patient: bool = True) -> float:
        """Return until when something moves that has turned or counted at least twice; 0 without.

        Who is not `patient` takes a sign that did not come before for the one of its end.
        """
        moving = {
            form.removeprefix(_TINTED): (form, last)
            for form, (count, last) in self._seen.items()
            if count >= (_TINTS if form.startswith(_TINTED) else _TURNS) and at - last <= STEADY
        }
        if not moving:
            return 0.0
        rows = ((row, form) for row in self._rows if (form := form_of(row)) in moving)
        found = (self._until(row, *moving[form], patient=patient) for row, form in rows)
        return max(found, default=0.0)

    def _until(self, row: str, form: str, last: float, *, patient: bool) -> float:
        """Return until when a row is taken to move on that changed `last`."""
        lead, left = _lead(row), self._left[form]
        family = _family_of(lead)
        known = lead in left or (family >= 0 and family in map(_family_of, left))
        return last + (LASTING if known else _LAST_SIGN * patient)

    def _turned(self, rows: tuple[str, ...]) -> dict[str, tuple[str, str]]:
        """Return the forms of rows that turned or counted: by what, and the sign that led before."""
        if rows == self._rows:
            return {}
        before, now = set(self._rows), set(rows)
        gone = {form_of(row): row for row in self._rows if row not in now and row.strip()}
        moved: dict[str, tuple[str, str]] = {}
        for row in now - before:
            form = form_of(row) if row.strip() else ""
            if form in gone and (told := _change(gone[form], row)):
                moved[form] = told, _lead(gone[form])
        return moved

    def _tinted(self, view: View) -> set[str]:
        """Return the forms of rows whose text stands while its colours have changed."""
        if view.tints == self._tints or len(view.rows) != len(self._rows):
            return set()
        changed = zip(self._tints, view.tints, self._rows, view.rows, strict=False)
        return {
            _TINTED + form_of(row)
            for at, (old_tint, tint, old, row) in enumerate(changed)
            if old_tint != tint and old == row and row.strip() and at != view.cursor_y
        }


def shows_progress(rows: tuple[str, ...]) -> bool:
    """Tell whether a row holds nothing but how far some work is: a share, and perhaps a bar."""
    shares = (found[1] for row in rows if "%" in row and (found := _SHARE.match(row)))
    return any(int(share) <= 100 for share in shares)


def _change(old: str, new: str) -> str:
    """Return by what a row of one form changed: `sign`, `clock`, `count`, or nothing."""
    signs = _signs(old), _signs(new)
    if signs[0] != signs[1]:
        return "sign"
    slid = old.replace(" ", "") == new.replace(" ", "")
    if slid and (signs[0] or _words(old) == _words(new) != []):
        return "sign"
    if _UNITS.findall(old) != _UNITS.findall(new):
        return "count"
    return "clock" if _CLOCK.search(old) and _CLOCK.search(new) else ""


def _words(row: str) -> list[tuple[int, str]]:
    return [(found.start(), found[0]) for found in _WORD.finditer(row[:_WIDEST])]


def _signs(row: str) -> str:
    return _lead(row) + "".join(found[0] for found in _SIGN.finditer(row[:_WIDEST]))


def _lead(row: str) -> str:
    leading = _LEADING.match(row)
    return leading[2] if leading else ""


@lru_cache(maxsize=4096)
def form_of(row: str) -> str:
    """Return a row with each sign as its family, and without blanks and numbers."""
    led = _LEADING.sub(r"\1" + _TURNING, row[:_WIDEST], count=1)
    bare = _DIGITS.sub("0", "".join(led.split()))
    return _SIGN.sub(_family, bare)


def _family_of(lead: str) -> int:
    """Return the number of the family of a leading sign; 0 where nothing leads."""
    found = _SIGN.match(lead)
    return (found.lastindex or 0) if found else (-1 if lead else 0)


def _family(found: re.Match[str]) -> str:
    return chr(found.lastindex or 0)
