"""The table of functions that carry out the user's actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.actions.agent import AgentHandlers
    from nagomi_tui.view.actions.application import ApplicationHandlers, DialogHandlers
    from nagomi_tui.view.actions.guard import GuardHandlers
    from nagomi_tui.view.actions.moving import MovingHandlers, OverviewHandlers
    from nagomi_tui.view.actions.sessions import SessionHandlers

_TO_SESSION: Final = "session:"
_TO_NUMBER: Final = "go_"


class ActionHandlers:
    """Carries out an action of the registry by its name."""

    def __init__(
        self,
        moving: MovingHandlers,
        sessions: SessionHandlers,
        application: ApplicationHandlers,
        dialogs: DialogHandlers,
        agent: AgentHandlers,
        guard: GuardHandlers,
        overview: OverviewHandlers,
    ) -> None:
        self._moving = moving
        self.table: dict[str, Callable[[], None]] = {
            **moving.table(),
            **sessions.table(),
            **application.table(),
            **dialogs.table(),
            **agent.table(),
            **guard.table(),
            **overview.table(),
        }
        """The handler of each action by its name, but for those that name a session."""

    def perform(self, action: str) -> None:
        """Carry out an action, or go to a session: `session:ID`, or `go_12` for a number.

        Raises:
            ValueError: there is no such action.
        """
        if action.startswith(_TO_SESSION):
            self._moving.go_to(action.removeprefix(_TO_SESSION))
        elif action.startswith(_TO_NUMBER):
            self._moving.go_to_number(int(action.removeprefix(_TO_NUMBER)))
        elif (handler := self.table.get(action)) is not None:
            handler()
        else:
            raise ValueError(f"nobody carries out the action {action}")
