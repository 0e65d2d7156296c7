"""Keeps the screen as it is until the room has something to show: half a room costs as much."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from nagomi_tui.view.app.application import Room

_PATIENCE: Final = 0.5
"""Seconds after which the room is shown without the orchestrator."""


class Curtain:
    """Drawn once, while the room mounts."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._held = ExitStack()

    def draw(self) -> None:
        """Paint nothing from now on."""
        self._held.enter_context(self._room.batch_update())
        self._room.set_timer(_PATIENCE, self.open)

    async def open_after(self, mounted: Awaitable[None]) -> None:
        """Show everything as soon as the view is there."""
        await mounted
        self.open()
        # What depends on places is not known before they were given.
        self._room.call_after_refresh(self._room.show)

    def open(self) -> None:
        """Show what there is."""
        self._held.close()
