"""Which known name was meant by one that is misspelt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest_name(name: str, known: Iterable[str], *, likeness: float = 0.6) -> str:
    """Return what is spelt most like `name`, of what is at least so like it (0 to 1), or nothing."""
    # Only what is misspelt pays for the import.
    import difflib

    near = difflib.get_close_matches(name, known, n=1, cutoff=likeness)
    return near[0] if near else ""
