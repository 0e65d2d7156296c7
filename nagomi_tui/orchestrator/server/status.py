"""The state of the workplace as a whole, for `nagomi status`."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from nagomi_tui import __version__, paths
from nagomi_tui.api.messages import (
    Folders,
    OrchestratorStatus,
    ProcessStatus,
    WorkerStatus,
    WorkplaceStatus,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nagomi_tui.orchestrator.runtime.lifetime import Lifetime
    from nagomi_tui.orchestrator.sessions.audience import Listener
    from nagomi_tui.orchestrator.sessions.table import SessionTable
    from nagomi_tui.orchestrator.workers.pool import Workers


class Status:
    """Collects processes, sessions and folders."""

    def __init__(
        self,
        lifetime: Lifetime,
        sessions: SessionTable,
        front_ends: Callable[[], Sequence[Listener]],
        *,
        workers: Workers,
        supervisor_pid: Callable[[], int],
    ) -> None:
        self._lifetime = lifetime
        self._sessions = sessions
        self._front_ends = front_ends
        self._workers = workers
        self._supervisor_pid = supervisor_pid

    def told(self) -> WorkplaceStatus:
        """Return the present state."""
        infos, started_at = self._sessions.infos, self._lifetime.started_at
        return WorkplaceStatus(
            version=__version__,
            python=sys.version.split()[0],
            orchestrator=OrchestratorStatus(pid=os.getpid(), started_at=started_at),
            supervisor=ProcessStatus(pid=self._supervisor_pid()),
            workers=tuple(
                WorkerStatus(name=link.name, pid=link.pid, sessions=len(link.sessions))
                for link in self._workers.links
            ),
            sessions=len(infos),
            front_ends=len(self._front_ends()),
            engines=tuple(sorted({info.engine for info in infos if info.engine})),
            folders=Folders(
                config=str(paths.config_folder()),
                state=str(paths.state_folder()),
                sockets=str(paths.socket_folder()),
                log=str(paths.log_file()),
            ),
            uptime=time.time() - started_at,
        )
