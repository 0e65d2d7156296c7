"""Codex's tools, and the answers that it takes.

Its hooks run in the user's login shell, whose files may print before us, and what is then no JSON
lets the tool run. So a tool is refused by exit code 2 and stderr.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from nagomi_tui.guard.hook.answer import Printed, Said

_PATCHED: Final = re.compile(
    r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE
)
_PATCHES: Final = frozenset(["apply_patch", "Edit", "Write"])
_SAME: Final = {
    "exec_command": "Bash",
    "shell": "Bash",
    "view_image": "Read",
    "web_search": "WebSearch",
}
"""Its tools that the guard knows by another name."""
_LISTENING: Final = frozenset(["PostToolUse", "PreToolUse", "SessionStart", "UserPromptSubmit"])


def tool(name: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a tool as the guard knows it, with what it is given."""
    if name == "update_plan" and isinstance(plan := given.get("plan"), list):
        return "TodoWrite", {"todos": [_todo(step) for step in plan]}
    return _SAME.get(name, name), given


def paths(name: str, given: dict[str, Any]) -> list[str]:
    """Return the files that a patch is to write."""
    patch = given.get("command")
    if name not in _PATCHES or not isinstance(patch, str):
        return []
    return _PATCHED.findall(patch)


def printed(event: str, said: Said) -> Printed:
    """Return the answer: a reason that ends with 2, or JSON without any key that it does not know."""
    if said.denied and event == "PreToolUse":
        return Printed(said.denied.encode(), refused=True)
    told: dict[str, Any] = {}
    if said.context and event in _LISTENING:
        told["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": said.context}
    if said.notice:
        told["systemMessage"] = said.notice
    return Printed(msgspec.json.encode(told) if told else b"")


def _todo(step: Any) -> Any:
    if not isinstance(step, dict):
        return step
    return {"content": step.get("step"), "status": step.get("status", "pending")}
