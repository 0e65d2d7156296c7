"""What becomes of a tool that has run, of a turn's end, of subagents and of a session's start."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.events import Decision, ToolUse
from nagomi_tui.guard.decide.state import Mode, Own, Protocol, State, Task, Windows
from nagomi_tui.guard.decide.todos import proposal, stored

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.config import Config

_TODO_TOOLS: Final = ("TodoWrite", "TaskCreate", "TaskUpdate")
_GOES_ON: Final = ("resume", "compact")
_QUOTED: Final = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\([^()]*\)|\\.", re.DOTALL)
_CD: Final = re.compile(r"(?:^|[;&|\n])\s*cd(?=\s|$|[;&|])")


def after_tool(use: ToolUse, state: State, config: Config) -> Decision:
    """Return what a tool that worked has changed, and what the agent is told."""
    told = [f"[You are in: {use.cwd}]"] if changes_folder(use.command) else []
    if use.tool in _TODO_TOOLS and state.mode is Mode.GO:
        state = stored(use, state)
        if state.todos.all_complete and not use.agent_id:
            state, said = _completed(state)
            return Decision(state=state, context=(*told, *said), notices=said)
    elif _needs_reminder(use, state):
        told.append(texts.REMINDER)
    return Decision(state=state, context=tuple(told))


def changes_folder(command: str) -> bool:
    """Tell whether a command leads elsewhere: a real `cd`, and not in a subshell (DB-27)."""
    return _CD.search(_QUOTED.sub("_", command)) is not None


def after_turn(message: str, state: State) -> Decision:
    """Keep what the agent proposes, as long as nothing was approved (DB-8)."""
    if state.mode is Mode.GO:
        return Decision(state=state)
    own = msgspec.structs.replace(state.own, proposal=proposal(message))
    return Decision(state=state.with_own(own))


def subagent_began(agent_id: str, state: State) -> Decision:
    """Know a subagent by its id (DB-19)."""
    agents = tuple(dict.fromkeys((*state.own.agents, agent_id)))
    return Decision(state=_with_agents(state, agents))


def subagent_ended(agent_id: str, state: State) -> Decision:
    """Forget a subagent (D-41)."""
    return Decision(
        state=_with_agents(state, tuple(one for one in state.own.agents if one != agent_id))
    )


def session_began(source: str, state: State) -> Decision:
    """Begin in discussion; a session that goes on stays as it was (X-16, DB-23)."""
    if source in _GOES_ON:
        return Decision(state=state)
    todos = state.todos.with_active(()).restore_stashed()
    new = msgspec.structs.replace(
        state,
        mode=Mode.NO,
        active_protocol=None,
        api=Windows(),
        flags=state.flags.cleared(),
        todos=todos,
    )
    own = Own(chapter=state.own.chapter, unknown=state.own.unknown)
    return Decision(state=new.with_own(own))


def _completed(state: State) -> tuple[State, tuple[str, ...]]:
    """Return what follows when all todos are done (D-36…D-39, DC-33)."""
    own = msgspec.structs.replace(state.own, tasks=(), proposal=())
    state = state.with_own(own)
    if state.active_protocol is Protocol.COMPLETE:
        state = msgspec.structs.replace(state, current_task=Task(), active_protocol=None)
        return _back(state), (texts.COMPLETE, texts.DISCUSS)
    if state.todos.stashed:
        return _restored(state)
    return _back(msgspec.structs.replace(state, active_protocol=None)), (
        texts.COMPLETE,
        texts.DISCUSS,
    )


def _restored(state: State) -> tuple[State, tuple[str, ...]]:
    todos = state.todos.restore_stashed()
    api = msgspec.structs.replace(state.api, todos_clear=True)
    new = msgspec.structs.replace(state, todos=todos, api=api, active_protocol=None)
    lines = "\n".join(f"□ {todo.content}" for todo in todos.active)
    said = texts.RESTORED.format(n=len(todos.active), todos=lines)
    return new, (texts.COMPLETE, said)


def _back(state: State) -> State:
    return msgspec.structs.replace(state, mode=Mode.NO, todos=state.todos.with_active(()))


def _needs_reminder(use: ToolUse, state: State) -> bool:
    """Implementation of a task without todos, by the agent itself (DC-32)."""
    is_idle = state.mode is Mode.GO and not state.todos.active and not use.agent_id
    return is_idle and state.current_task.name is not None


def _with_agents(state: State, agents: tuple[str, ...]) -> State:
    return state.with_own(msgspec.structs.replace(state.own, agents=agents))
