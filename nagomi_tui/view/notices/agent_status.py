"""How the resident agent stands, and what it says of its own accord."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nagomi_tui.text.cells import printable
from nagomi_tui.view.screens.state import SAYS_SECONDS, ViewName

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import Agent
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.screens.state import AppState


class AgentStatus:
    """Shows the agent's mode, and its sentence where no balloon does."""

    def __init__(
        self,
        main: MainScreen,
        state: AppState,
        *,
        after: Callable[[float, Callable[[], object]], object],
        tell: Callable[..., object],
    ) -> None:
        self._main = main
        self._state = state
        self._after = after
        """Calls a function some seconds later."""
        self._tell = tell
        """Shows the user a sentence."""
        self._said_at = 0.0
        """When the agent said what was shown last, in seconds since the epoch."""

    def heard(self, agent: Agent) -> None:
        """The agent stands in another way, or has said something."""
        self._main.bottom_bar.show()
        self._main.show_faces()
        if agent.said_at != self._said_at:
            self._said_at = agent.said_at
            says = self._state.agent_says(time.time())
            if says and self._state.view is not ViewName.CHAT:
                self._tell(printable(says))
            self._after(SAYS_SECONDS, self._main.show_faces)
