"""Brace expansion, such as `src/{a,b}.py`: the words that it makes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from nagomi_tui.shell.parsing import plain
from nagomi_tui.shell.words import UNKNOWN, Word, join

Item = str | Word
"""A character outside of quotes, or a part of a word that is quoted, escaped or expanded later."""
_MOST: Final = 64
"""The most words of one expansion that are looked at one by one."""
_MAKES_SEVERAL: Final = re.compile(r"\{[^}]*(?:,|\.\.)")
_LISTS: Final = re.compile(r"\{[^}]*,")
_RANGE: Final = re.compile(r"\w+\.\.\w+(?:\.\.[0-9]+)?")


def items_of(text: str, at: int) -> list[Item]:
    """Return the characters of a text outside of quotes; an escaped one is a word of its own.

    Raises:
        Writes: bash would treat a part of the text as more than literal.
    """
    plain(text, at)
    found: list[Item] = []
    for match in re.finditer(r"\\\n|\\(.)|.", text, re.DOTALL):
        if match[1] is not None:
            found.append(Word(match[1], at))
        elif match[0] != "\\\n":
            found.append(match[0])
    return found


def makes_several(items: Sequence[Item]) -> bool:
    """Whether a word may be a brace expansion."""
    return _MAKES_SEVERAL.search(_bare(items)) is not None


def lists(items: Sequence[Item]) -> bool:
    """Whether a brace expansion has commas in it, and is more than a range such as `{1..3}`."""
    return _LISTS.search(_bare(items)) is not None


def expanded(items: Sequence[Item], at: int) -> list[Word]:
    """Return the words of a brace expansion, or one unknown word if they are not certain."""
    try:
        found, _ = _alternatives(items, 0, within=False)
        if not all(found[0]):
            raise _Uncertain  # bash drops an empty word, and zsh keeps it.
    except _Uncertain:
        return [Word(UNKNOWN, at, splits=True, tame=False)]
    return [joined(one, at) for one in found[0]]


class _Uncertain(Exception):
    """Shells may differ in what the braces mean, or there are too many words."""


def _alternatives(
    items: Sequence[Item], start: int, *, within: bool
) -> tuple[list[list[list[Item]]], int]:
    """Return what stands between commas, each with all that it expands to, and where it ends."""
    found: list[list[list[Item]]] = [[[]]]
    at = start
    while at < len(items):
        item = items[at]
        if item == "}":
            if within:
                return found, at
            raise _Uncertain
        if item == "{":
            inner, end = _alternatives(items, at + 1, within=True)
            made = [one for part in inner for one in part]
            if len(inner) == 1:
                made = _without_comma(items[at + 1 : end])
            found[-1] = [[*before, *one] for before in found[-1] for one in made]
            at = end
        elif item == "," and within:
            found.append([[]])
        else:
            for one in found[-1]:
                one.append(item)
        if sum(map(len, found)) > _MOST:
            raise _Uncertain
        at += 1
    if within:
        raise _Uncertain
    return found, at


def _without_comma(items: Sequence[Item]) -> list[list[Item]]:
    """Return what braces without a comma make: a range, or themselves, as those in `HEAD@{1}`."""
    text = _bare(items)
    if "{" in text:
        raise _Uncertain
    if _RANGE.fullmatch(text):
        return [[Word(UNKNOWN, splits=True)]]
    if ".." in text:
        raise _Uncertain
    return [["{", *items, "}"]]


def _bare(items: Sequence[Item]) -> str:
    return "".join(item if isinstance(item, str) else "\x02" for item in items)


def joined(items: Sequence[Item], at: int) -> Word:
    """Return the word made of these parts."""
    parts: list[Word] = []
    letters = ""
    for item in (*items, None):
        if isinstance(item, str):
            letters += item
            continue
        if letters:
            parts.append(plain(letters, at))
            letters = ""
        if item is not None:
            parts.append(item)
    return join(parts, at)
