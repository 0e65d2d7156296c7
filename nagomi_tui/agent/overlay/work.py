"""The work overlay of one open conversation, where a command may arrive during a turn."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from nagomi_tui.agent.overlay.command import work_command
from nagomi_tui.agent.overlay.directive import WORK_OVERLAY_DIRECTIVE
from nagomi_tui.agent.overlay.overlay import (
    Overlay,
    after_turn,
    changed,
    directive_for,
    replies,
    restored,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.agent.common.values import Route


class Began(msgspec.Struct, frozen=True):
    """The overlay, and the number of commands so far, when a turn began."""

    overlay: Overlay
    commands: int


class WorkMode:
    """Answers the overlay's commands, and gives the directive for each request of a turn.

    `save` must store the overlay's two fields and nothing else (WB-7). A turn may end in
    another thread than the one that carries out commands.
    """

    def __init__(
        self,
        stored: Overlay,
        save: Callable[[Overlay], None],
        current: str = WORK_OVERLAY_DIRECTIVE,
    ) -> None:
        self._current = current
        self._save = save
        self._commands = 0
        self._changing = Lock()
        self.overlay = restored(stored.turns_left, stored.directive, current)

    def command(self, text: str) -> tuple[str, ...] | None:
        """Carry out a command and return the lines of its answer; None for any other text."""
        command = work_command(text)
        if not command.ok:
            return None
        if command.kind != "status":
            with self._changing:
                self._commands += 1
                self._change(changed(self.overlay, command, self._current))
        return replies(self.overlay, command)

    def begin(self) -> Began:
        """Return the state that a turn beginning now passes to `directive` and `end`."""
        return Began(self.overlay, self._commands)

    def directive(self, route: Route, began: Began) -> str:
        """Return the directive for a turn's requests, the same for every retry (WB-2)."""
        return directive_for(route, began.overlay)

    def end(self, began: Began, *, route: Route, answer: str, done: bool) -> None:
        """Count the turn and save the turns left, unless a command came during the turn (WB-7)."""
        with self._changing:
            if began.commands == self._commands:
                self._change(after_turn(self.overlay, route=route, answer=answer, done=done))

    def _change(self, overlay: Overlay) -> None:
        if overlay != self.overlay:
            self._save(overlay)
            self.overlay = overlay
