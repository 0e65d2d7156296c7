"""`python -m nagomi_tui.agent.resident`: the agent's process, started by the supervisor."""

from __future__ import annotations

import logging
import sys
from typing import Final

import anyio

from nagomi_tui.system import loading, paths
from nagomi_worker.runtime.files import Busy, FileLock

_LOCK_PATIENCE: Final = 5.0


def main() -> int:
    """Serve until the workplace is closed or the supervisor ends; 1 if another agent serves."""
    with loading.kept():
        from nagomi_tui.agent.resident.process import AgentProcess, Lifeline, keep_log
    keep_log()
    lock = FileLock(paths.make_private(paths.state_folder()) / "agent.lock")
    try:
        lock.take(patience=_LOCK_PATIENCE)
    except Busy:
        return 1
    except OSError as exc:
        logging.getLogger(__name__).error("the lock cannot be taken: %s", exc)
        return 1
    anyio.run(AgentProcess(Lifeline()).run)
    return 0


if __name__ == "__main__":
    sys.exit(main())
