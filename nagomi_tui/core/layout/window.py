"""Which part of a screen a smaller view shows."""

from __future__ import annotations


def followed(start: int, *, size: int, total: int, cursor: int) -> int:
    """Return the first cell of a window of `size` cells that shows the cursor.

    It stays where it is while the cursor is inside, so that the picture does not jump. Where the
    cursor goes back before it, what stands before the cursor is shown, too.
    """
    start = clamped(start, size=size, total=total)
    if cursor < start:
        return max(0, cursor - size // 2)
    if cursor >= start + size:
        return clamped(cursor - size + 1, size=size, total=total)
    return start


def clamped(start: int, *, size: int, total: int) -> int:
    """Return the start of a window of `size` cells that lies inside `total` cells."""
    return max(0, min(start, total - size))
