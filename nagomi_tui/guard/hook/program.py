"""Reads one hook event, has it decided, and answers in the client's form."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Final

import msgspec

from nagomi_tui.agents.agent import Guarded
from nagomi_tui.agents.registry import GUARDED
from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.documents import Mode, State
from nagomi_tui.guard.decide.events import Decision
from nagomi_tui.guard.files import project as projects
from nagomi_tui.guard.files.state import Busy, edit_state, read_config
from nagomi_tui.guard.hook import quick
from nagomi_tui.guard.hook.events import DECIDERS, Scene
from nagomi_tui.guard.hook.tools import Payload, read
from nagomi_tui.system import files

_LISTENING: Final = frozenset(
    ["PostToolUse", "PostToolUseFailure", "PreToolUse", "SessionStart", "UserPromptSubmit"]
)
"""Events at which an agent hears what it is told. At the end of a turn that would begin another."""


class Said(msgspec.Struct, frozen=True):
    """A decision as words for the agent and for the user."""

    denied: str = ""
    """Why the tool may not run; empty if it may."""
    context: str = ""
    """What the agent is told beside it."""
    notice: str = ""
    """What the user is told."""


LONGEST: Final = 9_800
"""Characters of the longest text that is told; clients take 10,000 (H-20)."""


class Answer(msgspec.Struct, frozen=True):
    """What is printed, and what was decided."""

    data: bytes
    refused: bool
    """What is printed is the reason of a refusal, in place of an answer."""
    guard: dict[str, Any]
    """What was decided, for whoever shows the session."""
    lowered: bool = False
    """The mode was implementation before, and is discussion now."""


def decide(agent: str, event: str, data: bytes, pid: int, *, inside: int = 0) -> Answer:
    """Decide one event; whatever goes wrong denies a tool, and elevates nothing.

    Args:
        agent: the client's name.
        event: the event by its name, as the installed line says it.
        data: the event as the client told it.
        pid: the client's process.
        inside: the client's process in a strict session, as that says; 0 outside of any.
    """
    guarded, state, lowered = GUARDED[agent], None, False
    try:
        payload = read(data)
        if payload.hook_event_name not in ("", event):
            raise ValueError(f"the event is {payload.hook_event_name}, not {event}")
        said, state, lowered = _decided(guarded, event, payload, pid, inside)
    except Exception as exc:
        said = _failed(event, exc)
    return msgspec.structs.replace(_answer(agent, event, said, state), lowered=lowered)


def failed(agent: str, event: str, exc: Exception) -> Answer:
    """Return the answer to an event that could not even be read."""
    return _answer(agent, event, _failed(event, exc), None)


def _answer(agent: str, event: str, said: Said, state: State | None) -> Answer:
    """Return the answer in the client's form.

    What a hook in a login shell prints is perhaps not all that the client reads, and what is then
    no JSON lets a tool run. So there a tool is refused by exit code 2 and stderr, and by JSON
    elsewhere, where the client would quote the whole command beside the reason.
    """
    guard = _told(said, state)
    denied = said.denied if event == "PreToolUse" else ""
    if denied and GUARDED[agent].in_shell:
        return Answer(denied.encode(), refused=True, guard=guard)
    specific: dict[str, Any] = {}
    if denied:
        specific = {"permissionDecision": "deny", "permissionDecisionReason": denied}
    if said.context and event in _LISTENING:
        specific["additionalContext"] = said.context
    told: dict[str, Any] = {}
    if specific:
        told["hookSpecificOutput"] = {"hookEventName": event, **specific}
    if said.notice:
        told["systemMessage"] = said.notice
    return Answer(msgspec.json.encode(told) if told else b"", refused=False, guard=guard)


def _decided(
    guarded: Guarded, event: str, payload: Payload, pid: int, inside: int
) -> tuple[Said, State | None, bool]:
    decider = DECIDERS.get(event)
    if decider is None:
        return Said(), None, False
    cwd = payload.cwd or os.getcwd()
    project = projects.find(cwd, os.environ)
    config = read_config(project)
    blocked = config.blocked_actions
    quick.note(
        str(project.config_file),
        blocked.implementation_only_tools,
        patterns=bool(blocked.bash_read_patterns or blocked.bash_write_patterns),
    )
    with edit_state(project) as editing:
        before = editing.state
        scene = Scene(project, config, before, payload, guarded, cwd, pid, inside)
        decision = decider(scene)
        changes, shown = _changes(before, decision)
        editing.state = shown
        lasting = editing.unknown if event == "SessionStart" else ()
        notices = (*lasting, *editing.notices, *decision.notices, *changes)
    context, denied = "\n\n".join(decision.context), decision.denied
    if max(len(context), len(denied)) > LONGEST:
        context, denied = (bounded(one, project) for one in (context, denied))
    said = Said(denied, context, "\n\n".join(dict.fromkeys(notices))[:LONGEST])
    return (
        said,
        decision.state,
        before.mode is Mode.IMPLEMENTATION and decision.state.mode is Mode.DISCUSSION,
    )


def _changes(before: State, decision: Decision) -> tuple[tuple[str, ...], State]:
    """Tell the user that the mode is another one than was shown last, whatever changed it (D-62).

    That may have been a command, or the user in nagomi. What is said beside a refusal is not shown
    by every client, so then the next event tells it. Return that, and the state with what is shown.
    """
    after = decision.state
    mode = after.mode.value if after.mode is Mode.IMPLEMENTATION else ""
    if mode == before.own.shown or decision.denied:
        return (), after.with_own(msgspec.structs.replace(after.own, shown=before.own.shown))
    notice = texts.MODE_IS.format(mode=after.mode.value)
    return (notice,), after.with_own(msgspec.structs.replace(after.own, shown=mode))


def _failed(event: str, exc: Exception) -> Said:
    """Return what is said where nothing could be decided."""
    why = f"{type(exc).__name__}: {exc}"[:500]
    if event == "PreToolUse":
        denied = (texts.BUSY if isinstance(exc, Busy) else texts.FAILED).format(why=why)
        return Said(denied=denied, notice=denied)
    return Said(notice=texts.FAILED_ELSEWHERE.format(event=event, why=why))


def _told(said: Said, state: State | None) -> dict[str, Any]:
    """Return what was decided, for the session's place on the screen."""
    told: dict[str, Any] = {"denied": said.denied} if said.denied else {}
    if state is not None:
        with contextlib.suppress(msgspec.MsgspecError):
            done = sum(todo.status == "completed" for todo in state.todos.active)
            told |= {"mode": state.mode.value, "done": done, "total": len(state.todos.active)}
    return told


NAME: Final = "last-answer.md"
_REST: Final = (
    "\n\n[…] The whole text, of {length:,} characters, is in `{path}`: read it before you go on."
)


def bounded(text: str, project: projects.Project) -> str:
    """Return a text; of one that is too long the beginning, and the whole in a file of the project's.

    Raises:
        OSError: the file cannot be written.
    """
    if len(text) <= LONGEST:
        return text
    path = project.sessions / NAME
    files.write(path, text.encode("utf-8", "replace"), mode=0o600)
    rest = _REST.format(length=len(text), path=path)
    return text[: LONGEST - len(rest)] + rest
