"""Stops, restarts and removes the sessions that are marked in the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from nagomi_tui.api.messages import Remove, Restart, Stop
from nagomi_tui.core.session.session import has_ended
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.screens.state import ViewName

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import Request
    from nagomi_tui.core.session.session import Session
    from nagomi_tui.view.actions.asking import Asking
    from nagomi_tui.view.screens.overview import Overview


class Listed(Protocol):
    """What is shown, and the sessions in it."""

    view: ViewName
    zoomed: bool
    overview: Overview

    @property
    def ordered(self) -> list[Session]:
        """Sessions by their place."""


class Several:
    """Each method returns False while no session is marked, so that the one in front is meant."""

    def __init__(self, state: Listed, asking: Asking, *, tell: Callable[..., object]) -> None:
        self._state = state
        self._asking = asking
        self._tell = tell

    def stop(self) -> bool:
        """Stop the marked sessions that run, after asking."""
        return self._all(
            [session for session in self._marked() if not has_ended(session)],
            tr("Stop these sessions?"),
            tr("Stop them"),
            lambda session: Stop(id=0, session=session.session_id),
            none=tr("The marked sessions have ended already."),
        )

    def restart(self) -> bool:
        """Start the marked sessions again, after asking."""
        return self._all(
            [session for session in self._marked() if not session.cmd_masked],
            tr("Start these sessions again?"),
            tr("Start again"),
            lambda session: Restart(id=0, session=session.session_id),
            none=tr(
                "The commands of the marked sessions hold secrets; start each again by itself."
            ),
        )

    def remove(self) -> bool:
        """Take the marked sessions that have ended off the list, after asking."""
        return self._all(
            [session for session in self._marked() if has_ended(session)],
            tr("Remove these sessions?"),
            tr("Remove them"),
            lambda session: Remove(id=0, session=session.session_id),
            none=tr("The marked sessions still run; stop them first."),
        )

    def _marked(self) -> list[Session]:
        state = self._state
        if state.view is not ViewName.RUN or state.zoomed:
            return []
        return state.overview.marked(state.ordered)

    def _all(
        self,
        meant: list[Session],
        title: str,
        yes: str,
        order: Callable[[Session], Request[Any]],
        *,
        none: str,
    ) -> bool:
        """Ask and do it; where it can be done to none of the marked sessions, say so by `none`."""
        marked = len(self._marked())
        if not marked:
            return False
        if not meant:
            self._tell(none)
            return True
        names = ", ".join(session.name for session in meant)
        left = marked - len(meant)
        rest = (
            tr_count("{count} stays as it is.", "{count} stay as they are.", left) if left else ""
        )

        def act() -> None:
            self._state.overview.unmark_all()
            for session in meant:
                self._asking.ask(order(session))

        self._asking.confirm(title, f"{names}\n{rest}".rstrip(), yes, act)
        return True
