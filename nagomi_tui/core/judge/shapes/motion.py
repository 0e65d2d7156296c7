"""What moves on an agent's screen, seen over several looks: signs that turn, counts, colours.

What turns or counts changes in place: its row is the same but for a sign or a number, though text
that flows in above may push it down. Where only colours travel over a text, as a light that passes
over it, it must be seen longer, and after something was asked of the agent.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from nagomi_tui.core.judge.evidence import View

STEADY: Final = 2.0
"""Most seconds between two changes in place that belong to one movement."""

LASTING: Final = 3.0
"""Seconds for which what moves is taken to move on, though the screen was not looked at."""

_LAST_SIGN: Final = 0.7
"""The same where its sign is one that did not come before: it may be the one of its end."""

_TURNS: Final = 2
"""Changes by a sign or a count that make a movement."""
_TINTS: Final = 4
"""The same of colours, which also change where one moves about in a menu."""

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
_SIGN: Final = re.compile("|".join(f"([{family}])" for family in _FAMILIES))
_LEADING: Final = re.compile(r"^([\s│┃║|]*?)([^\w\s│┃║]{1,2})(?=\s+\w)")
"""A sign before the first word turns, whichever others it gives way to."""
_UNITS: Final = re.compile(
    r"(?<![\d:])\d+(?:[.,]\d+)? ?(?:[smhkKB]|ms|min(?:utes?)?|sec(?:onds?)?|tok\w*|bytes)\b(?!:)"
    r"|\d+(?:秒|分|時間|トークン)|(?<![\d.])\d{1,3} ?%"
)
_CLOCK: Final = re.compile(r"(?<![\d:])\d{1,3}:[0-5]\d(?![\d:])")
"""Minutes and seconds; a clock's hours do not count on."""
_SHARE: Final = re.compile(
    r"^[\s│┃║|▌▐\[(]*(?:[━╸╺─█▓▒░▉▊▋▌▍▎▏■□▪▫▰▱●○#=>.-]+[\])]?\s*)?(\d{1,3})(?:\.\d+)? ?%"
    r"(?:[\s\])]*(?:ETA|eta|in)?:? ?(?:-+:)*[\d:-][\d:.,-]*\w{0,5}){0,3}[\s│┃║|▌▐\])]*$"
)
_WORD: Final = re.compile(r"\w+")
_WIDEST: Final = 240
_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)?k?")
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
            self._seen[form] = (count + 1 if at - last <= STEADY else 1, at)
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
