"""The order of sessions on screen (N-12), and their numbers, which do not follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

Item = TypeVar("Item")


def moved(items: Sequence[Item], item: Item, number: int) -> list[Item]:
    """Return the items with `item` at place `number` (1 is first); the others make room."""
    others = [other for other in items if other != item]
    place = max(0, min(number - 1, len(others)))
    return [*others[:place], item, *others[place:]]


class Numbers:
    """Gives each session its number. None is given again before all are counted anew.

    A script that still has the number of a removed session must not reach another one by it.
    """

    def __init__(self) -> None:
        self.last = 0
        """The highest number given."""

    def give(self, wanted: int, taken: Collection[int]) -> int:
        """Return the number that a session had, if it is free, or the next one."""
        free = wanted > 0 and wanted not in taken
        number = wanted if free else max(self.last, *taken, 0) + 1
        self.last = max(self.last, number)
        return number

    def take_back(self, number: int) -> None:
        """The session with this number did not come to be."""
        self.last -= number == self.last
