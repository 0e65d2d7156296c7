"""Passes on events of programs (titles, bells, notices, copied text): the newest of each kind."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Final

from nagomi_tui.alerts import calls
from nagomi_tui.api import messages
from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.calling.alerts import Alerts
from nagomi_tui.orchestrator.judging.outcomes import Phases
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.audience import Audience, Client
from nagomi_tui.orchestrator.sessions.folders import FolderWatch
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.sessions.session import Condition
from nagomi_tui.text.rows import ScreenEvent

EVERY_SECONDS: Final = 0.1
_AT_ONCE: Final = 4
_MANY: Final = 8
"""Events in one piece of output up to which each is told."""
_MOVES: Final = frozenset({"command", "cwd"})
"""Events after which a shell may be in another folder (OSC 133 and OSC 7)."""


@dataclass(eq=False)
class ProgramEvents:
    """Tells front ends of programs' events, at a limited rate."""

    audience: Audience
    alarms: Alarms
    phases: Phases
    _: KW_ONLY
    alerts: Alerts
    folders: FolderWatch

    def __post_init__(self) -> None:
        self._unsaid: dict[tuple[str, str], int] = {}

    def heard(self, session: SessionRuntime, events: Sequence[ScreenEvent]) -> None:
        """Handle events of a session's program, in their order."""
        titles = [event.text for event in events if event.kind == "title"]
        if titles and session.change(title=titles[-1]):
            self.audience.publish_soon(session)
        rang = any(event.kind == "bell" for event in events)
        notes = [event for event in events if event.kind == "notify"]
        if rang:
            session.run.called_at = time.time()
        if notes:
            self._note(session, notes[-1])
        if rang or notes:
            self.phases.see_if_in_front(session)
            self.phases.update(session)
        beside = [event for event in events if event.kind != "title"]
        for event, count in newest(beside) if len(beside) > _MANY else ((one, 1) for one in beside):
            self._say_soon(session, event, count)
        if moves := [event for event in events if event.kind in _MOVES]:
            told = [event.text for event in moves if event.kind == "cwd"]
            self.folders.may_have_moved(session.session_id, told[-1] if told else "")

    def _note(self, session: SessionRuntime, event: ScreenEvent) -> None:
        """Keep what a notice says, where sessions are listed and asked about, until it is answered."""
        text = ": ".join(part for part in (event.title, event.text) if part)
        session.run.noticed_at, session.run.notice = time.time(), calls.body(text)
        if session.info.phase is not Condition.ATTENTION and session.change(
            summary=session.run.notice
        ):
            self.audience.publish_soon(session)

    def _say_soon(self, session: SessionRuntime, event: ScreenEvent, count: int) -> None:
        kind = _kind(event)
        key = (session.session_id, kind)
        self._unsaid[key] = self._unsaid.get(key, 0) + count
        say = partial(self._say, session, event, key)
        self.alarms.limit((session, kind), say, every=EVERY_SECONDS, burst=_AT_ONCE)

    def _say(self, session: SessionRuntime, event: ScreenEvent, key: tuple[str, str]) -> None:
        count = self._unsaid.pop(key)
        text, title = event.text, event.title
        if event.kind == "notify":
            text, title = mask(text), mask(title)
            self.alerts.program_says(session, session.run.notice)
        told = messages.Event(
            session=session.session_id, kind=event.kind, text=text, title=title, count=count
        )
        for client in self._listeners(session, event.kind):
            client.send(told)

    def _listeners(self, session: SessionRuntime, kind: str) -> Sequence[Client]:
        """Return who hears of an event: all front ends, or for some only the one with the user."""
        front_ends = self.audience.front_ends()
        if kind == "bell":
            return self._who_may_ring(session, front_ends)
        if kind != "clipboard":
            return front_ends
        typed = [client for client in front_ends if client.number == session.typed_by]
        return typed or [client for client in front_ends if client.focus is session][:1]

    def _who_may_ring(
        self, session: SessionRuntime, front_ends: Sequence[Client]
    ) -> Sequence[Client]:
        """Return whose terminals a bell rings: a program in front may always, others as calls may."""
        near = [
            client
            for client in front_ends
            if client.focus is session or client.looking == session.session_id
        ]
        if len(near) < len(front_ends) and self.alerts.sounding.lets_ring():
            return front_ends
        return near


def newest(events: Sequence[ScreenEvent]) -> list[tuple[ScreenEvent, int]]:
    """Return the newest event of each kind, and how many of it there were; the newest last."""
    found: dict[str, tuple[ScreenEvent, int]] = {}
    for event in events:
        _, count = found.pop(kind := _kind(event), (event, 0))
        found[kind] = (event, count + 1)
    return list(found.values())


def _kind(event: ScreenEvent) -> str:
    """Return the kind of an event; a command's end is another kind than the prompt after it."""
    return event.kind + event.text[:1] if event.kind == "command" else event.kind
