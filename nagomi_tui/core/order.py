"""The order of sessions on screen (N-12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Item = TypeVar("Item")


def moved(items: Sequence[Item], item: Item, number: int) -> list[Item]:
    """Return the items with `item` at place `number` (1 is first); the others make room."""
    others = [other for other in items if other != item]
    place = max(0, min(number - 1, len(others)))
    return [*others[:place], item, *others[place:]]
