"""Events of agents' hooks in sessions: evidence for the judge, and the agent's conversation."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from typing import Final

import msgspec
import psutil

from nagomi_tui.agents.registry import AGENTS, as_read
from nagomi_tui.agents.resume import agent_of
from nagomi_tui.agents.resume import heard as after
from nagomi_tui.api import messages
from nagomi_tui.event import reduced
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.sessions.session import Branch, SessionRuntime
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_worker.runtime.proc import is_service
from nagomi_worker.wire import protocol
from nagomi_worker.wire.messages import EVENT_BYTES

_LONGEST_NAME: Final = 60
_LONGEST_AGO: Final = 3600.0
"""Seconds that an event of a far side can be old at most; its clock is not asked."""


class Hooks:
    """Finds the session of an event, and passes it to that session's judge."""

    def __init__(
        self, sessions: SessionTable, keep: Callable[[SessionRuntime], None], judges: Judges
    ) -> None:
        """`keep` keeps a session's record as it is now."""
        self._sessions = sessions
        self._keep = keep
        self._judges = judges

    def heard(self, event: messages.Hook) -> None:
        """Handle an event of the agent in a session of this machine.

        Codex works in a service that all its sessions share. Its hooks run there, with the
        environment of whichever session started the service.
        """
        service = is_service(event.pid)
        here = [session for session in self._sessions.all if session.info.is_local]
        session = _served(here, event) if service else self._sessions.get(event.session)
        if session is not None and session.info.is_local:
            self._take(session, event, service=service, runs=_runs)

    def heard_there(self, session: SessionRuntime, message: protocol.Hook) -> None:
        """Handle an event that a worker on a hand tells of one of the sessions that it holds.

        Nothing of it is believed but that: it is cut to what is read, and names no other session.
        """
        event = _told_there(session.session_id, message)
        if event is None or session.info.is_local:
            return
        there = [one for one in self._sessions.all if one.run.link is session.run.link]
        found = _served(there, event) if message.service else session
        if found is not None:
            runs = message.alive.__contains__
            self._take(found, event, service=message.service, runs=runs)

    def _take(
        self,
        session: SessionRuntime,
        event: messages.Hook,
        *,
        service: bool,
        runs: Callable[[int], bool],
    ) -> None:
        """Take in an event of a session's agent; `runs` tells whether a process of its host does."""
        run = session.run
        if not session.running:
            return
        # An agent that another one runs as a tool is ignored.
        another = not service and event.pid > 0 and run.agent_pid not in (0, event.pid)
        if another and runs(run.agent_pid):
            return
        payload = as_read(event.agent, event.payload)
        if not service:
            ended = payload.get("hook_event_name") == "SessionEnd"
            if ended or event.pid != run.agent_pid or not run.agent_folder:
                guarded = not ended and session.info.is_local
                run.agent_folder = _guarded_folder(event) if guarded else ""
            run.agent_pid = 0 if ended else max(0, event.pid)
            if ended or isinstance(event.payload.get("guard"), dict):
                run.heard = not ended
        conversation = after(session.conversation, event.agent, payload)
        if conversation != session.conversation:
            session.conversation = conversation
            self._keep(session)
        self._judges.hook(session, payload, event.at)


def _told_there(session_id: str, message: protocol.Hook) -> messages.Hook | None:
    """Return the event that a far side tells of, within bounds; None if it is none."""
    if len(message.event) > EVENT_BYTES:
        return None
    try:
        event = messages.decode_from_client(message.event.encode())
    except (messages.BadMessage, UnicodeEncodeError):
        return None
    if not isinstance(event, messages.Hook):
        return None
    ago = min(max(0.0, message.age / 1000), _LONGEST_AGO)
    return msgspec.structs.replace(
        event,
        session=session_id,
        agent=event.agent[:_LONGEST_NAME],
        payload=reduced(event.payload),
        at=time.time() - ago,
    )


def _guarded_folder(event: messages.Hook) -> str:
    """Return the folder that an event tells of; empty if the agent has no guard."""
    agent, folder = AGENTS.get(event.agent), event.payload.get("cwd")
    known = agent is not None and agent.guarded is not None
    return folder if known and isinstance(folder, str) and os.path.isabs(folder) else ""


def _runs(pid: int) -> bool:
    """Return whether a process of this machine runs, and was not stopped."""
    try:
        state = psutil.Process(pid).status()
    except psutil.Error:
        return False
    return state not in (psutil.STATUS_ZOMBIE, psutil.STATUS_STOPPED, psutil.STATUS_DEAD)


def _served(sessions: Iterable[SessionRuntime], event: messages.Hook) -> SessionRuntime | None:
    """Return the session that a service speaks of, or None if several can be meant, or none."""
    told, cwd = event.payload.get("session_id"), str(event.payload.get("cwd", ""))
    running = [
        session
        for session in sessions
        if session.running and agent_of(session.info.cmd) == event.agent
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
            return found[0] if len(found) == 1 else None
    return None


def _folders(cwd: str, branch: Branch | None) -> set[str]:
    """Return the known paths of a session's folder, without reading the disk."""
    real = branch.real if branch is not None else cwd
    return {os.path.normpath(cwd), os.path.normpath(real)}
