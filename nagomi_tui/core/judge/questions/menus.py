"""Menus that are answered with the arrow keys: a mark stands at one of the rows that may be chosen.

They are read by their form alone, which dozens of libraries share: a row that asks, and right
below it rows that begin in one and the same column, one of them behind a mark. Where a hint
below says how to choose, or the program has told that it asks, this may stand some rows above.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import msgspec

ARROWS: Final = "shows-a-menu"
"""The rule by which such a menu calls."""

_LONGEST: Final = 30
_BELOW: Final = 3
"""Rows of hints that may stand below."""
_BELOW_AGENT: Final = 8
"""The same where an agent has told that it asks: its status lines stand there, too."""
_ABOVE: Final = 12
"""Rows above in which a question is looked for, where a hint tells that it is a menu."""
_FRAME: Final = re.compile(r"^[│┃]")
_ROW: Final = re.compile(
    r"^ *(?P<mark>[❯›»▸▶➤→>])? *(?P<box>[○◯◻☐□●◉◼☑■✔✓]|[\[(][ xX*•][\])])? *(?P<label>[^\s│┃└╰].*)$"
)
_ASKS: Final = re.compile(r"^(?:\[\?\]|[?？◆]) +\S|[?？:：…]$")
_HINTS: Final = re.compile(r"(?i)\benter to (?:confirm|select|choose|submit)\b")
_QUESTION: Final = re.compile(r"^.*?[?？](?=\s|$)")
_FINDER: Final = re.compile(r"^\s*\d+/\d+\b")
"""What a finder counts: whoever opened it looks for something, and is asked nothing."""
_CHOSEN: Final = frozenset("●◉")
"""The mark itself where no arrow stands beside it, as among radio buttons."""


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
def read_menu(rows: tuple[str, ...], *, asks: bool = False) -> Menu | None:
    """Return the menu at the end of a screen's rows; `asks` says that it is known to ask."""
    texts = tuple(_FRAME.sub(" ", row.replace("\xa0", " ")).rstrip() for row in rows)
    end = max((at for at, text in enumerate(texts) if text.strip()), default=-1)
    for at in range(end, max(-1, end - _LONGEST), -1):
        if (found := _option(texts[at])) is not None and found.marked:
            return _around(texts, at, end, found, asks=asks)
    return None


def _around(
    texts: tuple[str, ...], at: int, end: int, marked: _Option, *, asks: bool
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
    asks = _ASKS.search(heading) is not None
    if not far or (asks and not heading.endswith((":", "："))):
        return heading if asks else ""
    said = [text.strip() for text in above[-_ABOVE:] if text.strip()]
    asked = [found[0] for text in said if (found := _QUESTION.match(text))]
    if asks and not asked:
        return heading
    return (asked or said or [""])[-1]


def _marks(options: list[_Option]) -> int:
    arrows = sum(option.arrow for option in options)
    return arrows or sum(option.marked for option in options)


def _fitting(text: str, marked: _Option) -> _Option | None:
    found = _option(text)
    if found is None or found.column != marked.column or bool(found.box) != bool(marked.box):
        return None
    return found


def _option(text: str) -> _Option | None:
    hit = _ROW.match(text)
    if hit is None:
        return None
    return _Option(
        hit.start("label"), hit["mark"] is not None, hit["box"] or "", hit["label"].strip()
    )
