"""Tells the user, once a session, that an agent is not understood any more."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING
from weakref import WeakSet

from nagomi_tui.judging import misread
from nagomi_tui.orchestrator.runtime.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.core.judge.judge import Judge
    from nagomi_tui.orchestrator.judging.traces import Traces
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.roles import Judgeable, Named
    from nagomi_tui.settings.model import Settings

_log = logging.getLogger(__name__)


class Misreading:
    """Notices it where a judge has, keeps it, and begins a trace if the user has agreed to one."""

    def __init__(self, settings: Callable[[], Settings], tell: Tell, traces: Traces) -> None:
        self._settings = settings
        self._tell = tell
        self._traces = traces
        self._told: WeakSet[Named] = WeakSet()

    def look(self, session: Judgeable, judge: Judge) -> None:
        """The judge of a session has changed its mind: see whether it knows that it does not know."""
        misfit, agent = judge.misfit, judge.agent
        if misfit is None or agent is None or session in self._told:
            return
        self._told.add(session)
        version = judge.version
        noted = misread.Misread(
            version=version, misfit=misfit, at=time.time(), trace=self._trace(session)
        )
        try:
            misread.keep(agent.name, noted)
        except OSError:
            _log.exception("it cannot be kept that %s is not understood", agent.name)
        self._tell("info", misread.TOLD, agent=misread.title(agent.name, version))

    def _trace(self, session: Judgeable) -> str:
        if not self._settings().keep_misread:
            return ""
        try:
            return self._traces.switch(session, "on").path
        except Refusal:
            return ""
