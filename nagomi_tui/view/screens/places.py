"""Where the user was: the session before, and the place that a jump to who waits has left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Collection


class Place(msgspec.Struct, frozen=True):
    """What was in front of the user."""

    focused: str
    lanes: tuple[str, ...]
    view: str
    zoomed: bool

    def among(self, sessions: Collection[str]) -> Place | None:
        """Return the place as far as its sessions exist; None if the one in front has gone."""
        if self.focused not in sessions:
            return None
        lanes = tuple(lane for lane in self.lanes if lane in sessions)
        return msgspec.structs.replace(self, lanes=lanes)


class Places:
    """Remembers one session and one place."""

    def __init__(self) -> None:
        self.before = ""
        """Id of the session that was in front before this one."""
        self._left: Place | None = None
        self._arrived = ""
        """Id of the session that the last jump went to."""

    def moved(self, focused: str, to: str) -> None:
        """Note that another session came to the front."""
        if focused and focused != to:
            self.before = focused

    def jumped(self, place: Place, to: str) -> None:
        """Note a jump. Several in a row leave one place: that before the first."""
        if self._left is None or place.focused != self._arrived:
            self._left = place
        self._arrived = to

    def take_left(self) -> Place | None:
        """Return, once, the place that was left by jumps."""
        left, self._left, self._arrived = self._left, None, ""
        return left
