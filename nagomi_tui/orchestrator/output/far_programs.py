"""What programs of sessions on hands tell and ask, through the workers there, and where these are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.judging.hooks import Hooked, Hooks
    from nagomi_tui.orchestrator.sessions.roles import Listed

Said: TypeAlias = protocol.Hook | protocol.Asked | protocol.Located
_LONGEST_FOLDER: Final = 4096
_LONGEST_BRANCH: Final = 250


class FarPrograms:
    """Hands each on; a worker that holds a session speaks for that session only."""

    def __init__(
        self,
        hooks: Hooks,
        publish: Callable[[Listed], object],
        asked: Callable[[protocol.Asked], object],
    ) -> None:
        """`asked` has a request answered."""
        self._hooks = hooks
        self._publish = publish
        self._asked = asked

    def heard(self, session: Hooked, message: Said) -> None:
        """Handle what the worker of a session on a hand tells of its programs."""
        if session.info.is_local:
            return
        match message:
            case protocol.Hook():
                self._hooks.heard_there(session, message)
            case protocol.Asked():
                self._asked(message)
            case protocol.Located():
                self._located(session, message)

    def _located(self, session: Hooked, message: protocol.Located) -> None:
        folder, branch = message.folder, message.branch
        if not (folder.isprintable() and branch.isprintable()) or len(folder) > _LONGEST_FOLDER:
            return
        if session.running and session.change(folder=folder, branch=branch[:_LONGEST_BRANCH]):
            self._publish(session)
