"""Finds keys in the formats of known providers."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking.chance import looks_random
from nagomi_tui.core.masking.formats import FORMATS, SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.masking.spans import Span

_BEGINNINGS: Final = tuple(
    (begin, kind.follows, kind.random) for kind in FORMATS for begin in kind.begins
)


def find_known(text: str) -> Iterator[Span]:
    """Yield where keys of known formats stand."""
    for begin, follows, random in _BEGINNINGS:
        if begin in text:
            for found in _compiled(begin, follows).finditer(text):
                if not random or looks_random(found[0][len(begin) :]):
                    yield found.span()
    for mark, shape, _ in SHAPES:
        if mark in text:
            yield from (found.span() for found in _shape(shape).finditer(text))


@cache
def _compiled(begin: str, follows: str) -> re.Pattern[str]:
    """Return the pattern of a format that no letter or digit precedes.

    The look back stands after the literal, since a pattern is searched fast only by a literal.
    """
    literal = re.escape(begin)
    return re.compile(rf"{literal}(?<![A-Za-z0-9]{literal}){follows}")


@cache
def _shape(shape: str) -> re.Pattern[str]:
    return re.compile(shape)
