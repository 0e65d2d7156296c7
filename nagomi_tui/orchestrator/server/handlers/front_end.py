"""Handles messages that are not answered: what front ends type and look at, and what programs say of themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.calling.alerts import Alerts
from nagomi_tui.orchestrator.guard.gate import refused
from nagomi_tui.orchestrator.guard.guards import Guards
from nagomi_tui.orchestrator.history.searching import LastLines
from nagomi_tui.orchestrator.input.sender import InputSender
from nagomi_tui.orchestrator.judging.hooks import Hooks
from nagomi_tui.orchestrator.server.agent import ResidentAgent
from nagomi_tui.orchestrator.server.dispatch import Group
from nagomi_tui.orchestrator.server.greeting import Greeting
from nagomi_tui.orchestrator.server.reminders import Reminders
from nagomi_tui.orchestrator.sessions.audience import Client
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.views.showing import Showing


@dataclass(eq=False)
class ClientMessages(Group):
    """Sends input to sessions, shows them, and hears clients that come, hooks, and the resident agent.

    A session takes the size of the view that is typed into.

    `find` returns a session by its id.
    """

    find: Callable[[str], SessionRuntime | None]
    showing: Showing
    _: KW_ONLY
    sender: InputSender
    last_lines: LastLines
    alerts: Alerts
    greeting: Greeting
    hooks: Hooks
    guards: Guards
    agent: ResidentAgent
    reminders: Reminders

    def type_text(self, client: Client, message: messages.TypeText) -> None:
        if session := self._typable(client, message.session):
            self.showing.typed(client, session)
            send = partial(self.sender.type_text, client.requester, session, message.text)
            self.sender.early.call(session, send)

    def press(self, client: Client, message: messages.Press) -> None:
        """Send a key."""
        if session := self._typable(client, message.session):
            self.showing.typed(client, session)
            press = partial(
                self.sender.press,
                client.requester,
                session,
                message.key,
                mods=message.mods,
                text=message.text,
                action=message.action,
                base=message.base,
            )
            self.sender.early.call(session, press)

    def paste(self, client: Client, message: messages.Paste) -> None:
        """Send pasted text."""
        if session := self._typable(client, message.session):
            self.showing.typed(client, session)
            paste = partial(self.sender.paste, client.requester, session, message.text)
            self.sender.early.call(session, paste)

    def point(self, client: Client, message: messages.Point) -> None:
        """Send what the mouse does."""
        if session := self._typable(client, message.session):
            if message.action == "press":
                self.showing.typed(client, session)
            at = (message.x, message.y)
            self.sender.point(
                session, at, button=message.button, action=message.action, mods=message.mods
            )

    def composing(self, client: Client, message: messages.Composing) -> None:
        """The user writes something for a session."""
        if session := self._typable(client, message.session):
            self.sender.composing(session)

    def _typable(self, client: Client, session_id: str) -> SessionRuntime | None:
        """Return a session that this client's input may go to; it hears once why it does not."""
        session = self.find(session_id)
        if session is None or self.guards.gate.takes_keys(client, session):
            return session
        if not client.told_of_guard:
            client.told_of_guard = True
            client.tell("error", refused(session))
        return None

    # --- what it looks at

    def focus(self, client: Client, message: messages.Focus) -> None:
        """Give the client's keys to a session, or to none."""
        self.showing.focus(client, self.find(message.session))

    def view(self, client: Client, message: messages.View) -> None:
        """Show a session."""
        if session := self.find(message.session):
            self.showing.view(client, session, message)
            self.last_lines.want(session)

    def unview(self, client: Client, message: messages.Unview) -> None:
        """End a view."""
        self.showing.unview(client, message.view)

    def taken(self, client: Client, message: messages.Taken) -> None:
        """A frame was shown."""
        self.showing.taken(client, message)

    def seen(self, client: Client, message: messages.Seen) -> None:
        """The user has looked at a session."""
        if session := self.find(message.session):
            self.showing.seen(session)

    def looking(self, client: Client, message: messages.Looking) -> None:
        """The user looks at a session, which is seen by that, or away."""
        client.looking, client.looking_told = message.session, message.told
        if session := self.find(message.session):
            self.showing.seen(session)
        self.alerts.notifying.seen(message.session)

    def used(self, client: Client, message: messages.Used) -> None:
        """The user has done something in this front end."""
        self.showing.used(client)

    def colors(self, client: Client, message: messages.Colors) -> None:
        """The terminal has other colours, by day and night for one."""
        self.greeting.recolor(message.foreground, message.background)

    # --- what programs say of themselves

    def hello(self, client: Client, message: messages.Hello) -> None:
        """Welcome a client."""
        self.greeting.greet(client, message)

    def hook(self, client: Client, message: messages.Hook) -> None:
        """Take in the event of an agent's hook."""
        self.hooks.heard(message)
        self.guards.heard(message)

    def agent_told(self, client: Client, message: messages.AgentTold) -> None:
        """Note how the resident agent stands."""
        self.agent.told(client, message)
        self.reminders.agent_is_there(client)

    def agent_thought(self, client: Client, message: messages.AgentThought) -> None:
        """Pass on what the resident agent thought."""
        self.agent.thought(message)

    def reminder_written(self, client: Client, message: messages.ReminderWritten) -> None:
        """Note that the resident agent has a reminder in its conversation."""
        self.reminders.written(message.number)
