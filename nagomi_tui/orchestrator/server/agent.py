"""The resident agent as a client of the orchestrator: its reports, its thoughts, its start."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from itertools import groupby
from operator import attrgetter
from typing import Final

import anyio
from msgspec.structs import asdict

from nagomi_tui.alerts import calls
from nagomi_tui.api import messages
from nagomi_tui.api.messages.agent import Mode
from nagomi_tui.judge.next_steps import risk_of
from nagomi_tui.judge.verdict import NextAction
from nagomi_tui.orchestrator.calling.alerts import Alerts
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.runtime.timers import next_pulse
from nagomi_tui.orchestrator.sessions.audience import Audience, Client
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.system import paths
from nagomi_tui.text.words import translatable

_log = logging.getLogger(__name__)
START_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 1.0


MOST_LINES: Final = 8
"""Most lines that are kept for a user who is away; the newest count."""
MOST_STEPS: Final = 6
"""Most steps that are proposed for one session."""
COMMAND_LENGTH: Final = 500
_DIGEST: Final = "agent_digest"


class ResidentAgent:
    """Keeps the agent's last report for front ends, and has it started while it is missing.

    It calls with the agent's sentence, keeps its digest for the next front end, and shows its
    proposals. No command is run: a proposal is a line that the user may choose, with the risk computed
    here from its command. It is kept until the session goes on.
    """

    def __init__(
        self,
        find: Callable[[str], SessionRuntime | None],
        audience: Audience,
        *,
        alerts: Alerts,
        store: Store,
        want: Callable[[], object],
    ) -> None:
        """`find` returns a session by its id; `want` tells the supervisor that the agent is wanted."""
        self._find = find
        self._audience = audience
        self._alerts = alerts
        self._store = store
        self._want = want
        self._wanted = False
        self._client: Client | None = None
        """The agent's connection; None while it does not run."""
        self._came = anyio.Event()
        self.stands = messages.Agent()
        self._digest: tuple[str, ...] = ()
        self._proposed: dict[str, messages.Proposed] = {}

    async def run(self) -> None:
        """Ask the supervisor for the agent while it is wanted and missing, for ever."""
        self._wanted = self._wanted or _is_needed()
        while True:
            if self._wanted and not self._client:
                self._want()
            await next_pulse(_LOOK_SECONDS)

    async def start(self) -> messages.AgentAddress:
        """Have the agent started unless it runs, and return its address.

        Raises:
            Refusal: the agent does not start.
        """
        self._wanted = True
        if not self._client:
            self._want()
        with anyio.move_on_after(START_SECONDS):
            await self._came.wait()
        if not self._client:
            sentence = translatable(
                "The agent did not start within {seconds} s; {log} says what is in the way."
            )
            raise Refusal("busy", sentence, seconds=round(START_SECONDS), log=paths.log_file())
        return messages.AgentAddress(socket=str(paths.agent_socket()), pid=self.stands.pid)

    def want(self) -> None:
        """Have the agent run from now on; it is started soon."""
        self._wanted = True

    async def change(self, mode: Mode) -> None:
        """Have the agent change its mode.

        Raises:
            Refusal: the agent does not start.
        """
        await self.start()
        if self._client is not None:
            self._client.send(messages.AgentOrder(mode=mode))

    def told(self, client: Client, told: messages.AgentTold) -> None:
        """Pass the agent's report on to front ends."""
        self._wanted = True
        self._client = client
        self._came.set()
        self._tell(messages.Agent(**asdict(told)))

    def left(self, client: Client) -> None:
        """Note a client that has gone, which may have been the agent."""
        if self._client is not None and client.number == self._client.number:
            _log.info("the agent has gone")
            self._client = None
            self._came = anyio.Event()
            self._tell(messages.Agent(mode=self.stands.mode))

    def _tell(self, stands: messages.Agent) -> None:
        self.stands = stands
        self._audience.broadcast(stands, front_ends=True)

    # --- what it thinks

    def recall(self) -> None:
        """Load the digest that was stored."""
        self._digest = self._store.fact(_DIGEST, tuple[str, ...]) or ()

    def thought(self, thought: messages.AgentThought) -> None:
        if thought.says:
            self._alerts.agent_says(thought.says)
        self.keep(thought.digest)
        for session_id, steps in groupby(
            sorted(thought.steps, key=attrgetter("session")), attrgetter("session")
        ):
            self._propose(session_id, steps)

    def keep(self, lines: tuple[str, ...]) -> None:
        """Keep lines for the digest of the next front end."""
        if kept := tuple(calls.body(line) for line in lines):
            self._keep((*self._digest, *kept)[-MOST_LINES:])

    def take_digest(self) -> tuple[tuple[str, str], ...]:
        """Return the digest's lines for a welcome, and forget them."""
        told = tuple((line, "agent") for line in self._digest)
        if told:
            self._keep(())
        return told

    def greet(self, client: Client) -> None:
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


def _is_needed() -> bool:
    try:
        return paths.agent_needed_file().exists()
    except OSError:
        return False


def _fits(command: str) -> bool:
    return command.isprintable() and 0 < len(command.strip()) <= COMMAND_LENGTH


def _action(step: messages.ProposedStep) -> NextAction:
    return NextAction(
        title=calls.body(step.reason), command=step.command, risk=risk_of(step.command)
    )
