"""A word of a command line, as far as it is known before the shell expands it."""

from __future__ import annotations

from typing import Final, NamedTuple

UNKNOWN: Final = "\0"
"""Stands in a word's text for what only the shell will know."""
NUMBER: Final = "\1"
"""Stands in a word's text for a number that only the shell will know."""


class Word(NamedTuple):
    """One argument; `text` has `UNKNOWN` in the place of what is expanded later."""

    text: str
    at: int = 0
    splits: bool = False
    """Outside quotes stands what may become several words or none, such as a pattern of names."""
    tame: bool = True
    """What is expanded cannot begin with a dash, as file names that a search found cannot."""

    @property
    def known(self) -> bool:
        """Whether all of its text is known."""
        return UNKNOWN not in self.text and NUMBER not in self.text

    @property
    def may_be_option(self) -> bool:
        """Whether it is an option, or could become one."""
        first = self.text[:1]
        if first == "-":
            return self.text != "-"
        if self.splits and first in ("*", "?", "["):
            return True
        if self.tame or UNKNOWN not in self.text:
            return False
        return self.splits or first == UNKNOWN


def join(parts: list[Word], at: int) -> Word:
    """Return the word that parts make which stand side by side."""
    return Word(
        "".join(part.text for part in parts),
        at,
        any(part.splits for part in parts),
        all(part.tame for part in parts),
    )


def texts(words: list[Word]) -> list[str]:
    """Return what the words say."""
    return [word.text for word in words]


def named(text: str) -> frozenset[str]:
    """Return the names that a text lists, parted by blanks."""
    return frozenset(text.split())
