"""A word as far as it is known, and the verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, Literal, NamedTuple

UNKNOWN: Final = "\0"
"""Placeholder in a word's text for a part that only the shell will know."""
NUMBER: Final = "\1"
"""Placeholder in a word's text for a number that only the shell will know."""
MAYBE: Final = "\3"
"""Placeholder in a word's text for a number that may be missing, such as that of a file which is not there."""
GLOB: Final = re.compile(r"[*?\[]")
"""What makes the shell take a word for a pattern of file names."""

_OPEN: Final = re.compile(f"[{UNKNOWN}{NUMBER}{MAYBE}]")
_LETTERS: Final = re.compile(rf"[^\W\d_]|{UNKNOWN}")


class Word(NamedTuple):
    """One argument; `text` has `UNKNOWN` in place of parts that the shell expands later."""

    text: str
    at: int = 0
    splits: bool = False
    """Whether an unquoted part, such as a glob, may become several words or none."""
    tame: bool = True
    """Whether the expanded parts are proven to begin with neither `-` nor `+`, as hashes and counts are."""
    vanishes: bool = False
    """Whether it is unquoted and may be empty: then there is no word, and the next takes its place."""
    filled: bool = False
    """Whether an expanded part is proven not to be empty, as that of `$((…))`."""

    looked: bool = False
    """Whether the files that a pattern at its beginning may match are looked at, so that none is an option."""

    own: bool = False
    """Whether what is not known is all from variables of the user's own environment."""

    top: bool = False
    """Whether it is the path of the repository's top folder, as git prints it."""

    @property
    def known(self) -> bool:
        """Whether the whole text is known."""
        return not _OPEN.search(self.text)

    @property
    def single(self) -> bool:
        """Whether it is one word whatever it expands to, so that the next keeps its place."""
        return not self.splits and not self.vanishes

    @property
    def may_be_option(self) -> bool:
        """Whether the word is an option, or could become one."""
        first = self.text[:1]
        # What comes before the rest may be empty.
        rest = self.text.lstrip(UNKNOWN + NUMBER + MAYBE)
        if rest[:1] == "-":
            return self.text != "-"
        if self.splits and GLOB.match(rest):
            return not self.looked
        if first in (NUMBER, MAYBE) and first and not self.tame and _LETTERS.search(self.text):
            return True  # It may be negative, and the letters behind it options.
        if self.tame or UNKNOWN not in self.text:
            return False
        return self.splits or first == UNKNOWN


def join(parts: list[Word], at: int) -> Word:
    """Return the word made of adjacent parts."""
    alone = sum(part.text != "" for part in parts) < 2
    return Word(
        "".join(
            MAYBE if part.text == NUMBER and not part.filled and not alone else part.text
            for part in parts
        ),
        at,
        any(part.splits for part in parts),
        all(part.tame for part in parts),
        any(part.vanishes for part in parts)
        and all(part.vanishes or part.splits or not part.text for part in parts),
        any(part.filled for part in parts),
        own=any(part.own for part in parts)
        and all(part.own for part in parts if UNKNOWN in part.text),
        top=alone and any(part.top for part in parts),
    )


_MOST: Final = 4
"""The most numbers in one command that are looked at both as numbers and as missing."""


def readings(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Yield the words with each number that may be missing once there and once not."""
    count = sum(word.text.count(MAYBE) for word in words)
    if not count:
        yield words
        return
    if count > _MOST:
        yield [word._replace(text=word.text.replace(MAYBE, UNKNOWN)) for word in words]
        return
    for chosen in product((NUMBER, ""), repeat=count):
        rest = iter(chosen)

        def filled(word: Word, rest: Iterator[str] = rest) -> Word:
            return word._replace(text=re.sub(MAYBE, lambda _: next(rest), word.text))

        yield [filled(word) for word in words]


def texts(words: list[Word]) -> list[str]:
    """Return the texts of words."""
    return [word.text for word in words]


def named(text: str) -> frozenset[str]:
    """Return the names in a text, separated by whitespace."""
    return frozenset(text.split())


class Verdict(NamedTuple):
    """Whether a command only reads; `at` is the offset of the deciding place, in characters."""

    verdict: Literal["read", "write"]
    reason: str
    at: int = 0


class Writes(Exception):
    """The command writes, or is not known to only read.

    Whatever checks a part of it in this package raises this where that part is not certain; docstrings
    name it only where there is more to know.
    """

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at
