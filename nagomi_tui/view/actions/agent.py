"""Actions that talk to the resident agent, and change its mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.api.messages import AgentMode, Restart
from nagomi_tui.api.messages.agent import Mode
from nagomi_tui.sessions.session import has_ended
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.screens.state import CHAT_COMMAND, ViewName

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.actions.asking import Asking
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.screens.state import AppState


class AgentHandlers:
    """Actions on the resident agent."""

    def __init__(
        self,
        main: MainScreen,
        state: AppState,
        asking: Asking,
        *,
        folder: str,
        expect: Callable[[str], object],
        go_to: Callable[[str], object],
    ) -> None:
        self._main = main
        self._state = state
        self._asking = asking
        self._folder = folder
        """Where the chat starts while there is no session."""
        self._expect = expect
        """Goes to a session by its id as soon as the orchestrator tells of it."""
        self._go_to = go_to

    def table(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of these actions by name."""
        return {"agent_chat": self.talk, "agent_mode": self.mode}

    def talk(self) -> None:
        """Go to the chat with the agent, in a lane; its own keys are those of the program."""
        self._state.view, self._state.zoomed = ViewName.CHAT, False
        chats = [one for one in self._state.ordered if one.cmd == CHAT_COMMAND]
        if running := [one for one in chats if not has_ended(one)]:
            self._open(running[0].session_id)
            return
        if (
            chats
        ):  # it ended with the workplace, or by its user: the same lane, the same conversation
            self._asking.ask(Restart(id=0, session=chats[0].session_id))
            self._open(chats[0].session_id)
            return
        current = self._state.current
        folder = current.here if current and current.is_local else self._folder

        def begun(session_id: str) -> None:
            self._state.open_lane(session_id)
            self._expect(session_id)

        self._asking.begin(CHAT_COMMAND, folder, tr("agent"), begun)

    def _open(self, session_id: str) -> None:
        self._state.open_lane(session_id)
        self._go_to(session_id)
        self._main.show()

    def mode(self) -> None:
        """Choose the agent's mode."""
        from nagomi_tui.view.dialogs.agent_mode import AgentModeDialog

        def chosen(mode: str | None) -> None:
            if mode:
                self._asking.ask(AgentMode(id=0, mode=from_builtins(mode, Mode)))

        self._main.open(AgentModeDialog(self._state.agent), chosen)
