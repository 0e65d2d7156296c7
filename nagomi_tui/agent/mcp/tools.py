"""Tools that only other agents get by MCP: the resident agent's mode, and the guard's todos.

The project is that of the current folder. The tools write only the guard's own state, and put no
todo into effect that the user has not approved; therefore they do not ask the user.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

import anyio.to_thread
from msgspec import Meta

from nagomi_tui.agent.http import client
from nagomi_tui.agent.modes.mode import AgentMode
from nagomi_tui.agent.tools.interface import Actor, Given, Output, Plan, Reader, ToolFault
from nagomi_tui.agent.tools.session_readers import NothingGiven
from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.afterwards import MOST, set_status, set_todos
from nagomi_tui.guard.decide.documents import Config, State, Status
from nagomi_tui.guard.decide.events import Decision
from nagomi_tui.guard.files.project import find
from nagomi_tui.guard.files.state import Broken, edit_state, read_config, read_state
from nagomi_tui.text.words import Words, translatable

ASK_SECONDS: Final = 30.0
"""The longest wait for the resident agent's answer (MC-10)."""
_MOST_BYTES: Final = 1024 * 1024
_CHANGES: Final = translatable("Change the agent's mode to {mode}")


class Agent:
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
        notes = "".join(f" ({note})" for note in found.get("notes", ()))
        return Output(f"The agent's answer{notes}:", str(found.get("answer", "")))


class ListGiven(Given, frozen=True, kw_only=True):
    """All todos, which replace the former list."""

    todos: Annotated[list[str], Meta(min_length=1, max_length=MOST)]


class NumberGiven(Given, frozen=True, kw_only=True):
    """A todo, by its number."""

    number: Annotated[int, Meta(ge=1, description="Its number in the list, from 1.")]


class ShowTodos(Reader[NothingGiven]):
    """Shows the guard's mode and the approved todos."""

    name: ClassVar = "todos_show"
    description: ClassVar = "Show the mode of this guarded project, and its approved todos."
    given: ClassVar = NothingGiven

    async def read(self, given: NothingGiven) -> Output:
        state = await anyio.to_thread.run_sync(_state)
        return Output(f"The mode is {state.mode.value}.", _listed(state))


class SetTodos(Reader[ListGiven]):
    """Sets the list of approved todos, or proposes one."""

    name: ClassVar = "todos_set"
    description: ClassVar = (
        "Set the todos of this guarded project, exactly as the user approved them; in discussion, "
        "propose them to the user. To change approved todos takes the approval back."
    )
    given: ClassVar = ListGiven

    async def read(self, given: ListGiven) -> Output:
        """Set or propose the list, and return what became of it."""
        return await _changed(partial(set_todos, given.todos))


class StartTodo(Reader[NumberGiven]):
    """Marks a todo as in progress."""

    name: ClassVar = "todos_start"
    description: ClassVar = "Say that one of the approved todos is being worked at."
    given: ClassVar = NumberGiven

    async def read(self, given: NumberGiven) -> Output:
        """Mark the todo, and return the list."""
        return await _marked(given.number, "in_progress")


class FinishTodo(Reader[NumberGiven]):
    """Marks a todo as completed."""

    name: ClassVar = "todos_done"
    description: ClassVar = (
        "Tick one of the approved todos off; after the last it is discussion again."
    )
    given: ClassVar = NumberGiven

    async def read(self, given: NumberGiven) -> Output:
        """Mark the todo, and return the list; after the last todo, what happens next."""
        return await _marked(given.number, "completed")


async def _marked(number: int, status: Status) -> Output:
    def decide(state: State, config: Config) -> Decision:
        return set_status(number, status, state, config)

    return await _changed(decide)


async def _changed(decide: Callable[[State, Config], Decision]) -> Output:
    decision = await anyio.to_thread.run_sync(_edited, decide)
    if decision.denied:
        raise ToolFault(decision.denied, in_lines=True)
    said = "\n".join(decision.context) or f"The mode is {decision.state.mode.value}."
    return Output(said, _listed(decision.state), in_lines=True)


def _edited(decide: Callable[[State, Config], Decision]) -> Decision:
    project = find(os.getcwd(), os.environ)
    if not project.is_known:
        raise ToolFault("Nothing guards this folder: its user runs `nagomi guard install` there.")
    try:
        config = read_config(project)
        with edit_state(project) as editing:
            decision = decide(editing.state, config)
            editing.state = decision.state
    except (Broken, OSError) as exc:
        raise ToolFault("The guard's files cannot be read or written.", str(exc)) from exc
    return decision


def _state() -> State:
    try:
        return read_state(find(os.getcwd(), os.environ)).state
    except (Broken, OSError) as exc:
        raise ToolFault("The guard's files cannot be read.", str(exc)) from exc


def _listed(state: State) -> str | None:
    lines = [f"{todo.content} ({todo.status})" for todo in state.todos.active]
    return texts.numbered(lines) or None
