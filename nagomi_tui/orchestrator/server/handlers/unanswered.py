"""Messages that are not answered: what is typed, shown and looked at, and what hooks tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from nagomi_tui.api import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.orchestrator.alerts.alerts import Alerts
    from nagomi_tui.orchestrator.guard.watch import GuardWatch
    from nagomi_tui.orchestrator.input.sender import InputSender
    from nagomi_tui.orchestrator.judging.hooks import Hooks
    from nagomi_tui.orchestrator.server.agent import ResidentAgent
    from nagomi_tui.orchestrator.server.agent_thoughts import AgentThoughts
    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.server.greeting import Greeting
    from nagomi_tui.orchestrator.sessions.table import SessionTable
    from nagomi_tui.orchestrator.views.showing import Showing


class UnansweredMessages:
    """Carries them out at once; a session that is gone meanwhile is nobody's fault."""

    def __init__(
        self,
        sessions: SessionTable,
        *,
        greeting: Greeting,
        showing: Showing,
        sender: InputSender,
        hooks: Hooks,
        guard: GuardWatch,
        alerts: Alerts,
        agent: ResidentAgent,
        thoughts: AgentThoughts,
    ) -> None:
        self._sessions = sessions
        self._greeting = greeting
        self._showing = showing
        self._sender = sender
        self._hooks = hooks
        self._guard = guard
        self._alerts = alerts
        self._agent = agent
        self._thoughts = thoughts

    def take(self, client: Client, message: messages.Message) -> None:
        """Carry out a message that is no request."""
        self.HANDLERS[type(message)](self, client, message)

    def hello(self, client: Client, message: messages.Hello) -> None:
        """Welcome a client."""
        self._greeting.greet(client, message)

    def type_text(self, client: Client, message: messages.TypeText) -> None:
        """Send text as it is."""
        if session := self._sessions.get(message.session):
            self._showing.typed(client, session)
            self._sender.type_text(client.requester, session, message.text)

    def press(self, client: Client, message: messages.Press) -> None:
        """Send a key."""
        if session := self._sessions.get(message.session):
            self._showing.typed(client, session)
            self._sender.press(client.requester, session, message)

    def paste(self, client: Client, message: messages.Paste) -> None:
        """Send pasted text."""
        if session := self._sessions.get(message.session):
            self._showing.typed(client, session)
            self._sender.paste(client.requester, session, message.text)

    def point(self, client: Client, message: messages.Point) -> None:
        """Send the mouse."""
        if session := self._sessions.get(message.session):
            self._sender.point(session, message)

    def focus(self, client: Client, message: messages.Focus) -> None:
        """Give the client's keys to a session, or to none."""
        self._showing.focus(client, self._sessions.get(message.session))

    def view(self, client: Client, message: messages.View) -> None:
        """Show a session."""
        if session := self._sessions.get(message.session):
            self._showing.view(client, session, message)

    def unview(self, client: Client, message: messages.Unview) -> None:
        """End a view."""
        self._showing.unview(client, message.view)

    def taken(self, client: Client, message: messages.Taken) -> None:
        """A frame was shown."""
        self._showing.taken(client, message)

    def seen(self, client: Client, message: messages.Seen) -> None:
        """The user has looked at a session."""
        if session := self._sessions.get(message.session):
            self._showing.seen(session)

    def looking(self, client: Client, message: messages.Looking) -> None:
        """The user looks at a session, or away."""
        client.looking, client.looking_told = message.session, message.told
        self._alerts.notifying.seen(message.session)

    def hook(self, client: Client, message: messages.Hook) -> None:
        """An agent's hook tells something."""
        self._hooks.heard(message)
        self._guard.ask()

    def agent_told(self, client: Client, message: messages.AgentTold) -> None:
        """The resident agent says how it stands."""
        self._agent.told(client, message)

    def agent_thought(self, client: Client, message: messages.AgentThought) -> None:
        """The resident agent says what it thought."""
        self._thoughts.heard(message)

    HANDLERS: ClassVar[Mapping[type[messages.Message], Callable[[Any, Any, Any], None]]] = {
        messages.Hello: hello,
        messages.TypeText: type_text,
        messages.Press: press,
        messages.Paste: paste,
        messages.Point: point,
        messages.Focus: focus,
        messages.View: view,
        messages.Unview: unview,
        messages.Taken: taken,
        messages.Seen: seen,
        messages.Looking: looking,
        messages.Hook: hook,
        messages.AgentTold: agent_told,
        messages.AgentThought: agent_thought,
    }
