"""The processes that tell of agents' events: which of them still run, and which have no terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import psutil

_MOST: Final = 8
"""Most agents that are remembered of one session."""
_NOT_ALIVE: Final = ("zombie", "stopped", "dead")


class Agents:
    """Remembers the agents of each session, by what programs say: their word is nobody's proof."""

    def __init__(self) -> None:
        self._known: dict[str, dict[int, psutil.Process]] = {}

    def alive(self, session_id: str, pid: int) -> tuple[int, ...]:
        """Return those of a session's agents that still run, before `pid` tells of an event."""
        known = self._known.setdefault(session_id, {})
        found = tuple(one for one, process in known.items() if _lives(process))
        if pid > 0 and pid not in found:
            try:
                known[pid] = psutil.Process(pid)
            except (psutil.Error, OverflowError):
                known.pop(pid, None)
            while len(known) > _MOST:
                del known[next(iter(known))]
        return found

    def is_service(self, pid: int) -> bool:
        """Tell whether a process has no terminal, as a service that several sessions share.

        Word 5 of /proc's `stat` behind the name is the terminal's number.
        """
        if sys.platform != "linux" or pid <= 0:
            return False
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return False
        return len(fields) > 4 and fields[4] == "0"

    def forget(self, session_id: str) -> None:
        """Forget a session's agents."""
        self._known.pop(session_id, None)


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() not in _NOT_ALIVE
    except psutil.Error:
        return False
