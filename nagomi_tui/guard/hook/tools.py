"""A hook event's JSON, with one name for each tool whatever the client calls it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from nagomi_tui.agents.agent import Guarded
from nagomi_tui.guard.decide.events import Target, ToolUse
from nagomi_tui.guard.decide.readers import READERS
from nagomi_tui.guard.files.project import Project, folder_of_guard, locate
from nagomi_tui.system.decoding import decoder

_PATCHED: Final = r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$"
_PATHS: Final = ("path", "file", "filename", "destination", "source", "target", "uri", "directory")
"""Ends of names under which a tool that is not known may be given a file."""
_DEEPEST: Final = 8


def tool_use(payload: Payload, client: Guarded, project: Project, cwd: str) -> ToolUse:
    """Return the tool that an event is about."""
    given = payload.tool_input if isinstance(payload.tool_input, dict) else {}
    name, given = _known(payload.tool_name, given, client)
    return ToolUse(
        tool=name,
        input=given,
        targets=tuple(_targets(name, given, client, project, cwd)),
        agent_id=payload.agent_id or "",
        cwd=cwd,
        within=folder_of_guard(project, cwd) if name == "Bash" else "",
        response=payload.tool_response,
    )


def _known(name: str, given: dict[str, Any], client: Guarded) -> tuple[str, dict[str, Any]]:
    """Return a tool by the guard's name, with what it is given; a list of steps is one of todos."""
    if name and name == client.planner and isinstance(steps := given.get("plan"), list):
        return "TodoWrite", {"todos": [_todo(step) for step in steps]}
    return dict(client.other_names).get(name, name), given


def _todo(step: Any) -> Any:
    if not isinstance(step, dict):
        return step
    return {"content": step.get("step"), "status": step.get("status", "pending")}


def _targets(
    name: str, given: dict[str, Any], client: Guarded, project: Project, cwd: str
) -> Iterator[Target]:
    """Yield the files that a tool is to write; of a tool that is not known, the protected ones."""
    own = _written(name, given, client)
    for path in own:
        yield locate(project, path, cwd)
    if not own and name not in READERS and name != "Bash":
        for path in _named_paths(given):
            target = locate(project, path, cwd)
            if target.place == "protected":
                yield target


def _written(name: str, given: dict[str, Any], client: Guarded) -> list[str]:
    """Return the files that a tool of the client's own is to write."""
    patch = given.get("command")
    if name in client.patchers and isinstance(patch, str):
        return re.findall(_PATCHED, patch, re.MULTILINE)
    path = given.get(dict(client.writers).get(name, ""))
    return [path] if isinstance(path, str) else []


def _named_paths(given: object, key: str = "", depth: int = 0) -> Iterator[str]:
    if isinstance(given, str):
        if key.casefold().endswith(_PATHS) and "\0" not in given and len(given) < 4096:
            yield given.removeprefix("file://")
    elif isinstance(given, dict) and depth < _DEEPEST:
        for name, value in given.items():
            yield from _named_paths(value, str(name), depth + 1)
    elif isinstance(given, list) and depth < _DEEPEST:
        for value in given:
            yield from _named_paths(value, key.removesuffix("s"), depth + 1)


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """One event. Fields may be absent, and there may be others (H-2)."""

    hook_event_name: str = ""
    session_id: str | None = None
    cwd: str | None = None
    transcript_path: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    tool_name: str = ""
    tool_input: Any = None
    tool_response: Any = None
    prompt: str = ""
    source: str | None = None
    """How a session began, or who wrote a prompt."""
    model: Any = None
    last_assistant_message: str | None = None


def read(data: bytes) -> Payload:
    """Return the event that a client wrote.

    Raises:
        msgspec.DecodeError: it is none, or a field is not what it should be.
    """
    return _decode(data)


_decode = decoder(Payload).decode
