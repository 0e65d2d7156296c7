"""Finds keys in the formats of known providers."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking.chance import looks_random
from nagomi_tui.core.masking.finders.formats import FORMATS
from nagomi_tui.core.masking.finders.jwt import begins_header
from nagomi_tui.core.masking.finders.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.masking.spans import Span

_START: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9](?=\S{15})")
_WORD_START: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_LAST_WORD: Final = re.compile(r"[A-Za-z0-9+/=_.%~-]+$")
_CLASS: Final = re.compile(r"\[[^\]]+\]")
_CHANGES: Final = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])")
_TELLING: Final = 5
"""Characters after the beginning of a key that may be told from a word."""
_DISTINCT: Final = 4
"""Characters of a beginning that is found in few words."""
_CUT: Final = (
    ("ey", re.compile(r"(?<![A-Za-z0-9_-])(e[yw][A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,2})\Z")),
    (":AA", re.compile(r"(?<![0-9])([0-9]{8,10}:AA[A-Za-z0-9_-]{3,})\Z")),
    (
        "://",
        re.compile(
            r"(?<![a-z])(?!docker|oci|image|file)[a-z][a-z+]{1,20}://[^\s:/@\"'`<>?#]{0,128}:(?!"
            r"[0-9]{1,5}\Z)([^\s\"'`<>/@]{2,256})@?\Z"
        ),
    ),
    (
        "hook",
        re.compile(r"hook[\w.-]*/(?:[\w.-]{1,40}/){0,3}((?=[^\s/]*[0-9])[A-Za-z0-9_/-]{5,})\Z"),
    ),
)
"""Keys without a beginning of their own, as a row's end may leave them: JSON web tokens first."""
_HEAD: Final = 2
_REACH: Final = 1024
"""Characters by which is told whether it is a key, so that no line costs more than its length."""


def _by_head() -> dict[str, list[tuple[str, str, bool]]]:
    """Return the beginnings of formats by their first characters."""
    table: dict[str, list[tuple[str, str, bool]]] = {}
    for kind in FORMATS:
        for begin in kind.begins:
            table.setdefault(begin[:_HEAD], []).append((begin, kind.follows, kind.random))
    return table


_BY_HEAD: Final = _by_head()


def find_known(text: str) -> Iterator[Span]:
    """Yield where keys of known formats stand; no letter or digit precedes them."""
    done = 0
    for start in _START.finditer(text):
        at = start.start()
        if at >= done:
            for begin, follows, random in _BY_HEAD.get(text[at : at + _HEAD], ()):
                if text.startswith(begin, at) and (end := _end(text, at, begin, follows, random)):
                    yield at, end
                    done = max(done, end)
    for mark, shape, _ in SHAPES:
        if mark in text:
            yield from (found.span() for found in _shape(shape).finditer(text))


def find_begun(text: str) -> list[Span]:
    """Return where a key of a known format begins that reaches to the end of the text."""
    word = _LAST_WORD.search(text[-_REACH:])
    first = max(0, len(text) - _REACH) + word.start() if word else len(text)
    for start in _WORD_START.finditer(text, first):
        at = start.start()
        for begin, follows, _ in _BY_HEAD.get(text[at : at + _HEAD], ()):
            if (
                text.startswith(begin, at)
                and _compiled(follows).match(text, at + len(begin)) is None
            ):
                return [(at, len(text))]
    return []


def find_cut(text: str, end: int) -> list[Span]:
    """Return where a key begins that a row's end cut before it was long enough to be known."""
    reach = max(0, end - _REACH)
    for mark, begun in _CUT:
        found = begun.search(text, reach, end) if mark in text else None
        if found and _is_begun(mark, found[1]):
            return [found.span(1)]
    word = _LAST_WORD.search(text[reach:end])
    for start in _WORD_START.finditer(text, reach + word.start(), end) if word else ():
        at = start.start()
        for begin, follows, random in _BY_HEAD.get(text[at : at + _HEAD], ()):
            rest = text[at + len(begin) : end]
            if (
                len(rest) >= _TELLING
                and text.startswith(begin, at)
                and _alphabet(follows).fullmatch(rest)
                and _is_part(begin, rest, random=random)
            ):
                return [(at, end)]
    return []


def _is_begun(mark: str, word: str) -> bool:
    """Tell whether what stands at the end of a row is what it looks like."""
    if mark == "ey":
        return begins_header(word)
    return mark != "hook" or looks_random(word.rpartition("/")[2])


def _is_part(begin: str, rest: str, *, random: bool) -> bool:
    """Tell whether what follows the beginning of a key looks like a part of one."""
    if len(begin) < _DISTINCT:
        return len(rest) >= 2 * _TELLING and looks_random(rest)
    changes = len(_CHANGES.findall(rest))
    return changes > random or (rest.isdigit() and len(rest) >= 2 * _TELLING)


@cache
def _alphabet(follows: str) -> re.Pattern[str]:
    """Return the pattern of any text of the characters that may follow the beginning of a key."""
    return re.compile(f"(?:{'|'.join(_CLASS.findall(follows))}|[-_.])*")


def _end(text: str, at: int, begin: str, follows: str, random: bool) -> int:
    """Return where the key ends that may begin there; 0 where none does."""
    first = at + len(begin)
    found = _compiled(follows).match(text, first, first + _REACH)
    if found is None or (random and not looks_random(found[0])):
        return 0
    whole = _compiled(follows).match(text, first) if found.end() == first + _REACH else found
    return whole.end() if whole else found.end()


@cache
def _compiled(follows: str) -> re.Pattern[str]:
    return re.compile(follows)


@cache
def _shape(shape: str) -> re.Pattern[str]:
    return re.compile(shape)
