"""Private key blocks, line by line: what one line begins is masked in the next (N-87, NB-3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.masking.ahead import Ahead
from nagomi_tui.core.masking.spans import REDACTED, Span, bare_span
from nagomi_tui.core.masking.wrapped import Before, Cut

if TYPE_CHECKING:
    from collections.abc import Sequence

_KIND: Final = r"[A-Z0-9 ]{0,40}?(?:PRIVATE|SECRET) KEY(?: BLOCK)? ?-{4,5}"
_BEGIN: Final = re.compile(rf"-{{4,5}} ?BEGIN {_KIND}")
_END: Final = re.compile(rf"-{{4,5}} ?END {_KIND}")
_COUNTED: Final = re.compile(r"\s*Private-Lines: ([0-9]{1,4})\s*")
_BODY: Final = re.compile(r"\W*(?:[0-9]+\W+)?[A-Za-z0-9+/=]{16,}\W*")
_MERE: Final = re.compile(
    r"\W*(?:[0-9]+\W+)?(?=\S*[0-9+/])(?=\S*[A-Z])(?=\S*[a-z])[A-Za-z0-9+/=]{40,}\W*"
)
_LINE: Final = 40
_LAST: Final = re.compile(r"\W*(?:[0-9]+\W+)?[A-Za-z0-9+/=]{1,80}\W*")
_MATERIAL: Final = re.compile(
    r"[A-Za-z0-9+/=]{16}|^\W*[A-Za-z0-9+/=]{1,80}\W*$|^[A-Za-z-]{3,20}: \S|\\[nr]"
)

_PATIENCE: Final = 4
"""Consecutive lines without key material that end a block whose END is missing."""

_LONGEST: Final = 4000
"""Lines after which a block counts as cut off; a key of 8192 bits takes a hundred."""


class MaskState(msgspec.Struct, frozen=True):
    """What masking remembers from one line to the next; equal states mask alike."""

    block: int = 0
    """Lines that may still follow in a private key block; 0 outside of one."""
    strange: int = 0
    """Consecutive lines in the block that did not look like key material."""
    counted: bool = False
    """The block said how many lines it has, as PuTTY's do."""
    ahead: Ahead | None = None
    """What the lines before said of the next one."""
    cut: Cut | None = None
    """The last row ended within a secret, or may have."""
    before: Before | None = None
    """The end of the last row, to be read together with the next one."""


CLEAR: Final = MaskState()
IN_BLOCK: Final = MaskState(block=_LONGEST)
"""A private key goes on in the next line."""


class Reading(msgspec.Struct, frozen=True):
    """What a line holds of private key blocks."""

    spans: list[Span]
    state: MaskState
    whole: bool = False
    """The line is within a block from end to end."""


def read(text: str, state: MaskState) -> Reading:
    """Read one line for private keys, given what was remembered before it."""
    if not state.block:
        return _outside(text, 0, [])
    end = None if state.counted else _END.search(text)
    if end:
        lead = _filled(text, 0, end.start())
        return _outside(text, end.end(), lead)
    return Reading(_filled(text, 0, len(text)), _after(text, state), whole=True)


def body_above(texts: Sequence[str], last: int) -> int:
    """Return how many lines above line `last` belong to a key that ends there, its BEGIN cut off."""
    if _BEGIN.search(texts[last]):
        return 0
    count = 0
    while count < last:
        text = texts[last - count - 1]
        shape = _BODY if count else _LAST
        if REDACTED in text or marks(text) or shape.fullmatch(text) is None:
            break
        count += 1
    return count


def orphaned(texts: Sequence[str]) -> int:
    """Return how many lines at the beginning may belong to a key whose BEGIN is not there."""
    count = 0
    while count < len(texts) and _BODY.fullmatch(texts[count]):
        count += 1
    ended = count + 1 < len(texts) and ends(texts[count + 1]) and _LAST.fullmatch(texts[count])
    return count + bool(ended)


def looks_like_key(text: str) -> bool:
    """Tell whether a line is nothing but material of a key, to be covered where none was begun."""
    return len(text) >= _LINE and _MERE.fullmatch(text) is not None


def covered(text: str) -> str:
    """Return a line masked whole, less the white space around it."""
    bare = text.strip()
    return text.replace(bare, REDACTED, 1) if bare else text


def marks(text: str) -> list[Span]:
    """Return where blocks begin and end in the line; masked text must show them as before."""
    if " KEY" not in text or "----" not in text:
        return []
    return [found.span() for mark in (_BEGIN, _END) for found in mark.finditer(text)]


def ends(text: str) -> bool:
    """Tell whether a private key block ends in the line."""
    return "END" in text and _END.search(text) is not None


def _outside(text: str, at: int, spans: list[Span]) -> Reading:
    while found := _BEGIN.search(text, at):
        end = _END.search(text, found.end())
        if end is None:
            spans += _filled(text, found.end(), len(text))
            return Reading(spans, MaskState(block=_LONGEST, strange=_doubt(text[found.end() :])))
        spans += _filled(text, found.end(), end.start())
        at = end.end()
    counted = _COUNTED.fullmatch(text)
    if counted and int(counted[1]):
        return Reading(spans, MaskState(block=int(counted[1]), counted=True))
    return Reading(spans, CLEAR)


def _doubt(rest: str) -> int:
    """Return how strange it is what follows a BEGIN: prose and code only speak of a key."""
    bare = rest.strip()
    if not re.search(r"[A-Za-z]", bare) or _is_material(bare):
        return 0
    return _PATIENCE - 1


def _after(text: str, state: MaskState) -> MaskState:
    left = state.block - 1
    bare = text.strip()
    strange = state.strange
    if bare and not state.counted:
        strange = 0 if _is_material(bare) else strange + 1
    if left <= 0 or strange >= _PATIENCE:
        return CLEAR
    return msgspec.structs.replace(state, block=left, strange=strange)


def _is_material(bare: str) -> bool:
    """Tell whether a line looks like part of a key.

    A masked one does not, or a stream masked twice would lose more the second time.
    """
    return bare != REDACTED and _MATERIAL.search(bare) is not None


def _filled(text: str, start: int, end: int) -> list[Span]:
    """Return the span of what stands there, less the white space around it."""
    return [(start + first, start + last) for first, last in bare_span(text[start:end])]
