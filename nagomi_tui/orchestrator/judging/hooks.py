"""What the hooks of the agents in our sessions tell: evidence, and which conversation it is."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from nagomi_tui.core.session.conversation import agent_of
from nagomi_tui.core.session.conversation import heard as after

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.judging.judges import Judges
    from nagomi_tui.orchestrator.sessions.publisher import Publisher
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.sessions.table import SessionTable


class Hooks:
    """Finds the session that an event is of, and takes it in there."""

    def __init__(self, sessions: SessionTable, publisher: Publisher, judges: Judges) -> None:
        self._sessions = sessions
        self._publisher = publisher
        self._judges = judges

    def heard(self, event: messages.Hook) -> None:
        """Take in an event of the agent in a session."""
        service = _is_service(event.pid)
        sessions = self._sessions.all
        session = _served(sessions, event) if service else self._sessions.get(event.session)
        if (
            session is None
            or not session.running
            or (not service and _is_of_another(session, event.pid))
        ):
            return
        if not service:
            ended = event.payload.get("hook_event_name") == "SessionEnd"
            session.run.agent_pid = 0 if ended else max(0, event.pid)
        conversation = after(session.conversation, event.agent, event.payload)
        if conversation != session.conversation:
            session.conversation = conversation
            self._publisher.keep(session)
        self._judges.hook(session, event.payload, event.at)


def _is_of_another(session: SessionRuntime, pid: int) -> bool:
    """Tell whether an agent that another one runs as its tool speaks; only the outer one counts."""
    run = session.run
    if pid <= 0 or not run.agent_pid or pid == run.agent_pid:
        return False
    try:
        state = psutil.Process(run.agent_pid).status()
    except psutil.Error:
        return False
    return state not in (psutil.STATUS_ZOMBIE, psutil.STATUS_STOPPED, psutil.STATUS_DEAD)


def _is_service(pid: int) -> bool:
    """Tell whether the agent has no terminal.

    Codex leaves its work to a service that all its sessions share. Its hooks run there, with the
    environment of whichever session had started it.
    """
    if sys.platform != "linux" or pid <= 0:
        return False
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[4] == "0"


def _served(sessions: Sequence[SessionRuntime], event: messages.Hook) -> SessionRuntime | None:
    """Return the session that a service speaks of, where only one can be meant."""
    told, cwd = event.payload.get("session_id"), str(event.payload.get("cwd", ""))
    running = [
        session
        for session in sessions
        if session.running and agent_of(session.info.cmd) == event.agent
    ]
    known = [
        session for session in running if session.conversation and session.conversation.id == told
    ]
    there = [session for session in running if os.path.normpath(cwd) in _folders(session)]
    for found in (known, there):
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _folders(session: SessionRuntime) -> set[str]:
    """Return the names that a session's folder has, without looking at the disk."""
    real = session.branch.real if session.branch is not None else session.info.cwd
    return {os.path.normpath(session.info.cwd), os.path.normpath(real)}
