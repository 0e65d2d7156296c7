"""The rules' patterns, compiled once; those that users wrote are searched with a time limit.

A pattern that takes too long is given up: from then on it matches nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias, TypeVar

_Found = TypeVar("_Found")
Limit: TypeAlias = "Callable[[Callable[[], Any]], Any]"
"""Runs a search and returns its result, or raises `TooSlow`."""


class TooSlow(Exception):
    """A search took longer than the limit."""


class Watched:
    """A user's pattern under the limit, with the methods of `re.Pattern` that are used here."""

    def __init__(self, pattern: re.Pattern[str], limit: Limit) -> None:
        self._pattern = pattern
        self._limit = limit

    def search(self, text: str) -> re.Match[str] | None:
        """Find it in a text."""
        return self._run(partial(self._pattern.search, text), None)

    def match(self, text: str) -> re.Match[str] | None:
        """Find it at the text's beginning."""
        return self._run(partial(self._pattern.match, text), None)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Tell whether it is the whole text."""
        return self._run(partial(self._pattern.fullmatch, text), None)

    def finditer(self, text: str) -> list[re.Match[str]]:
        """Find it everywhere."""
        return self._run(lambda: list(self._pattern.finditer(text)), [])

    def sub(self, replacement: str, text: str) -> str:
        """Put something in its place."""
        return self._run(partial(self._pattern.sub, replacement, text), text)

    def _run(self, search: Callable[[], _Found], nothing: _Found) -> _Found:
        if self._pattern.pattern in _slow:
            return nothing
        try:
            found: _Found = self._limit(search)
        except TooSlow:
            give_up([self._pattern.pattern])
            return nothing
        return found


_limits: Final[dict[str, Limit]] = {}
_slow: Final[set[str]] = set()
_untold: Final[list[str]] = []


def watch(texts: Iterable[str], limit: Limit) -> None:
    """Search for these patterns within a limit from now on."""
    _limits.update(dict.fromkeys(texts, limit))
    compiled.cache_clear()
    multiline.cache_clear()


def give_up(texts: Iterable[str]) -> None:
    """Let these patterns match nowhere any more."""
    _untold.extend(text for text in texts if text not in _slow)
    _slow.update(_untold)


def given_up(text: str) -> bool:
    """Tell whether this pattern was given up."""
    return text in _slow


def take_given_up() -> list[str]:
    """Return which patterns were given up since this was asked last."""
    if not _untold:
        return []
    told = _untold[:]
    _untold.clear()
    return told


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str] | Watched:
    """Return a pattern to search for."""
    return _watched(re.compile(pattern))


@lru_cache(maxsize=1024)
def multiline(pattern: str) -> re.Pattern[str] | Watched:
    """Return a pattern whose `^` and `$` match at each line."""
    return _watched(re.compile(pattern, re.MULTILINE))


def _watched(made: re.Pattern[str]) -> re.Pattern[str] | Watched:
    limit = _limits.get(made.pattern)
    return made if limit is None else Watched(made, limit)
