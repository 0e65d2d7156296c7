"""Welcomes clients, and tells front ends what happened while nobody was there."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import msgspec

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.core.session.digest import digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.core.session.session import Session
    from nagomi_tui.orchestrator.alerts.alerts import Alerts
    from nagomi_tui.orchestrator.lifecycle.environment import Surroundings
    from nagomi_tui.orchestrator.lifecycle.recent import RecentCommands
    from nagomi_tui.orchestrator.server.agent import ResidentAgent
    from nagomi_tui.orchestrator.server.agent_thoughts import AgentThoughts
    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.sessions.audience import Audience
    from nagomi_tui.orchestrator.sessions.store import Store
    from nagomi_tui.orchestrator.sessions.table import SessionTable
    from nagomi_tui.orchestrator.terminals.screens import ScreenMaker
    from nagomi_tui.settings.model import Settings


class Greeting:
    """Takes in who has come and from where, and remembers when the last front end left."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        audience: Audience,
        sessions: SessionTable,
        *,
        surroundings: Surroundings,
        screens: ScreenMaker,
        recent: RecentCommands,
        alerts: Alerts,
        agent: ResidentAgent,
        thoughts: AgentThoughts,
        store: Store,
    ) -> None:
        self._settings = settings
        self._audience = audience
        self._sessions = sessions
        self._surroundings = surroundings
        self._screens = screens
        self._recent = recent
        self._alerts = alerts
        self._agent = agent
        self._thoughts = thoughts
        self._store = store
        self._left_at: float | None = None
        """When the last front end left."""

    def recall(self) -> None:
        """Go on from a life before."""
        self._left_at = self._store.fact("left_at", float)
        self._thoughts.recall()

    def greet(self, client: Client, hello: messages.Hello) -> None:
        """Answer a client's hello with all that is to be known at first."""
        client.greet(hello, language=self._settings().language)
        self._surroundings.refresh(hello.env, front_end=hello.front_end)
        if hello.front_end and hello.foreground >= 0 <= hello.background:
            self._recolor(hello.foreground, hello.background)
        infos = self._sessions.infos
        client.send(
            messages.Welcome(
                version=__version__,
                pid=os.getpid(),
                sessions=infos,
                settings=msgspec.to_builtins(self._settings()),
                recent=self._recent.commands,
                digest=self._digest(infos) if hello.front_end else (),
                protocol=messages.PROTOCOL,
                capabilities=messages.FROM_CLIENT,
            )
        )
        if hello.front_end:
            self._alerts.arrived(client)
            if self._agent.stands != messages.Agent():
                client.send(self._agent.stands)
            self._thoughts.greet(client)
            for said in self._audience.take_untold():
                client.tell("info" if said.code == "refused" else "error", said)

    def _digest(self, infos: tuple[Session, ...]) -> tuple[tuple[str, str], ...]:
        return (*digest(infos, since=self._left_at), *self._thoughts.take_digest())

    def left(self, client: Client) -> None:
        """A client has gone."""
        self._agent.left(client)
        if not client.is_front_end:
            return
        self._alerts.left(client)
        if not self._audience.front_ends():
            self._left_at = time.time()
            self._store.keep_fact("left_at", self._left_at)

    def _recolor(self, foreground: int, background: int) -> None:
        self._screens.colors = (foreground, background)
        for session in self._sessions.all:
            if session.run.screen is not None:
                session.run.screen.set_colors(foreground, background)
