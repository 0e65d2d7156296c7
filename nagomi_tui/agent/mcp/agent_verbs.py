"""Tools that talk with the resident agent over the Unix socket of its HTTP API."""

from __future__ import annotations

import http.client
import json
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Protocol

import anyio.to_thread
from msgspec import Meta

from nagomi_tui.agent.tools.clock import NothingGiven
from nagomi_tui.agent.tools.interface import Actor, Given, Output, Plan, Reader, ToolFault
from nagomi_tui.words import translatable
from nagomi_worker.wire import trust

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from nagomi_tui.words import Words

ASK_SECONDS: Final = 30.0
"""For so long an answer is waited for (MC-10)."""
_MOST_BYTES: Final = 1024 * 1024
_CHANGES: Final = translatable("Change the agent's mode to {mode}")


class Agent(Protocol):
    """The resident agent."""

    async def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the JSON of an answer.

        Raises:
            ToolFault: there is none, or it is a refusal.
        """


class AgentOverHttp:
    """The agent behind a Unix socket that speaks HTTP."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    async def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the JSON of an answer."""
        step = partial(self._call, method, path, body)
        try:
            status, data = await anyio.to_thread.run_sync(step, abandon_on_cancel=True)
        except (OSError, http.client.HTTPException, ValueError) as exc:
            raise ToolFault("nagomi's agent does not answer; `nagomi chat` starts it.") from exc
        if status != 200:
            raise ToolFault(f"The agent refused ({status}).", json.dumps(data, ensure_ascii=False))
        return data

    def _call(self, method: str, path: str, body: dict[str, Any] | None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("localhost", timeout=ASK_SECONDS)
        connection.sock = self._connected()
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, sent, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read(_MOST_BYTES))
        finally:
            connection.close()

    def _connected(self) -> socket.socket:
        try:
            return trust.connect(self._path, ASK_SECONDS)
        except trust.Untrusted as exc:
            raise OSError(str(exc)) from exc


class GetMode(Reader[NothingGiven]):
    """Tells the agent's mode."""

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
    """The mode that the agent is to be in."""

    mode: Literal["calm", "reserved", "autonomous"]


class SetMode(Actor[ModeGiven]):
    """Changes the agent's mode."""

    name: ClassVar = "agent_set_mode"
    description: ClassVar = "Change the mode of nagomi's own agent. The user is asked first."
    given: ClassVar = ModeGiven
    seconds: ClassVar = ASK_SECONDS + 5.0

    def __init__(self, agent: Agent, words: Words) -> None:
        self._agent = agent
        self._words = words

    async def plan(self, given: ModeGiven) -> Plan:
        """Return the change; a grant holds for this mode."""
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
    """A question to the agent."""

    question: Annotated[str, Meta(min_length=1, max_length=8000, pattern=r"\S")]


class AskAgent(Reader[AskGiven]):
    """Asks the agent."""

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
        """Return its answer."""
        found = await self._agent.call("POST", "/api/ask", {"question": given.question})
        return Output("The agent's answer:", str(found.get("answer", "")))
