"""Reads what a program asks on its screen, and which keys choose each answer.

Questions are read by their form alone, which dozens of libraries share: a row that asks, and right
below it rows that begin in one and the same column, one of them behind a mark. Where a hint
below says how to choose, or the program has told that it asks, the question may stand some rows
above. All is read from the rendered screen: text alone cannot tell a hint from what the user wrote.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Final

import msgspec

from nagomi_tui.judge.evidence import View
from nagomi_tui.judge.patterns import compiled
from nagomi_tui.judge.questions import Choice, InputRule, Question, QuestionRule
from nagomi_tui.text.cells import cells
from nagomi_tui.text.patterns import lazy
from nagomi_tui.text.rows import FAINT, INVERSE, RGB, Cursor, Row, Run, crop

ARROWS: Final = "shows-a-menu"
"""The rule by which such a menu calls."""

_LONGEST: Final = 30
_BELOW: Final = 3
"""Rows of hints that may stand below."""
_BELOW_AGENT: Final = 8
"""Rows of hints that may stand below where an agent has told that it asks: its status lines, too."""
_ABOVE: Final = 12
"""Rows above in which a question is looked for, where a hint tells that it is a menu."""
_MENU_FRAME: Final = lazy(r"^[│┃]")
_ROW: Final = lazy(
    r"^ *(?P<mark>[❯›»▸▶➤→>*])? *(?P<box>[○◯◻☐□●◉◼☑■✔✓]|[\[(][ xX*•][\])])? *(?P<label>[^\s│┃└╰].*)$"
)
_MENU_ASKS: Final = lazy(r"^(?:\[\?\]|[?？◆]) +\S|[?？:：…]$")
_HINTS: Final = lazy(r"(?i)\benter to (?:confirm|select|choose|submit)\b")
_MENU_QUESTION: Final = lazy(r"^.*?[?？](?=\s|$)")
_FINDER: Final = lazy(r"^\s*\d+/\d+\b")
"""What a finder counts: whoever opened it looks for something, and is asked nothing."""
_CHOSEN: Final = frozenset("●◉")
"""The mark itself where no arrow stands beside it, as among radio buttons."""
_PLAINLY: Final = lazy(
    r"^(?:\[\?\]|[?？]) \S|[?？]$"
    r"|^(?i:(?:please )?(?:choose|select|pick|enter|type|provide|specify|confirm))\b (?!to\b)\w"
)
"""A row that can only ask, wherever it stands."""
_SIGNED: Final = lazy(r"^(?:\[\?\]|[?？]) \S")
_OPEN: Final = lazy(rf"{_SIGNED.pattern}|[?？:：›] ?[█▌▍▎▏]$")
"""A row that still waits for its answer: behind the sign of a question, or by a cursor that is drawn."""
_FIELD: Final = lazy(r"^[>❯›»](?: |$)|^\[? ?_{3,}")
_BEFORE: Final = lazy(r"^[\s│┃║|]+")
_KEYS_BELOW: Final = lazy(r"(?i)\b(?:esc|enter|return|tab|space|ctrl|press)\b|[↑↓←→⏎↵]")


class Menu(msgspec.Struct, frozen=True):
    """What is asked, and what may be chosen; the mark is not part of it."""

    text: str
    options: tuple[str, ...]


class _Option(msgspec.Struct, frozen=True):
    column: int
    arrow: bool
    box: str
    label: str

    @property
    def marked(self) -> bool:
        return self.arrow or self.box in _CHOSEN


@lru_cache(maxsize=16)
def read_menu(rows: tuple[str, ...], *, asks: bool = False, apart: bool = False) -> Menu | None:
    """Return the menu at the end of a screen's rows; `asks` says that it is known to ask.

    An empty row may part it from its question where `apart`: an agent has its field there.
    """
    texts = tuple(_MENU_FRAME.sub(" ", row.replace("\xa0", " ")).rstrip() for row in rows)
    end = max((at for at, text in enumerate(texts) if text.strip()), default=-1)
    for at in range(end, max(-1, end - _LONGEST), -1):
        if (found := _menu_option(texts[at])) is not None and found.marked:
            return _around(texts, at, end, found, asks=asks, apart=apart)
    return None


_WHOLE: Final = lazy(r"^\s*⟦[^⟦⟧]*⟧\s*$")
"""A row that is lit from its first letter to its last."""


def read_lit(view: View) -> Menu | None:
    """Return the menu at the end of a screen's rows whose choice is lit as a whole, without a mark."""
    rows = view.rows
    texts = [row.rstrip() for row in rows]
    end = max((at for at, text in enumerate(texts) if text.strip()), default=-1)
    whole = {at for at, words in view.lit if _WHOLE.search(words)} | view.bars
    chosen = [at for at in whole if at < len(texts) and texts[at].strip()]
    if len(chosen) != 1 or chosen[0] <= end - _LONGEST:
        return None
    first = last = chosen[0]
    while first > 0 and _indent(texts[first - 1]) == _indent(texts[chosen[0]]):
        first -= 1
    while last < end and _indent(texts[last + 1]) == _indent(texts[chosen[0]]):
        last += 1
    above = [text for text in texts[max(0, first - 2) : first] if text.strip()]
    if not any(map(_asks_plainly, above[-1:])):
        # What asks may begin in the column of its choices.
        above, first = [texts[first]], first + 1
    if not _asks_plainly(above[-1]) or first > chosen[0] or first >= last or end - last > _BELOW:
        return None
    return Menu(above[-1].strip(), tuple(text.strip() for text in texts[first : last + 1]))


def _asks_plainly(text: str) -> bool:
    return bool(_MENU_ASKS.search(text.strip()) or _PLAINLY.search(text.strip()))


def _indent(text: str) -> int:
    """Return the column in which a row begins; -1 for an empty one."""
    return len(text) - len(text.lstrip()) if text.strip() else -1


def read_open(rows: tuple[str, ...], cursor_y: int) -> str:
    """Return the question that stands open at the end of a screen's rows, or nothing.

    Libraries that draw their own field keep the cursor anywhere: what is asked is the last row, or
    stands above the field, and below it are keys alone.
    """
    told = [bare for row in rows if (bare := _BEFORE.sub("", row).rstrip())]
    for _ in range(_BELOW):
        if told and _KEYS_BELOW.search(told[-1]) and not _OPEN.search(told[-1]):
            told.pop()
    if not told:
        return ""
    if _OPEN.search(told[-1]):
        return told[-1].rstrip("█▌▍▎▏ ")
    above = _BEFORE.sub("", rows[cursor_y - 1]).rstrip() if 0 < cursor_y < len(rows) else ""
    if _SIGNED.search(above):
        return above
    beside = cursor_y >= len(rows) or not _FIELD.match(_BEFORE.sub("", rows[cursor_y]))
    asked = told[-2] if len(told) > 1 and beside and _FIELD.match(told[-1]) else ""
    return asked if _PLAINLY.search(asked) else ""


_TOP: Final = lazy(r"[┌╭┏╔+▛█▊](?<=[^\w─-╿|+].)[^┌╭┏╔+▛█▊┐╮┓╗▜▎]{3,}[┐╮┓╗+▜█▎]")
_EDGE: Final = lazy("[─━═▀▔-]{2}")
_SIDES: Final = frozenset("│┃║|┤├╢╟▌▐█▊▎")
_BOTTOMS: Final = frozenset("└╰┗╚+▙")
_LINES: Final = " \t" + "".join(map(chr, range(0x2500, 0x25A0))) + "+-|"
_TALLEST_POPUP: Final = 24
_MARGIN: Final = 2
"""Least columns left of such a box."""
_CENTRED: Final = 4
"""The same where it ends in what may be a field, as any panel can."""
_SENTENCE: Final = 3
"""Words of a question that says what it is about."""
_BUTTONS: Final = lazy(
    r"^\s*(?:[\[(<⟦{][\[<(]?\s*(?=[^\[\](<>)⟦⟧{}\n]*[^\W\d_]{2}|[^\W\d_a-zA-Z])[^\[\](<>)⟦⟧{}\n]{1,28}[\])>]?[\])>⟧}]\s*)+$"
)
"""A row of nothing but words in brackets."""
_BARE_BUTTONS: Final = lazy(r"^\w+(?: \w+){0,2}(?:\s{2,}\w+(?: \w+){0,2}){1,3}$")
"""A row of words far from each other, such as coloured buttons."""
_BUTTON: Final = lazy(r"[\[(<{]+\s*([^\[\](<>){}\n]{1,28}?)\s*[\])>}]")


def read_popup(view: View, *, lit: bool = False) -> str:
    """Return what a box asks that stands before the rest of a full screen and ends in buttons.

    It does not begin near the screen's edge or at another box, as panels do; the buttons may have
    any words, and one must be `lit` where a text is shown, which may hold a drawing of a box.
    """
    asked, buttons = _popup(view.rows)
    return asked if not lit or any(at == buttons for at, _ in view.lit) else ""


@lru_cache(maxsize=16)
def _popup(rows: tuple[str, ...]) -> tuple[str, int]:
    """Return what such a box asks, and the row of its buttons; -1 without one."""
    for at, row in enumerate(rows):
        for edge in _TOP.finditer(row) if "+-" in row or not row.isascii() else ():
            left, right = cells(row[: edge.start()]), cells(row[: edge.end()]) - 1
            if left < _MARGIN or not _EDGE.search(edge[0]):
                continue
            drawn = _inside(rows[at + 1 : at + 1 + _TALLEST_POPUP], left, right)
            told = [row.strip(_LINES) for row in drawn]
            last = max((below for below, words in enumerate(told) if words), default=0)
            raised = left >= _CENTRED and _raised(drawn, last)
            if told and (raised or _ends_in_buttons(told[: last + 1])):
                return _popup_asks(edge[0], told[:last]), at + 1 + last
    return "", -1


def _ends_in_buttons(told: list[str]) -> bool:
    """Tell whether the last of these rows holds buttons, which a question needs no brackets around."""
    *above, last = told
    if _BUTTONS.search(last):
        return True
    return _BARE_BUTTONS.search(last) is not None and any(map(_asks_plainly, above))


def _inside(rows: tuple[str, ...], left: int, right: int) -> list[str]:
    """Return each row of a box below its upper edge; none where it is not closed."""
    drawn: list[str] = []
    for row in rows:
        start, end = _at_cell(row, left), _at_cell(row, right)
        if max(start, end) >= len(row):
            return []
        if row[start] in _BOTTOMS or (drawn and not row[start + 1 : end].strip("▄▁")):
            return drawn
        if row[start] not in _SIDES or row[end] not in _SIDES:
            return []
        drawn.append(row[start + 1 : end])
    return []


def _raised(drawn: list[str], at: int) -> bool:
    """Tell whether a row stands between the edges of buttons or of a field, as Textual draws them."""
    return 0 < at < len(drawn) - 1 and "▔▔▔" in drawn[at - 1] and "▁▁▁" in drawn[at + 1]


def _at_cell(row: str, cell: int) -> int:
    """Return which character of a row stands in a cell."""
    if row.isascii():
        return cell
    at = width = 0
    while at < len(row) and width < cell:
        width += cells(row[at])
        at += 1
    return at


def _popup_asks(edge: str, told: list[str]) -> str:
    """Return the first words that ask, behind those above where they are only a name; else the first."""
    said = [words for words in told if _SAYS.search(words)]
    at = next((at for at, words in enumerate(said) if _asks_plainly(words)), 0)
    named = at > 0 and len(_SAYS.findall(said[at])) < _SENTENCE
    return " ".join(said[at - named : at + 1]) or edge.strip(_LINES)


def can_only_ask(words: str) -> bool:
    """Tell whether these words are a question or a request wherever they stand, as on a full screen."""
    return _PLAINLY.search(words) is not None


def _around(
    texts: tuple[str, ...], at: int, end: int, marked: _Option, *, asks: bool, apart: bool
) -> Menu | None:
    """Read the rows around the marked one: all of them begin where its label does."""
    first, last = at, at
    options = [marked]
    while first > 0 and (found := _fitting(texts[first - 1], marked)) is not None:
        first -= 1
        options.insert(0, found)
    while last < end and (found := _fitting(texts[last + 1], marked)) is not None:
        last += 1
        options.append(found)
    hinted = any(_HINTS.search(text) for text in texts[last + 1 : end + 1])
    heading = _heading(texts[:first], far=hinted or asks)
    if apart and not heading and first > 1 and not texts[first - 1].strip():
        asked = texts[first - 2].strip()
        heading = asked if _PLAINLY.search(asked) else ""
    around = texts[max(0, first - 2) : first] + texts[last + 1 : last + 1 + _BELOW]
    if (
        len(options) < 2
        or _marks(options) != 1
        or end - last > (_BELOW_AGENT if asks else _BELOW)
        or not heading
        or any(_FINDER.match(text) for text in around)
    ):
        return None
    return Menu(heading.lstrip("◆ "), tuple(option.label for option in options))


def _heading(above: tuple[str, ...], *, far: bool) -> str:
    """Return what asks, or nothing: the row right above, or one `far` above."""
    heading = above[-1].strip() if above else ""
    asks = _MENU_ASKS.search(heading) is not None
    if not far or (asks and not heading.endswith((":", "："))):
        return heading if asks else ""
    said = [text.strip() for text in above[-_ABOVE:] if text.strip()]
    asked = [found[0] for text in said if (found := _MENU_QUESTION.match(text))]
    if asks and not asked:
        return heading
    return (asked or said or [""])[-1]


def _marks(options: list[_Option]) -> int:
    arrows = sum(option.arrow for option in options)
    return arrows or sum(option.marked for option in options)


def _fitting(text: str, marked: _Option) -> _Option | None:
    found = _menu_option(text)
    if found is None or found.column != marked.column or bool(found.box) != bool(marked.box):
        return None
    return found


def _menu_option(text: str) -> _Option | None:
    hit = _ROW.match(text)
    if hit is None:
        return None
    return _Option(
        hit.start("label"), hit["mark"] is not None, hit["box"] or "", hit["label"].strip()
    )


_REGION: Final = 40
"""Rows that are not blank, from the bottom, in which a dialog is looked for."""
_ROW_REGION: Final = 3
"""Such rows in which a row that names the choices is looked for."""
_BRACKETS: Final = lazy(r"[\[\]()]")
_TYPED_MOST: Final = 80
_LETTERED: Final = lazy(r"[\[(](\w)[\])](\w+)")
_SEPARATORS: Final = lazy(r"[/|]")
_QUESTION: Final = lazy(r".*?[?？](?=\s)")
_ASKS: Final = ("?", "？")
_SPACES: Final = lazy(r"\s+")
_FRAME: Final = 2
"""Columns that a frame and a blank take at the end of a row."""
_ENDS: Final = lazy(r"[\s│┃║█]+$")
_FRAMES: Final = lazy(rf"^[\s│┃║]+|{_ENDS.pattern}")


_SAYS: Final = lazy(r"[^\W\d_]{2,}|[^\W\d_a-zA-Z]")
_NAMED: Final = lazy(
    r"(?i)[\[(][^\])]*[\])]|\b(?:y|n|yes|no|all|none|quit)(?:\s*[/|]\s*(?:y|n|yes|no|all|none|quit))+\b"
)
"""Choices, which say nothing of what is asked."""
_COMMAND: Final = lazy(r"^.{0,60}[$#%❯➜»›]\s+\S")
"""A prompt with a command behind it."""
_TOLD_ABOVE: Final = 3
"""Most lines above a question that are told with it."""


def with_words(asked: str, above: Sequence[str]) -> str:
    """Return what is asked, behind the lines above it where its own line is a sign or choices alone."""
    if _SAYS.search(_NAMED.sub("", asked)):
        return asked
    told: list[str] = []
    for line in reversed(above):
        if _COMMAND.match(line) or len(told) == _TOLD_ABOVE or (told and not line.strip()):
            break
        if line.strip():
            told.insert(0, line.strip())
    return " ".join((*told, asked))


def read_question(
    rules: Sequence[QuestionRule], rows: Sequence[Row], cursor: Cursor
) -> Question | None:
    """Return the question that the first rule that holds finds on the screen."""
    texts = [_plain(row.text) for row in rows]
    lower = "\n".join([text for text in texts if text.strip()][-_REGION:])
    for rule in rules:
        if not rule.when.holds(lower):
            continue
        if rule.line:
            found = _by_line(rule, rows, texts, cursor)
        else:
            found = _by_row(rule, texts) if rule.row else _by_menu(rule, texts)
        if found is not None:
            return found
    return None


def behind_words(rows: Sequence[Row], cursor: Cursor) -> Cursor:
    """Return the cursor behind the words above it where it stands at the beginning of an empty row.

    A script may ask in a row of its own and read the answer below.
    """
    above = rows[cursor.y - 1] if 0 < cursor.y < len(rows) else None
    if above is None or cursor.x or rows[cursor.y].text.strip():
        return cursor
    return Cursor(x=cells(above.text.rstrip()), y=cursor.y - 1)


def read_arrows(rows: Sequence[Row], *, asks: bool) -> Question | None:
    """Return the menu or the buttons that arrow keys choose from, which have no keys of their own."""
    texts = tuple(row.text for row in rows)
    menu = read_menu(texts, asks=asks)
    if menu is None and (dialog := _popup(texts))[0]:
        menu = Menu(dialog[0], tuple(_BUTTON.findall(texts[dialog[1]])))
    if menu is None:
        return None
    return Question(
        question_id=_digest((menu.text, *menu.options)),
        text=_tidy(menu.text),
        options=tuple(_tidy(option) for option in menu.options),
        rule=ARROWS,
    )


def read_draft(rule: InputRule, rows: Sequence[Row]) -> str | None:
    """Return what the user has typed into an agent's input, or None where there is no input."""
    texts = [_plain(row.text) for row in rows]
    start = _input_at(rule, texts)
    if start is None:
        return None
    marker = compiled(rule.marker).match(texts[start])
    written = [_written(rule, rows[start])[marker.end() if marker else 0 :]]
    for row, text in zip(rows[start + 1 :], texts[start + 1 :], strict=True):
        if compiled(rule.ends).search(text):
            break
        written.append(_written(rule, row))
    return "\n".join(line.strip() for line in written).strip()


# --- menus


def _by_menu(rule: QuestionRule, texts: list[str]) -> Question | None:
    """Read the last menu of the screen; its numbers count up from the first option."""
    found = [(at, hit) for at, text in enumerate(texts) if (hit := _option(rule, text))]
    if rule.option and not found and not rule.choices:
        return None
    listed = _last_run(found)
    first = listed[0][0] if listed else len(texts)
    width = max(map(len, texts), default=0)
    choices = tuple(Choice(hit["key"], _label(rule, texts, at, hit, width)) for at, hit in listed)
    begin = _begin(rule, texts, first)
    above = _counting(rule, texts[begin:first], width)
    above = [bare for text in above if (bare := _FRAMES.sub("", text))]
    if not choices:
        above = above[-3:]
    # Where the first row is known to ask, a reason below it may be put as a question, too.
    asks = rule.begins and begin < first and compiled(rule.begins).search(texts[begin])
    asked = _headline(above[:1] if asks and above and above[0].rstrip().endswith(_ASKS) else above)
    details = [line for text in above if (line := _tidy(text)) != asked and _worded(line)]
    return _question(rule, asked, _told_once(details), (*choices, *rule.choices))


def _told_once(details: list[str]) -> tuple[str, ...]:
    """Leave out a command that stands in a row of its own below one that ends in it."""
    pairs = zip(["", *details], details, strict=False)
    return tuple(line for before, line in pairs if not before.endswith(f" {line}"))


def _last_run(found: list[tuple[int, re.Match[str]]]) -> list[tuple[int, re.Match[str]]]:
    """Return the options of the last menu: a key that was there already begins another one."""
    run: list[tuple[int, re.Match[str]]] = []
    for at, hit in found:
        if any(hit["key"] == known["key"] for _, known in run) or hit["key"] == "1":
            run = []
        run.append((at, hit))
    return run


def _label(rule: QuestionRule, texts: list[str], at: int, hit: re.Match[str], width: int) -> str:
    """Return what an option says, with the rows below that it goes on in."""
    room = width - _FRAME * texts[at].rstrip().endswith(("│", "┃", "║"))
    words = [hit["label"]]
    for before, text in zip(texts[at:], texts[at + 1 :], strict=False):
        bare = _FRAMES.sub("", text)
        if _option(rule, text) or not _goes_on(_ENDS.sub("", before), bare, room):
            break
        words.append(bare)
    return _tidy(" ".join(words))


def _begin(rule: QuestionRule, texts: list[str], first: int) -> int:
    for at in range(first - 1, -1, -1):
        if rule.begins and compiled(rule.begins).search(texts[at]):
            return at
        if rule.after and compiled(rule.after).search(texts[at]):
            return at + 1
    return 0


def _counting(rule: QuestionRule, texts: list[str], width: int) -> list[str]:
    """Return the rows that are no advertisement, nor the rest of one that was broken at `width`."""
    counting, before, out = [], "", False
    for text in texts:
        names = bool(rule.leave_out) and compiled(rule.leave_out).search(text) is not None
        out = names or (out and _goes_on(before, text, width))
        if text.strip() and not out:
            counting.append(text)
        before = text
    return counting


_GOES_ON: Final = ("(", "`", "'", '"', "“", "/", "~")
"""What a word in the middle of a sentence begins with, beside a small letter."""


def _goes_on(before: str, text: str, width: int) -> bool:
    """Tell whether a row is the rest of the sentence in the row before, which had no more room."""
    word = text.split(maxsplit=1)[0] if text.strip() else ""
    begins = word[:1].islower() or word.startswith(_GOES_ON)
    return begins and len(before.rstrip()) + 1 + len(word) >= width


def _headline(above: list[str]) -> str:
    """Return what asks: the last row that ends in a question mark, or up to one, or the last."""
    asking = [text for text in above if text.rstrip().endswith(_ASKS)]
    asking = asking or [found[0] for text in above if (found := _QUESTION.match(text))]
    return _tidy((asking or above or [""])[-1])


# --- rows


def _by_row(rule: QuestionRule, texts: list[str]) -> Question | None:
    """Read the choices that a row at the end of the screen names, and what is told above it."""
    last = [at for at, text in enumerate(texts) if text.strip()][-_ROW_REGION:]
    at = next((at for at in reversed(last) if compiled(rule.row).search(texts[at])), None)
    if at is None:
        return None
    choices = tuple(
        Choice(hit["key"].lower(), _tidy(_BRACKETS.sub("", hit["label"])))
        for hit in compiled(rule.option).finditer(texts[at])
    )
    width = max(map(len, texts))
    above = _counting(rule, texts[_begin(rule, texts, at) : at], width)
    words = (text if len(text) == width else f"{text} " for text in above)
    return _question(rule, _tidy("".join(words)), (), choices)


# --- lines


def _by_line(
    rule: QuestionRule, rows: Sequence[Row], texts: list[str], cursor: Cursor
) -> Question | None:
    top, line = _cursor_line(rows, cursor)
    hit = compiled(rule.line).search(line)
    if hit is None:
        return None
    named = hit.groupdict()
    typed = (named.get("typed") or "").strip()
    if len(typed) > _TYPED_MOST:
        return None
    listed = _listed_above(rule, texts, top) if rule.option else []
    if rule.option and not listed:
        return None
    choices, default = _named(named.get("options") or "")
    choices += tuple(Choice(option["key"], _tidy(option["label"])) for option in listed)
    choices += tuple(one for one in rule.choices if one.key != "enter")
    above = texts[: max(0, top - len(listed))]
    return _question(
        rule,
        _tidy(with_words(named.get("asked") or line, above)),
        (),
        (*choices, Choice("enter")),
        typed=typed,
        default=default,
        by_line=bool(choices),
    )


def _cursor_line(rows: Sequence[Row], cursor: Cursor) -> tuple[int, str]:
    """Return the first row of the cursor's line, and the line's text left of the cursor."""
    if cursor.y >= len(rows):
        return len(rows), ""
    top = cursor.y
    while top and rows[top - 1].wrapped:
        top -= 1
    left = "".join(run.text for run in crop(rows[cursor.y], 0, cursor.x).runs)
    left += " " * (cursor.x - cells(left))
    return top, _plain("".join(row.text for row in rows[top : cursor.y]) + left)


def _named(options: str) -> tuple[tuple[Choice, ...], str]:
    """Return the choices of `y/N`, and which of them is meant by Enter alone.

    Of `j,J,/` each is a choice of its own, since git asks so; of `[y]es, [n]o` its letter is.
    """
    if lettered := _LETTERED.findall(options):
        return tuple(Choice(key, f"{key}{rest}") for key, rest in lettered), ""
    parts = options.split(",") if "," in options else _SEPARATORS.split(options)
    words = [word.strip(" []()") for word in parts if word.strip(" []()")]
    large = [word for word in words if word[:1].isupper() and word.lower() not in words]
    default = large[0] if len(large) == 1 and len(words) > 1 else ""
    choices = tuple(Choice(word.lower() if default else word, word) for word in words)
    return choices, default.lower()


def _listed_above(rule: QuestionRule, texts: list[str], top: int) -> list[re.Match[str]]:
    """Return the options in the rows right above the cursor's line."""
    listed: list[re.Match[str]] = []
    for text in reversed(texts[:top]):
        if hit := _option(rule, text):
            listed.insert(0, hit)
        elif listed or text.strip():
            break
    return listed if len(listed) > 1 else []


# --- drafts


def _input_at(rule: InputRule, texts: list[str]) -> int | None:
    for at in range(len(texts) - 1, -1, -1):
        above = texts[at - 1] if at else ""
        if compiled(rule.marker).match(texts[at]) and (
            not rule.above or compiled(rule.above).search(above)
        ):
            return at
    return None


def _written(rule: InputRule, row: Row) -> str:
    """Return the row's text with blanks in the place of hints."""
    colors = {RGB | int(color.removeprefix("#"), 16) for color in rule.hints}
    following = (*row.runs[1:], None)
    return _plain("".join(map(partial(_blanked, colors), row.runs, following)))


def _blanked(colors: set[int], run: Run, following: Run | None) -> str:
    marks_only = not run.text.strip().isalnum() and len(run.text.strip()) <= 1
    # A cursor that the program draws itself may stand on the first character of a hint.
    on_hint = run.style.flags & INVERSE and len(run.text) == 1 and following is not None
    hint = _is_hint(colors, run) or (on_hint and following and _is_hint(colors, following))
    return " " * len(run.text) if hint and not marks_only else run.text


def _is_hint(colors: set[int], run: Run) -> bool:
    return bool(run.style.flags & FAINT) or run.style.fg in colors


# --- steps


def _question(
    rule: QuestionRule,
    text: str,
    details: tuple[str, ...],
    choices: tuple[Choice, ...],
    *,
    typed: str = "",
    default: str = "",
    by_line: bool = False,
) -> Question:
    told = (text, *details, *(f"{choice.key} {choice.label}" for choice in choices))
    return Question(
        question_id=_digest(told),
        text=text,
        details=details,
        choices=choices,
        typed=typed,
        default=default,
        by_line=by_line,
        rule=rule.name,
    )


def _digest(told: tuple[str, ...]) -> str:
    """Return a name for these words; another width wraps the same ones elsewhere."""
    words = "".join("".join(told).split())
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:16]


def _option(rule: QuestionRule, text: str) -> re.Match[str] | None:
    return compiled(rule.option).search(text) if rule.option else None


def _plain(text: str) -> str:
    return text.replace("\xa0", " ")


def _worded(line: str) -> bool:
    """Tell whether a row holds more than rules and frames."""
    return any(not "─" <= char <= "╿" for char in line)


def _tidy(text: str) -> str:
    return _SPACES.sub(" ", text).strip()
