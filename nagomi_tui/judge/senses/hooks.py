"""Turns the JSON that agents give their hooks on stdin into evidence.

Events have Claude Code's names; `nagomi_tui/agents` maps those of other agents. Missing
fields and unknown events are ignored (H-1, H-2). A subagent counts as a tool of the main agent,
except when it asks the user. Codex's `notify` is not read here: it also reports a hidden thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from nagomi_tui.judge.evidence import AT_WORK, DENIED, Evidence, Says, Source
from nagomi_tui.judge.screen_rules import ENDS

_MOST_OPEN: Final = 256
"""Most tools that may be at work at the same time; more reports are ignored."""
_ID_LENGTH: Final = 200
_WHY_LENGTH: Final = 600
_PERMISSION: Final = frozenset({"permission_prompt", "ToolPermission"})
"""Notifications whose message names no command, or not even the tool."""
_ASKING: Final = _PERMISSION | {"agent_needs_input", "elicitation_dialog"}
"""Notifications that mean "needs you" in the middle of a turn (NC-6)."""


TURN_END: Final = "TurnEnd"
"""A turn is over, well or badly, or the agent asks in the middle of it: the screen tells which."""


class HookReader:
    """Reads one session's hook events in order, and keeps count of the tools at work."""

    def __init__(self) -> None:
        self._open: set[str] = set()
        self._begun = ""
        """The words of the tool that began last: a permission is asked for it."""
        self._says: Says | None = None

    def read(self, payload: Mapping[str, Any], at: float) -> Evidence | None:
        """Return what the event says of the agent's state, or None."""
        name = _text(payload, "hook_event_name")
        if denied := _denied(payload):
            return self._denial(f"{_words(name, payload)} · {denied}", at)
        if payload.get("agent_id") and name != "PermissionRequest":
            return None
        says = self._meaning(name, payload)
        if says is None:
            return None
        self._says = says
        text = _words(name, payload)
        if name == "PreToolUse":
            self._begun = text
        elif _text(payload, "notification_type") in _PERMISSION:
            text = self._begun or text
        return Evidence(
            source=Source.HOOK,
            says=says,
            at=at,
            rule=name,
            text=text,
            begins=name == "UserPromptSubmit",
            kind=ENDS if name == TURN_END else "",
        )

    def _denial(self, text: str, at: float) -> Evidence:
        """Handle a tool that the guard has denied: the user is to know what was wanted (F-9)."""
        self._says = Says.WAITS
        return Evidence(source=Source.HOOK, says=Says.WAITS, at=at, rule=DENIED, text=text)

    def _meaning(self, name: str, payload: Mapping[str, Any]) -> Says | None:
        match name:
            case "PreToolUse":
                if len(self._open) < _MOST_OPEN:
                    self._open.add(_tool(payload))
                return Says.RUNNING
            case "PostToolUse" | "PostToolUseFailure" | "PermissionDenied":
                self._open.discard(_tool(payload))
                return Says.RUNNING if self._open else Says.THINKING
            case "PermissionRequest" | "Elicitation":
                return Says.WAITS
            case "ElicitationResult":
                return Says.RUNNING if self._open else Says.THINKING
            case "Notification":
                return self._notified(_text(payload, "notification_type"))
            case "PreCompact":
                return Says.THINKING
            case "PostCompact":
                return Says.REST if _text(payload, "trigger") == "manual" else None
            case "SessionStart":
                return self._between(Says.REST) if _text(payload, "source") != "compact" else None
            case _:
                says = _ENDS.get(name)
                return self._between(says) if says else None

    def _between(self, says: Says) -> Says:
        """Forget open tools between two turns, even if their end was not reported."""
        self._open.clear()
        self._begun = ""
        return says

    def _notified(self, kind: str) -> Says | None:
        """Handle a notification; only one that needs the user counts, while a turn is open."""
        if self._says not in (*AT_WORK, Says.WAITS):
            return None
        if kind in _ASKING or kind.startswith("elicitation_request"):
            return Says.WAITS
        return Says.REST if kind == "idle_prompt" else None


_ENDS: Final = {
    "UserPromptSubmit": Says.THINKING,
    "PostToolBatch": Says.THINKING,
    "Stop": Says.SUCCEEDED,
    "StopFailure": Says.FAILED,
    "Interrupt": Says.INTERRUPTED,
    TURN_END: Says.REST,
}


def _denied(payload: Mapping[str, Any]) -> str:
    """Return on one line why the guard has denied the event's tool; "" if it has not."""
    guard = payload.get("guard")
    why = _text(guard, "denied") if isinstance(guard, Mapping) else ""
    return " ".join(why[:_WHY_LENGTH].split())


def _tool(payload: Mapping[str, Any]) -> str:
    return (_text(payload, "tool_use_id") or _text(payload, "tool_name"))[:_ID_LENGTH]


def _words(name: str, payload: Mapping[str, Any]) -> str:
    """Return the words that tell most: the command asked for, the error, the last answer."""
    if name == "StopFailure":
        # The error is a code, and often only `unknown`.
        return _text(payload, "last_assistant_message").strip() or _text(payload, "error")
    if name == "Stop":
        return _text(payload, "last_assistant_message")
    if name == "Notification":
        return _text(payload, "message")
    tool = _text(payload, "tool_name")
    given = payload.get("tool_input")
    if not isinstance(given, Mapping):
        return tool
    told = next((_text(given, key) for key in ("command", "file_path") if key in given), "")
    return f"{tool}: {told}" if told else tool


def _text(payload: Mapping[str, Any], key: str) -> str:
    value = payload.get(key)
    return value if isinstance(value, str) else ""
