"""The action that opens the review of the session in front, and what it does by other sessions."""

from __future__ import annotations

import os
import shlex
from functools import partial
from typing import TYPE_CHECKING

from nagomi_tui.api.messages import Failed, Send
from nagomi_tui.text.cells import printable
from nagomi_tui.view.common.translate import tr

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.api.messages import Sent
    from nagomi_tui.sessions.session import Session
    from nagomi_tui.view.actions.asking import Asking
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.screens.state import AppState


class ReviewHandlers:
    """Opens reviews."""

    def __init__(
        self,
        main: MainScreen,
        state: AppState,
        asking: Asking,
        *,
        expect: Callable[[str], object],
        tell: Callable[..., object],
    ) -> None:
        """`expect` gives the focus to a session as soon as it is known."""
        self._main = main
        self._state = state
        self._asking = asking
        self._expect = expect
        self._tell = tell

    def table(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of these actions by name."""
        return {"review": self.show}

    def show(self) -> None:
        """Open the review of the session in front."""
        session = self._state.current
        if session is not None:
            self.open(session)

    def open(self, session: Session) -> None:
        """Open the review of a session's folder."""
        from nagomi_tui.review.review import ELSEWHERE

        if not session.is_local:
            self._tell(tr(ELSEWHERE, name=session.name, hand=session.worker_id), error=True)
            return
        self.open_folder(session.here, session.name, session)

    def open_folder(self, folder: str, name: str, session: Session | None) -> None:
        """Open the review of a folder; comments go to the session, if there is one."""
        from nagomi_tui.review.review import Review
        from nagomi_tui.view.review.screen import ReviewScreen

        session_id = session.session_id if session else ""
        screen = ReviewScreen(
            Review(folder, session_id),
            name=printable(name),
            send=partial(self._send, session_id),
            edit=self._edit,
        )
        self._main.open(screen)

    def _send(self, session_id: str, text: str, then: Callable[[str], None]) -> None:
        if not session_id:
            then(tr("No session is in this worktree; start one, then send."))
            return

        def answered(answer: Sent | Failed) -> None:
            then(answer.message if isinstance(answer, Failed) else "")

        self._asking.find_out(Send(id=0, session=session_id, text=text), answered)

    def _edit(self, path: Path, line: int) -> None:
        """Open the user's editor in a session of its own, in place of the review."""
        from nagomi_tui.view.review.app import editor

        command = shlex.join(editor(path, line))
        self._main.close_dialogs()
        self._asking.begin(command, os.path.dirname(path), path.name, self._expect)
