"""Answers a client's hello: what it is welcomed with, and the digest for a front end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

import msgspec

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.calling.alerts import Alerts
from nagomi_tui.orchestrator.lifecycle.creating import Creating
from nagomi_tui.orchestrator.lifecycle.environment import Surroundings
from nagomi_tui.orchestrator.runtime.timers import Clock
from nagomi_tui.orchestrator.server.agent import ResidentAgent
from nagomi_tui.orchestrator.sessions.audience import Audience, Client
from nagomi_tui.orchestrator.sessions.screens import ScreenMaker
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.sessions.order import digest
from nagomi_tui.settings.model import Settings


@dataclass(eq=False)
class Greeting:
    """Answers hellos, and notes clients that leave.

    When the last front end left is remembered across lives of the orchestrator. Sessions follow the
    terminal from which the user came last.
    """

    settings: Callable[[], Settings]
    sessions: SessionTable
    audience: Audience
    _: KW_ONLY
    creating: Creating
    store: Store
    surroundings: Surroundings
    screens: ScreenMaker
    alerts: Alerts
    agent: ResidentAgent
    clock: Clock = time

    def __post_init__(self) -> None:
        self._left_at: float | None = None
        """When the last front end left, in seconds since the epoch; None if none ever did."""

    def recall(self) -> None:
        """Load what was stored of absence and digest."""
        self._left_at = self.store.fact("left_at", float)
        self.creating.recall()
        self.agent.recall()

    def greet(self, client: Client, hello: messages.Hello) -> None:
        """Answer a client's hello with a welcome, and a front end's also with what it missed."""
        client.greet(hello, language=self.settings().language)
        self.surroundings.refresh(hello.env, front_end=hello.front_end)
        if hello.front_end and hello.foreground >= 0 <= hello.background:
            self.recolor(hello.foreground, hello.background)
        client.send(self._welcome(front_end=hello.front_end))
        if hello.front_end:
            self.alerts.arrived(client)
            if self.agent.stands != messages.Agent():
                client.send(self.agent.stands)
            self.agent.greet(client)
            for said in self.audience.take_untold():
                client.tell("info" if said.code == "refused" else "error", said)

    def left(self, client: Client) -> None:
        """Note a client that has gone."""
        self.agent.left(client)
        if not client.is_front_end:
            return
        self.alerts.left(client)
        if not self.audience.front_ends():
            self._left_at = self.clock.time()
            self.store.keep_fact("left_at", self._left_at)

    def recolor(self, foreground: int, background: int) -> None:
        """Answer queries for the colours with these, each `0xRRGGBB`, in all sessions.

        Programs that asked to be told of a change between dark and light (mode 2031) are told.
        """
        self.screens.colors = (foreground, background)
        for session in self.sessions.all:
            if (screen := session.run.screen) is not None:
                report = screen.set_colors(foreground, background)
                if report and session.run.replay is None:
                    session.reply(report)

    def _welcome(self, *, front_end: bool) -> messages.Welcome:
        """Return the message; what happened meanwhile is told to a front end only, and once."""
        infos = self.sessions.infos
        missed: tuple[tuple[str, str], ...] = ()
        if front_end:
            missed = (*digest(infos, since=self._left_at), *self.agent.take_digest())
        return messages.Welcome(
            version=__version__,
            pid=os.getpid(),
            sessions=infos,
            settings=msgspec.to_builtins(self.settings()),
            recent=self.creating.recent,
            digest=missed,
            protocol=messages.PROTOCOL,
            capabilities=messages.FROM_CLIENT,
        )
