"""A hook's answer in the form that each client reads (H-11, H-17, H-19, DB-20)."""

from __future__ import annotations

from typing import Any, Final

import msgspec

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


class Printed(msgspec.Struct, frozen=True):
    """What is printed, and whether it is the reason of a refusal instead of an answer."""

    data: bytes = b""
    refused: bool = False


def printed(event: str, said: Said, *, in_shell: bool) -> Printed:
    """Return the answer.

    What a hook in a login shell prints is perhaps not all that the client reads, and what is then
    no JSON lets a tool run. So there a tool is refused by exit code 2 and stderr, and by JSON
    elsewhere, where the client would quote the whole command beside the reason.
    """
    denied = said.denied if event == "PreToolUse" else ""
    if denied and in_shell:
        return Printed(denied.encode(), refused=True)
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
    return Printed(msgspec.json.encode(told) if told else b"")
