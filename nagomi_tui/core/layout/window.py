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


def filled(start: int, *, size: int, used: int) -> int:
    """Return a start that leaves no room empty after the `used` cells while there are some before it."""
    return min(start, max(0, used - size))


def clamped(start: int, *, size: int, total: int) -> int:
    """Return the start of a window of `size` cells that lies inside `total` cells."""
    return max(0, min(start, total - size))
