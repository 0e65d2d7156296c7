"""Claude Code's tools, and the answers that it takes (H-14…H-19)."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from nagomi_tui.guard.hook.answer import Printed, Said

_WRITTEN: Final = {
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
    "Write": "file_path",
}
"""Tools that write one file, and where they name it."""
_LISTENING: Final = frozenset(
    ["PostToolUse", "PostToolUseFailure", "PreToolUse", "SessionStart", "UserPromptSubmit"]
)
"""Events at which the agent hears what it is told. On Stop that would set it to work again."""


def tool(name: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a tool as the guard knows it, with what it is given."""
    return name, given


def paths(name: str, given: dict[str, Any]) -> list[str]:
    """Return the files that a tool of the client's own is to write."""
    path = given.get(_WRITTEN.get(name, ""))
    return [path] if isinstance(path, str) else []


def printed(event: str, said: Said) -> Printed:
    """Return the answer as JSON; a tool that may run needs none, so that the client still asks."""
    told: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    if said.denied and event == "PreToolUse":
        specific = {"permissionDecision": "deny", "permissionDecisionReason": said.denied}
    if said.context and event in _LISTENING:
        specific["additionalContext"] = said.context
    if specific:
        told["hookSpecificOutput"] = {"hookEventName": event, **specific}
    if said.notice:
        told["systemMessage"] = said.notice
    return Printed(msgspec.json.encode(told) if told else b"")
