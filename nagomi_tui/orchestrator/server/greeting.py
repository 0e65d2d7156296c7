"""Welcomes clients, and tells all parts of front ends that come or leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nagomi_tui.api import messages

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.server.absence import Absence
    from nagomi_tui.orchestrator.server.agent import ResidentAgent
    from nagomi_tui.orchestrator.server.agent_thoughts import AgentThoughts
    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.server.origin import ClientOrigin
    from nagomi_tui.orchestrator.server.welcome import WelcomeMaker
    from nagomi_tui.orchestrator.sessions.audience import Audience, Listener


class Attendance(Protocol):
    """A part that follows which front ends are attached."""

    def arrived(self, client: Listener) -> None:
        """Note a front end that came."""

    def left(self, client: Listener) -> None:
        """Note a front end that has gone."""


class Greeting:
    """Answers hellos, and notes clients that leave."""

    def __init__(
        self,
        welcome: WelcomeMaker,
        audience: Audience,
        absence: Absence,
        *,
        origin: ClientOrigin,
        alerts: Attendance,
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
