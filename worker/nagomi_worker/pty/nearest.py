"""Finds the program that somebody meant who mistyped its name."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS: Final = 0.5
"""How long PATH is looked through; a folder over a network may take its time for each name."""
_SHORT_WORD: Final = 3
"""Letters of a word up to which only swapped ones are forgiven: most such words have neighbours."""
_LONG_WORD: Final = 8
"""Letters of a word from which two slips are forgiven instead of one."""
_TRIED: Final = 20
"""Most names that are looked at whether they may be run."""


def nearest_program(word: str, path: str) -> str:
    """Return the program in the folders of `path` that is spelt most like a word.

    It is one slip away, of a long word two: a letter too many, too few or wrong, or two letters in
    the wrong order, which is the only one in a short word. Returns "" where there is none.
    """
    most = 2 if len(word) >= _LONG_WORD else 1
    letters = sorted(word)
    found: list[tuple[int, bool, bool, str, str]] = []
    for name, file in _files(path, time.monotonic() + _SECONDS):
        if abs(len(name) - len(word)) > most or len(set(name) ^ set(word)) > 2 * most:
            continue
        swapped, count = sorted(name) == letters, slips(word, name)
        if count <= most and (swapped or len(word) > _SHORT_WORD):
            found.append((count, not swapped, name[0] != word[0], name, file))
    for *_, name, file in sorted(found)[:_TRIED]:
        if name.isprintable() and os.path.isfile(file) and os.access(file, os.X_OK):
            return name
    return ""


def _files(path: str, until: float) -> Iterator[tuple[str, str]]:
    """Yield name and path of what lies in the folders, up to a time of the monotonic clock."""
    for folder in dict.fromkeys(path.split(os.pathsep)):
        if not os.path.isabs(folder) or time.monotonic() > until:
            continue
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if time.monotonic() > until:
                    return
                yield _typed(entry.name), entry.path


def _typed(name: str) -> str:
    """Return what is typed to run a file: on Windows without the ending."""
    return os.path.splitext(name)[0].lower() if sys.platform == "win32" else name


def slips(word: str, other: str) -> int:
    """Count the letters put in, left out, replaced or swapped with the next that make one the other.

    This is the optimal string alignment distance.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(word, 1):
        before, last, row = row, before, [at]
        for to, wanted in enumerate(other, 1):
            count = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and letter == other[to - 2] and word[at - 2] == wanted:
                count = min(count, last[to - 2] + 1)
            row.append(count)
    return row[-1]
