"""Answers a client's hello: what it is welcomed with, and the digest for a front end."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import msgspec

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.sessions.order import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nagomi_tui.orchestrator.alerts.alerts import Alerts
    from nagomi_tui.orchestrator.lifecycle.creating import RecentCommands
    from nagomi_tui.orchestrator.lifecycle.environment import Surroundings
    from nagomi_tui.orchestrator.runtime.timers import Clock
    from nagomi_tui.orchestrator.server.agent import AgentThoughts, ResidentAgent
    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.sessions.audience import Audience
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.sessions.store import Store
    from nagomi_tui.orchestrator.terminals.screens import ScreenMaker
    from nagomi_tui.sessions.session import Session
    from nagomi_tui.settings.model import Settings


class Greeting:
    """Answers hellos, and notes clients that leave."""

    def __init__(
        self,
        welcome: WelcomeMaker,
        audience: Audience,
        absence: Absence,
        *,
        origin: ClientOrigin,
        alerts: Alerts,
        agent: ResidentAgent,
        thoughts: AgentThoughts,
    ) -> None:
        self._welcome = welcome
        self._audience = audience
        self._absence = absence
        self._origin = origin
        self._alerts = alerts
        self._agent = agent
        self._thoughts = thoughts

    def recall(self) -> None:
        """Load what was stored of absence and digest."""
        self._absence.recall()
        self._thoughts.recall()

    def greet(self, client: Client, hello: messages.Hello) -> None:
        """Answer a client's hello with a welcome, and a front end's also with what it missed."""
        client.greet(hello, language=self._welcome.language)
        self._origin.take(hello)
        client.send(self._welcome.make(front_end=hello.front_end))
        if hello.front_end:
            self._alerts.arrived(client)
            if self._agent.stands != messages.Agent():
                client.send(self._agent.stands)
            self._thoughts.greet(client)
            for said in self._audience.take_untold():
                client.tell("info" if said.code == "refused" else "error", said)

    def left(self, client: Client) -> None:
        """Note a client that has gone."""
        self._agent.left(client)
        if not client.is_front_end:
            return
        self._alerts.left(client)
        if not self._audience.front_ends():
            self._absence.begin()


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


class Absence:
    """Remembers when the last front end left, across lives of the orchestrator."""

    def __init__(self, store: Store, agent: AgentThoughts, *, clock: Clock = time) -> None:
        self._store = store
        self._agent = agent
        self._clock = clock
        self._began: float | None = None
        """When the last front end left, in seconds since the epoch; None if none ever did."""

    def recall(self) -> None:
        """Load the time that was stored."""
        self._began = self._store.fact("left_at", float)

    def begin(self) -> None:
        """Note that the last front end leaves now."""
        self._began = self._clock.time()
        self._store.keep_fact("left_at", self._began)

    def digest(self, sessions: tuple[Session, ...]) -> tuple[tuple[str, str], ...]:
        """Return what became of sessions since, and what the resident agent says of it."""
        return (*digest(sessions, since=self._began), *self._agent.take_digest())


class ClientOrigin:
    """Has sessions follow the terminal from which the user came last."""

    def __init__(
        self,
        surroundings: Surroundings,
        screens: ScreenMaker,
        sessions: Callable[[], Sequence[SessionRuntime]],
    ) -> None:
        self._surroundings = surroundings
        self._screens = screens
        self._sessions = sessions

    def take(self, hello: messages.Hello) -> None:
        """Take over the environment, and of a front end the colours where it knows them."""
        self._surroundings.refresh(hello.env, front_end=hello.front_end)
        if hello.front_end and hello.foreground >= 0 <= hello.background:
            self.recolor(hello.foreground, hello.background)

    def recolor(self, foreground: int, background: int) -> None:
        """Answer queries for the colours with these, each `0xRRGGBB`, in all sessions.

        Programs that asked to be told of a change between dark and light (mode 2031) are told.
        """
        self._screens.colors = (foreground, background)
        for session in self._sessions():
            if (screen := session.run.screen) is not None:
                report = screen.set_colors(foreground, background)
                if report and session.run.replay is None:
                    session.reply(report, session.run.offset)
