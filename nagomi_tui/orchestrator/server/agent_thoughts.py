"""What the resident agent thinks by itself, shown to the user by the rules of all calls."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from nagomi_tui.api import messages
from nagomi_tui.core.alerts import notices
from nagomi_tui.core.judge.steps.risk import risk_of
from nagomi_tui.core.judge.verdict import NextAction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from nagomi_tui.orchestrator.alerts.alerts import Alerts
    from nagomi_tui.orchestrator.sessions.audience import Audience, Listener
    from nagomi_tui.orchestrator.sessions.roles import Named
    from nagomi_tui.orchestrator.sessions.store import Store

MOST_LINES: Final = 8
"""Most lines that are kept for a user who is away; the newest count."""
MOST_STEPS: Final = 6
"""Most steps that are proposed for one session."""
COMMAND_LENGTH: Final = 500
_DIGEST: Final = "agent_digest"


class AgentThoughts:
    """Calls with the agent's sentence, keeps its digest for the next front end, shows its proposals.

    No command is run: a proposal is a line that the user may choose, with the risk computed here
    from its command. It is kept until the session goes on.
    """

    def __init__(
        self,
        find: Callable[[str], Named | None],
        audience: Audience,
        *,
        alerts: Alerts,
        store: Store,
    ) -> None:
        """`find` returns a session by its id."""
        self._find = find
        self._audience = audience
        self._alerts = alerts
        self._store = store
        self._digest: tuple[str, ...] = ()
        self._proposed: dict[str, messages.Proposed] = {}

    def recall(self) -> None:
        """Load the digest that was stored."""
        self._digest = self._store.fact(_DIGEST, tuple[str, ...]) or ()

    def heard(self, thought: messages.AgentThought) -> None:
        """Handle a thought of the agent."""
        if thought.says:
            self._alerts.agent_says(thought.says)
        if lines := tuple(notices.body(line) for line in thought.digest):
            self._keep((*self._digest, *lines)[-MOST_LINES:])
        for session_id, steps in groupby(
            sorted(thought.steps, key=attrgetter("session")), attrgetter("session")
        ):
            self._propose(session_id, steps)

    def take_digest(self) -> tuple[tuple[str, str], ...]:
        """Return the digest's lines for a welcome, and forget them."""
        told = tuple((line, "agent") for line in self._digest)
        if told:
            self._keep(())
        return told

    def greet(self, client: Listener) -> None:
        """Send a new front end the proposals."""
        for proposed in list(self._proposed.values()):
            session = self._find(proposed.session)
            if session is None or session.info.turn != proposed.turn:
                del self._proposed[proposed.session]
            else:
                client.send(proposed)

    def _keep(self, lines: tuple[str, ...]) -> None:
        self._digest = lines
        self._store.keep_fact(_DIGEST, lines)

    def _propose(self, session_id: str, steps: Iterable[messages.ProposedStep]) -> None:
        session = self._find(session_id)
        actions = tuple(_action(step) for step in steps if _fits(step.command))[:MOST_STEPS]
        if session is not None and actions:
            proposed = messages.Proposed(session=session_id, turn=session.info.turn, steps=actions)
            self._proposed[session_id] = proposed
            self._audience.broadcast(proposed, front_ends=True)


def _fits(command: str) -> bool:
    return command.isprintable() and 0 < len(command.strip()) <= COMMAND_LENGTH


def _action(step: messages.ProposedStep) -> NextAction:
    return NextAction(
        title=notices.body(step.reason), command=step.command, risk=risk_of(step.command)
    )
