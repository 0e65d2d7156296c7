"""Events of agents' hooks in sessions: evidence for the judge, and the agent's conversation."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from nagomi_tui.core.agents.events import as_read
from nagomi_tui.core.agents.registry import AGENTS
from nagomi_tui.core.session.conversation import agent_of
from nagomi_tui.core.session.conversation import heard as after

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.judging.judges import Judges
    from nagomi_tui.orchestrator.sessions.git import Branch
    from nagomi_tui.orchestrator.sessions.roles import Listed
    from nagomi_tui.orchestrator.sessions.table import SessionTable


class Hooks:
    """Finds the session of an event, and passes it to that session's judge."""

    def __init__(
        self, sessions: SessionTable, keep: Callable[[Listed], None], judges: Judges
    ) -> None:
        """`keep` keeps a session's record as it is now."""
        self._sessions = sessions
        self._keep = keep
        self._judges = judges

    def heard(self, event: messages.Hook) -> None:
        """Handle an event of the agent in a session."""
        service = _is_service(event.pid)
        session_id = _served(self._sessions, event) if service else event.session
        session = self._sessions.get(session_id)
        if (
            session is None
            or not session.running
            or (not service and _is_of_another(session.run.agent_pid, event.pid))
        ):
            return
        payload = as_read(event.agent, event.payload)
        if not service:
            ended = payload.get("hook_event_name") == "SessionEnd"
            if ended or event.pid != session.run.agent_pid or not session.run.agent_folder:
                session.run.agent_folder = "" if ended else _guarded_folder(event)
            session.run.agent_pid = 0 if ended else max(0, event.pid)
        conversation = after(session.conversation, event.agent, payload)
        if conversation != session.conversation:
            session.conversation = conversation
            self._keep(session)
        self._judges.hook(session, payload, event.at)


def _guarded_folder(event: messages.Hook) -> str:
    """Return the folder that an event tells of; empty if the agent has no guard."""
    agent, folder = AGENTS.get(event.agent), event.payload.get("cwd")
    known = agent is not None and agent.guarded is not None
    return folder if known and isinstance(folder, str) and os.path.isabs(folder) else ""


def _is_of_another(agent_pid: int, pid: int) -> bool:
    """Return whether the event comes from an agent that another one runs as a tool, and is ignored."""
    if pid <= 0 or not agent_pid or pid == agent_pid:
        return False
    try:
        state = psutil.Process(agent_pid).status()
    except psutil.Error:
        return False
    return state not in (psutil.STATUS_ZOMBIE, psutil.STATUS_STOPPED, psutil.STATUS_DEAD)


def _is_service(pid: int) -> bool:
    """Return whether the agent has no terminal.

    Codex works in a service that all its sessions share. Its hooks run there, with the
    environment of whichever session started the service.
    """
    if sys.platform != "linux" or pid <= 0:
        return False
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[4] == "0"


def _served(sessions: SessionTable, event: messages.Hook) -> str:
    """Return the id of the session that a service speaks of, or "" if several can be meant, or none."""
    told, cwd = event.payload.get("session_id"), str(event.payload.get("cwd", ""))
    running = [
        session
        for session in sessions.all
        if session.running and session.info.is_local and agent_of(session.info.cmd) == event.agent
    ]
    known = [
        session for session in running if session.conversation and session.conversation.id == told
    ]
    there = [
        session
        for session in running
        if os.path.normpath(cwd) in _folders(session.info.cwd, session.branch)
    ]
    for found in (known, there):
        if found:
            return found[0].session_id if len(found) == 1 else ""
    return ""


def _folders(cwd: str, branch: Branch | None) -> set[str]:
    """Return the known paths of a session's folder, without reading the disk."""
    real = branch.real if branch is not None else cwd
    return {os.path.normpath(cwd), os.path.normpath(real)}
