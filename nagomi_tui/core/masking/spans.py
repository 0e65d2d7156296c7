"""Places of secrets in a line, and how they are replaced without moving anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
