"""Where a value stands in its line, how far it goes, and its replacement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from nagomi_tui.text.patterns import lazy


class Value(NamedTuple):
    """Where a value stands, without its quotes."""

    start: int
    end: int
    quoted: bool


_QUOTE: Final = lazy(r"(?:[rbfuRBFU@]{0,2})(\\*)([\"'`])")
_CLOSED: Final = {quote: lazy(rf"(?:[^{quote}\\]|\\.)*+") for quote in ('"', "'", "`")}
_DOUBLED: Final = lazy(r"[A-Za-z0-9](''|\"\")[A-Za-z0-9 ]")
_HOLDER: Final = lazy(
    r"!!?(?:str|binary|unsafe|vault)\s{1,4}|(?:[a-z_.]{0,20}\.)?(?:Secret(?:Str|Bytes|String|Value)?|Password|Sensitive|Some)(?:::new)?\(b?(?=[\"'])"
)
"""A value that is printed as the object which holds it: `SecretStr('…')`."""
_AFTER_CLOSING: Final = " \t\r)],;:+%.}|&>\\/"
# A comma, semicolon or ampersand ends a value only where another name and value follow.
_END: Final = lazy(
    r"[\s\x00-\x1f\x7f]|[,;&](?=\s{0,3}[\"']?[A-Za-z_$][\w.$-]{0,40}[\"']?\s{0,2}[:=])"
    r"|[\"'`](?![A-Za-z0-9])|\|(?![^\s|])"
)
_ANNOTATION: Final = lazy(
    r"&?(?:'static )?(?:str|string|String|Optional|Union|SecretStr|bytes|any|Any|char|Final|ClassVar"
    r"|Annotated|Literal|std::string)\b[^=\n\"'(]{0,60}=(?!=)[ \t]{0,8}"
)
_PAIRS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}
_LOOK_BACK: Final = 512
_CLOSERS: Final = 8


def read_value(text: str, at: int) -> Value | None:
    """Return the value that begins at `at`; None where none does."""
    annotated = _ANNOTATION.match(text, at)
    at = annotated.end() if annotated else at
    holder = _HOLDER.match(text, at)
    at = holder.end() if holder else at
    quote = _QUOTE.match(text, at)
    if quote:
        return _quoted(text, at, quote)
    last = run_end(text, at)
    end = _trimmed(text, at, last) if last > at else at
    return Value(at, end, quoted=False) if end > at else None


def run_end(text: str, at: int) -> int:
    """Return where a value without quotes ends that begins at `at`."""
    stop = _END.search(text, at)
    return stop.start() if stop else len(text)


def read_rest(text: str, at: int) -> Value | None:
    """Return all that follows on the line, without white space and a comment at its end."""
    end = len(text.rstrip())
    comment = text.find(" #", at)
    if comment > at:
        end = len(text[:comment].rstrip())
    return Value(at, end, quoted=False) if end > at else None


def _quoted(text: str, at: int, quote: re.Match[str]) -> Value | None:
    escape, mark = quote[1], quote[2]
    start = quote.end()
    if not escape and text.startswith(mark * 2, start):
        start += 2
        end = text.find(mark * 3, start)
    elif escape:
        end = text.find(escape + mark, start)
    else:
        if _closes(text, quote.end() - 1, mark):
            return None
        end = _closed(text, start, mark)
    end = len(text.rstrip("\r\n")) if end < 0 else end
    return Value(start, end, quoted=True) if end > start else None


def _closed(text: str, start: int, mark: str) -> int:
    """Return where a string ends; a quote that is written twice stands within it, as in SQL."""
    closing = _CLOSED[mark].match(text, start)
    while closing and _DOUBLED.match(text, closing.end() - 1):
        closing = _CLOSED[mark].match(text, closing.end() + 2)
    return closing.end() if closing else -1


def _closes(text: str, at: int, mark: str) -> bool:
    """Tell whether the quote at `at` ends a string in which the name stands: `"Password: "`."""
    follows = text[at + 1 : at + 2]
    if follows and follows not in _AFTER_CLOSING and follows != mark:
        return False
    return text.count(mark, max(0, at - _LOOK_BACK), at) % 2 == 1


def _trimmed(text: str, start: int, end: int) -> int:
    """Return the end of a value less what closes something opened before it."""
    for _ in range(_CLOSERS):
        last = text[end - 1]
        if end <= start or not (last in ",;:" or _closes_more(text, start, end)):
            break
        end -= 1
    return end


def _closes_more(text: str, start: int, end: int) -> bool:
    """Tell whether the value ends in a bracket that was not opened in it."""
    closing = text[end - 1]
    opening = _PAIRS.get(closing)
    if opening is None:
        return False
    first = max(start, end - _LOOK_BACK)
    return text.count(opening, first, end) < text.count(closing, first, end)


Span = tuple[int, int]
"""Where a secret value begins and ends in a line, in characters."""

REDACTED: Final = "***REDACTED***"


def bare_span(text: str) -> list[Span]:
    """Return the span of a text less the white space around it; none where there is nothing else."""
    bare = text.strip()
    start = len(text) - len(text.lstrip())
    return [(start, start + len(bare))] if bare else []


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, those that overlap or touch as one."""
    kept: list[Span] = []
    for start, end in sorted(spans):
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def without(spans: Iterable[Span], kept: Iterable[Span]) -> list[Span]:
    """Return the spans less the places to be kept."""
    left = list(spans)
    for first, last in kept:
        parts = [((a, min(b, first)), (max(a, last), b)) for a, b in left]
        left = [part for pair in parts for part in pair if part[0] < part[1]]
    return left


def replaced(pieces: Sequence[str], spans: Sequence[Span]) -> list[str]:
    """Return the pieces of a line with each span replaced where it begins.

    The spans, in order, count through all pieces, so a value may run over several of them; the
    pieces joined are then the same as the joined line with its spans replaced.
    """
    out: list[str] = []
    base = first = 0
    for piece in pieces:
        end = base + len(piece)
        while first < len(spans) and spans[first][1] <= base:
            first += 1
        out.append(_piece(piece, base, spans, first))
        base = end
    return out


def _piece(piece: str, base: int, spans: Sequence[Span], first: int) -> str:
    built: list[str] = []
    at, end = base, base + len(piece)
    for index in range(first, len(spans)):
        start, stop = spans[index]
        if start >= end:
            break
        if start >= base:
            built += (piece[at - base : start - base], REDACTED)
        at = min(stop, end)
    built.append(piece[at - base :])
    return "".join(built)
