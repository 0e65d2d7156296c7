"""Tools that talk with the resident agent over the Unix socket of its HTTP API."""

from __future__ import annotations

import json
from functools import partial
from http.client import HTTPException
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Protocol

import anyio.to_thread
from msgspec import Meta

from nagomi_tui.agent.http import client
from nagomi_tui.agent.modes.mode import AgentMode
from nagomi_tui.agent.tools.clock import NothingGiven
from nagomi_tui.agent.tools.interface import Actor, Given, Output, Plan, Reader, ToolFault
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.words import Words

ASK_SECONDS: Final = 30.0
"""The longest wait for the resident agent's answer (MC-10)."""
_MOST_BYTES: Final = 1024 * 1024
_CHANGES: Final = translatable("Change the agent's mode to {mode}")


class Agent(Protocol):
    """The HTTP API of nagomi's resident agent."""

    async def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request, and return the JSON value in the answer's body.

        Raises:
            ToolFault: the agent did not answer, or refused.
        """


class AgentOverHttp:
    """The resident agent's HTTP API on a Unix socket."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request, and return the JSON value in the answer's body."""
        step = partial(
            client.call, self._path, method, path, body,
            seconds=ASK_SECONDS, most_bytes=_MOST_BYTES,
        )  # fmt: skip
        try:
            return await anyio.to_thread.run_sync(step, abandon_on_cancel=True)
        except client.NotAnswered as exc:
            told = json.dumps(exc.told, ensure_ascii=False)
            raise ToolFault(f"The agent refused ({exc.status}).", told) from exc
        except (OSError, HTTPException, ValueError) as exc:
            raise ToolFault("nagomi's agent does not answer; `nagomi chat` starts it.") from exc


class GetMode(Reader[NothingGiven]):
    """Tells the resident agent's mode."""

    name: ClassVar = "agent_get_mode"
    description: ClassVar = "Tell the mode of nagomi's own agent: calm, reserved or autonomous."
    given: ClassVar = NothingGiven

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def read(self, given: NothingGiven) -> Output:
        """Return the mode and what it allows, as JSON."""
        found = await self._agent.call("GET", "/api/mode")
        return Output("The agent's mode:", json.dumps(found, ensure_ascii=False))


class ModeGiven(Given, frozen=True, kw_only=True):
    """The mode to change to."""

    mode: AgentMode


class SetMode(Actor[ModeGiven]):
    """Changes the resident agent's mode."""

    name: ClassVar = "agent_set_mode"
    description: ClassVar = "Change the mode of nagomi's own agent. The user is asked first."
    given: ClassVar = ModeGiven
    seconds: ClassVar = ASK_SECONDS + 5.0

    def __init__(self, agent: Agent, words: Words) -> None:
        self._agent = agent
        self._words = words

    async def plan(self, given: ModeGiven) -> Plan:
        """Return the change; a grant covers changes to this mode."""
        return Plan(
            title=self._words.say(_CHANGES, mode=given.mode),
            detail="",
            target=given.mode,
            act=partial(self._change, given.mode),
        )

    async def _change(self, mode: str) -> Output:
        found = await self._agent.call("POST", "/api/mode", {"mode": mode})
        return Output("Changed:", json.dumps(found, ensure_ascii=False))


class AskGiven(Given, frozen=True, kw_only=True):
    """A question to the resident agent."""

    question: Annotated[str, Meta(min_length=1, max_length=8000, pattern=r"\S")]


class AskAgent(Reader[AskGiven]):
    """Asks the resident agent a question outside of any conversation."""

    name: ClassVar = "agent_ask"
    description: ClassVar = (
        "Ask nagomi's own agent, which knows all sessions and its notes. It answers in 30 s, "
        "and does nothing."
    )
    given: ClassVar = AskGiven
    seconds: ClassVar = ASK_SECONDS + 5.0

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def read(self, given: AskGiven) -> Output:
        """Return the agent's answer."""
        found = await self._agent.call("POST", "/api/ask", {"question": given.question})
        return Output("The agent's answer:", str(found.get("answer", "")))
