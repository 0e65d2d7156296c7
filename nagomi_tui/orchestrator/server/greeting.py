"""Welcomes clients, and sees to it that all parts hear of a front end that comes or leaves."""

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
    """Who follows which front ends there are."""

    def arrived(self, client: Listener) -> None:
        """A front end came."""

    def left(self, client: Listener) -> None:
        """A front end has gone."""


class Greeting:
    """Takes in who has come and from where, and notes who leaves."""

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
        """Go on from a life before."""
        self._absence.recall()
        self._thoughts.recall()

    def greet(self, client: Client, hello: messages.Hello) -> None:
        """Answer a client's hello with all that is to be known at first."""
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
        """A client has gone."""
        self._agent.left(client)
        if not client.is_front_end:
            return
        self._alerts.left(client)
        if not self._audience.front_ends():
            self._absence.begin()
