"""What the guard does after a tool, a turn, a subagent, a session's start, a todo that is done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.documents import (
    Config,
    Mode,
    Own,
    Protocol,
    State,
    Status,
    Task,
    Todo,
    Windows,
)
from nagomi_tui.guard.decide.events import Decision, ToolUse
from nagomi_tui.guard.decide.todos import closed, proposal, stored, without_done
from nagomi_tui.guard.decide.tools import before_tool
from nagomi_tui.shell.words import Verdict

_TODO_TOOLS: Final = ("TodoWrite", "TaskCreate", "TaskUpdate")
_GOES_ON: Final = ("resume", "compact")
_QUOTED: Final = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\([^()]*\)|\\.", re.DOTALL)
_CD: Final = re.compile(r"(?:^|[;&|\n])\s*cd(?=\s|$|[;&|])")


def after_tool(use: ToolUse, state: State, config: Config) -> Decision:
    """Return the state after a tool has succeeded, and what the agent is told."""
    told = [f"[You are in: {use.cwd}]"] if changes_folder(use.command) else []
    if use.tool in _TODO_TOOLS:
        state = stored(use, state)
        if state.mode is Mode.IMPLEMENTATION and state.todos.all_complete and not use.agent_id:
            state, said = _completed(state, config)
            return Decision(state=state, context=(*told, *said), notices=said)
    elif _needs_reminder(use, state):
        told.append(texts.REMINDER)
    return Decision(state=state, context=tuple(told))


def changes_folder(command: str) -> bool:
    """Tell whether a command changes the shell's folder by a `cd` outside a subshell (DB-27)."""
    return _CD.search(_QUOTED.sub("_", command)) is not None


def after_turn(message: str, state: State) -> Decision:
    """Store the agent's proposal from its message, while nothing is approved yet (DB-8).

    What was recorded stays proposed until another list is. The message of one that had changed
    approved todos lists them; its proposal is known already.
    """
    if state.mode is Mode.IMPLEMENTATION or texts.RITUAL in message:
        return Decision(state=state)
    found = proposal(message)
    if not found and state.own.recorded:
        return Decision(state=state)
    return Decision(state=state.proposing(found))


def subagent_began(agent_id: str, state: State) -> Decision:
    """Add a subagent's id to the running ones (DB-19)."""
    agents = tuple(dict.fromkeys((*state.own.agents, agent_id)))
    return Decision(state=_with_agents(state, agents))


def subagent_ended(agent_id: str, state: State) -> Decision:
    """Remove a subagent that has ended (D-41)."""
    return Decision(
        state=_with_agents(state, tuple(one for one in state.own.agents if one != agent_id))
    )


def session_began(source: str, state: State) -> Decision:
    """Begin a new session in discussion; a resumed one keeps its state (X-16, DB-23)."""
    if source in _GOES_ON:
        return Decision(state=state)
    todos = state.todos
    if not _outlive_compaction(state):
        todos = todos.with_active(()).restore_stashed()
    new = msgspec.structs.replace(
        state,
        mode=Mode.DISCUSSION,
        active_protocol=None,
        api=Windows(),
        flags=state.flags.cleared(),
        todos=todos,
    )
    own = Own(chapter=state.own.chapter, unknown=state.own.unknown)
    told = (texts.KEPT.format(todos=texts.boxes(todos.active)),) if todos.active else ()
    return Decision(state=new.with_own(own), context=told)


def _outlive_compaction(state: State) -> bool:
    """Tell whether todos came back after a compaction, for the session that follows it (DC-15)."""
    from nagomi_tui.guard.decide.protocols import COMPACTION

    if state.active_protocol is not Protocol.COMPACT or state.todos.stashed:
        return False
    return tuple(todo.content for todo in state.todos.active) != COMPACTION


def _completed(state: State, config: Config) -> tuple[State, tuple[str, ...]]:
    """Return the state once all todos are done, and what the agent is told (D-36…D-39, DC-33)."""
    state = without_done(state).proposing(())
    if state.active_protocol is Protocol.COMPLETE:
        state = msgspec.structs.replace(state, current_task=Task(), active_protocol=None)
        state, told = _proposed_again(_back(state), config)
        return state, (texts.COMPLETE, texts.DISCUSS, *told)
    if state.todos.stashed:
        return _restored(state, config)
    return _back(msgspec.structs.replace(state, active_protocol=None)), (
        texts.COMPLETE,
        texts.DISCUSS,
    )


def _restored(state: State, config: Config) -> tuple[State, tuple[str, ...]]:
    """Return the state with the todos that were put aside, and the protocol that they are of."""
    from nagomi_tui.guard.decide.protocols import protocol_of

    todos = state.todos.restore_stashed()
    protocol = protocol_of(todos.active, state, config)
    if protocol is None and state.active_protocol is Protocol.COMPACT:
        protocol = Protocol.COMPACT  # It ends when the context is cleared.
    api = Windows(todos_clear=True, startup_load=protocol is Protocol.START)
    new = msgspec.structs.replace(state, todos=todos, api=api, active_protocol=protocol)
    said = texts.RESTORED.format(n=len(todos.active), todos=texts.boxes(todos.active))
    return closed(new), (texts.COMPLETE, said)


def _proposed_again(state: State, config: Config) -> tuple[State, tuple[str, ...]]:
    """Propose the todos that a task's completion had put aside: with the task their approval ended."""
    kept = state.todos.restore_stashed()
    still = tuple(todo.content for todo in kept.active if todo.status != "completed")
    state = msgspec.structs.replace(state, todos=kept.with_active(()))
    if not still:
        return state, ()
    state, told = _recorded(still, state, config)
    return state, (told,)


def _recorded(todos: tuple[str, ...], state: State, config: Config) -> tuple[State, str]:
    """Return the state in which these todos are proposed, and what the agent is told of it."""
    phrase = next(iter(config.trigger_phrases.implementation_mode), "")
    told = texts.PROPOSED.format(n=len(todos), todos=texts.numbered(todos), phrase=phrase)
    return state.proposing(todos, recorded=True), told


def _back(state: State) -> State:
    return msgspec.structs.replace(state, mode=Mode.DISCUSSION, todos=state.todos.with_active(()))


def _needs_reminder(use: ToolUse, state: State) -> bool:
    """Whether the agent itself, not a subagent, implements a task without todos (DC-32)."""
    is_idle = state.mode is Mode.IMPLEMENTATION and not state.todos.active and not use.agent_id
    return is_idle and state.current_task.name is not None


def _with_agents(state: State, agents: tuple[str, ...]) -> State:
    return state.with_own(msgspec.structs.replace(state.own, agents=agents))


LONGEST: Final = 1000
"""Characters of the longest todo."""
MOST: Final = 200
"""Most todos of one list."""


def set_todos(contents: Sequence[str], state: State, config: Config) -> Decision:
    """Return what a whole list does: in discussion it is a proposal, after that it is compared."""
    wanted = tuple(one.strip() for one in contents)
    if fault := _fault(wanted):
        return Decision(state=state, denied=fault)
    if state.mode is Mode.DISCUSSION:
        state, told = _recorded(wanted, state, config)
        return Decision(state=state, context=(told,))
    known = {todo.content: todo for todo in state.todos.active}
    return _written(tuple(known.get(one) or Todo(content=one) for one in wanted), state, config)


def set_status(number: int, status: Status, state: State, config: Config) -> Decision:
    """Return what becomes of one todo of the list, counted from 1."""
    todos = state.todos.active
    if state.mode is Mode.DISCUSSION or not todos:
        return Decision(state=state, denied=texts.NONE_APPROVED)
    if not 1 <= number <= len(todos):
        return Decision(state=state, denied=texts.NO_SUCH_TODO.format(n=number, m=len(todos)))
    changed = msgspec.structs.replace(todos[number - 1], status=status)
    return _written((*todos[: number - 1], changed, *todos[number:]), state, config)


def _fault(wanted: tuple[str, ...]) -> str:
    if not wanted or not all(wanted):
        return texts.EMPTY_TODO
    if len(wanted) > MOST or max(map(len, wanted)) > LONGEST:
        return texts.TOO_MANY_TODOS.format(most=MOST, longest=LONGEST)
    if len(set(wanted)) < len(wanted):
        return texts.SAME_TODO
    return ""


def _written(todos: tuple[Todo, ...], state: State, config: Config) -> Decision:
    """Do with a list as if the client's own tool had set it: one way, whatever leads to it."""
    listed = [
        {"content": one.content, "status": one.status, "activeForm": one.active_form}
        for one in todos
    ]
    use = ToolUse(tool="TodoWrite", input={"todos": listed})
    before = before_tool(use, state, config, _unasked)
    if before.denied:
        return before
    after = after_tool(use, before.state, config)
    return msgspec.structs.replace(
        after,
        context=(*before.context, *after.context),
        notices=(*before.notices, *after.notices),
    )


def _unasked(command: str) -> Verdict:
    raise AssertionError("a list of todos runs no command")
