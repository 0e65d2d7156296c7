"""Actions on the guard of the session in front: its dialog, and the emergency stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from nagomi_tui.api.messages import (
    Failed,
    GuardStop,
)
from nagomi_tui.text.cells import printable
from nagomi_tui.view.common.translate import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import (
        GuardStopped,
        SessionChanged,
    )
    from nagomi_tui.sessions.session import Session
    from nagomi_tui.view.connection.link import Link
    from nagomi_tui.view.dialogs.guard import GuardDialog


OpenDialog: TypeAlias = "Callable[[GuardDialog, Callable[[bool | None], None]], None]"
"""Opens a dialog over the main screen, and calls the function with its result."""


class GuardHandlers:
    """Actions on the guard."""

    def __init__(
        self,
        link: Link,
        current: Callable[[], Session | None],
        *,
        open_dialog: OpenDialog,
        review: Callable[[Session], object],
        tell: Callable[..., object],
    ) -> None:
        """`current` returns the session in front; `review` opens the review of one."""
        self._review = review
        self._link = link
        self._open = open_dialog
        self._current = current
        self._tell = tell
        self._dialog: GuardDialog | None = None

    def table(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of these actions by name."""
        return {"guard": self.show, "guard_stop_all": self.stop_all}

    def show(self) -> None:
        """Open the guard of the session in front."""
        from nagomi_tui.view.dialogs.guard import GuardDialog, Steering

        session = self._current()
        if session is None:
            return
        if session.guard is None:
            name = printable(session.name)
            self._tell(
                tr(
                    "Nothing guards {name}. `nagomi new --guard` starts a session with it.",
                    name=name,
                )
            )
            return
        steering = Steering(self._link, session.session_id, stop_all=self.stop_all)
        self._dialog = GuardDialog(
            session.session_id, session.name, steering, review=lambda: self._review(session)
        )
        self._open(self._dialog, self._closed)

    def _closed(self, result: bool | None) -> None:
        self._dialog = None

    def heard(self, changed: SessionChanged) -> None:
        """A session has changed; it may be the one whose guard is shown."""
        dialog = self._dialog
        if (
            dialog is not None
            and dialog.is_attached
            and changed.session.session_id == dialog.session_id
        ):
            dialog.look_again()

    def stop_all(self) -> None:
        """Stop the agents of all sessions at once, without asking."""

        def answered(answer: GuardStopped | Failed) -> None:
            if isinstance(answer, Failed):
                self._tell(answer.message, error=True)
            elif answer.faults:
                self._tell(" ".join(answer.faults), error=True)
            elif answer.sessions:
                names = ", ".join(map(printable, answer.sessions))
                self._tell(tr("Stopped: {names}", names=names))
            else:
                self._tell(tr("No session is guarded."))

        self._link.request(GuardStop(id=0), answered)
