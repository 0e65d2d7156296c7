"""What a hello tells of the terminal that its client runs in: its environment and its colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.lifecycle.environment import Surroundings
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.terminals.screens import ScreenMaker


class ClientOrigin:
    """Has sessions follow the terminal from which the user came last."""

    def __init__(
        self,
        surroundings: Surroundings,
        screens: ScreenMaker,
        sessions: Callable[[], Sequence[SessionRuntime]],
    ) -> None:
        self._surroundings = surroundings
        self._screens = screens
        self._sessions = sessions

    def take(self, hello: messages.Hello) -> None:
        """Take over the environment, and of a front end the colours where it knows them."""
        self._surroundings.refresh(hello.env, front_end=hello.front_end)
        if hello.front_end and hello.foreground >= 0 <= hello.background:
            self.recolor(hello.foreground, hello.background)

    def recolor(self, foreground: int, background: int) -> None:
        """Answer queries for the colours with these, each `0xRRGGBB`, in all sessions.

        Programs that asked to be told of a change between dark and light (mode 2031) are told.
        """
        self._screens.colors = (foreground, background)
        for session in self._sessions():
            if (screen := session.run.screen) is not None:
                report = screen.set_colors(foreground, background)
                if report and session.run.replay is None:
                    session.reply(report, session.run.offset)
