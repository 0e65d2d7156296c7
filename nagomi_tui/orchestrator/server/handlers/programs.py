"""Messages in which a program says what it is or does; none of them is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.server.handlers.table import UnansweredGroup

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.guard.unapproved import Unapproved
    from nagomi_tui.orchestrator.guard.watch import GuardWatch
    from nagomi_tui.orchestrator.judging.hooks import Hooks
    from nagomi_tui.orchestrator.server.agent import AgentThoughts, ResidentAgent
    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.server.greeting import Greeting
    from nagomi_tui.orchestrator.server.handlers.table import UnansweredHandlers


class ProgramMessages(UnansweredGroup):
    """Hears clients that come, the hooks of agents in sessions, and the resident agent."""

    def __init__(
        self,
        greeting: Greeting,
        hooks: Hooks,
        guard: GuardWatch,
        *,
        unapproved: Unapproved,
        agent: ResidentAgent,
        thoughts: AgentThoughts,
    ) -> None:
        self._greeting = greeting
        self._hooks = hooks
        self._guard = guard
        self._unapproved = unapproved
        self._agent = agent
        self._thoughts = thoughts

    def hello(self, client: Client, message: messages.Hello) -> None:
        """Welcome a client."""
        self._greeting.greet(client, message)

    def hook(self, client: Client, message: messages.Hook) -> None:
        """Take in the event of an agent's hook."""
        self._hooks.heard(message)
        self._guard.ask()
        self._unapproved.heard(message)

    def agent_told(self, client: Client, message: messages.AgentTold) -> None:
        """Note how the resident agent stands."""
        self._agent.told(client, message)

    def agent_thought(self, client: Client, message: messages.AgentThought) -> None:
        """Pass on what the resident agent thought."""
        self._thoughts.heard(message)

    HANDLERS: ClassVar[UnansweredHandlers] = {
        messages.Hello: hello,
        messages.Hook: hook,
        messages.AgentTold: agent_told,
        messages.AgentThought: agent_thought,
    }
