"""Finds keys in the formats of known providers."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking.chance import looks_random
from nagomi_tui.core.masking.finders.formats import FORMATS
from nagomi_tui.core.masking.finders.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.masking.spans import Span

_START: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9](?=\S{15})")
_WORD_START: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_LAST_WORD: Final = re.compile(r"[A-Za-z0-9+/=_.%~-]+$")
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
