"""The resident agent as the orchestrator knows it: a client that tells its mode and what it says."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui import paths
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.pulse import next_pulse
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages.agent import Mode
    from nagomi_tui.orchestrator.sessions.audience import Audience, Listener

_log = logging.getLogger(__name__)
START_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 1.0


class ResidentAgent:
    """Keeps the agent's last report for front ends, and has it started while it is missing."""

    def __init__(self, audience: Audience, want: Callable[[], object]) -> None:
        """`want` tells the supervisor that the agent is wanted."""
        self._audience = audience
        self._want = want
        self._wanted = False
        self._client: Listener | None = None
        """The agent's connection; None while it does not run."""
        self._came = anyio.Event()
        self.stands = messages.Agent()

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

    async def change(self, mode: Mode) -> None:
        """Have the agent change its mode.

        Raises:
            Refusal: the agent does not start.
        """
        await self.start()
        if self._client is not None:
            self._client.send(messages.AgentOrder(mode=mode))

    def told(self, client: Listener, told: messages.AgentTold) -> None:
        """Pass the agent's report on to front ends."""
        self._wanted = True
        self._client = client
        self._came.set()
        self._tell(
            messages.Agent(
                pid=told.pid,
                mode=told.mode,
                says=told.says,
                said_at=told.said_at,
                thinking=told.thinking,
            )
        )

    def left(self, client: Listener) -> None:
        """Note a client that has gone, which may have been the agent."""
        if self._client is not None and client.number == self._client.number:
            _log.info("the agent has gone")
            self._client = None
            self._came = anyio.Event()
            self._tell(messages.Agent(mode=self.stands.mode))

    def _tell(self, stands: messages.Agent) -> None:
        self.stands = stands
        self._audience.broadcast(stands, front_ends=True)


def _is_needed() -> bool:
    try:
        return paths.agent_needed_file().exists()
    except OSError:
        return False
