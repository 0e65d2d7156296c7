"""Makes the welcome: the message with all that a new client has to know at first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from nagomi_tui import __version__
from nagomi_tui.api import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.core.session.session import Session
    from nagomi_tui.orchestrator.lifecycle.recent import RecentCommands
    from nagomi_tui.orchestrator.server.absence import Absence
    from nagomi_tui.settings.model import Settings


class WelcomeMaker:
    """Gathers sessions, settings, recent commands and, for a front end, the digest."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        infos: Callable[[], tuple[Session, ...]],
        recent: RecentCommands,
        absence: Absence,
    ) -> None:
        """`infos` returns all sessions in their order."""
        self._settings = settings
        self._infos = infos
        self._recent = recent
        self._absence = absence

    @property
    def language(self) -> str:
        """The language setting: a language, or "auto" for each client's own."""
        return self._settings().language

    def make(self, *, front_end: bool) -> messages.Welcome:
        """Return the message; what happened meanwhile is told to a front end only, and once."""
        infos = self._infos()
        return messages.Welcome(
            version=__version__,
            pid=os.getpid(),
            sessions=infos,
            settings=msgspec.to_builtins(self._settings()),
            recent=self._recent.commands,
            digest=self._absence.digest(infos) if front_end else (),
            protocol=messages.PROTOCOL,
            capabilities=messages.FROM_CLIENT,
        )
