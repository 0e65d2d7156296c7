"""Events in an agent's session, in one form for all clients, and the guard's decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec

from nagomi_tui.guard.decide.documents import State
from nagomi_tui.shell.words import Verdict

Place = Literal["inside", "outside", "plan", "protected"]
"""In the project; elsewhere; a client's plan file; or a file that controls the guard."""


class Target(msgspec.Struct, frozen=True):
    """A file that a tool will write."""

    path: str
    """The path as the tool gives it."""
    place: Place
    relative: str = ""
    """The path relative to the project's root, with slashes; empty outside the project."""


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """A use of a tool, before or after it runs."""

    tool: str
    input: dict[str, Any] = {}
    targets: tuple[Target, ...] = ()
    agent_id: str = ""
    """The id of the subagent that uses the tool; empty for the agent itself (DB-19)."""
    cwd: str = ""
    within: str = ""
    """The folder of the guard's own files in which the tool's command runs; empty elsewhere."""
    response: Any = None

    @property
    def command(self) -> str:
        """The shell command that the tool runs; empty if it runs none."""
        found = self.input.get("command")
        return found if isinstance(found, str) and self.tool == "Bash" else ""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt that the agent received as the user's."""

    text: str
    typed: bool = True
    """Whether the user typed the prompt; clients also send scheduled prompts (DB-6)."""
    tokens: int = 0
    """Tokens in the agent's context; 0 if unknown."""
    limit: int = 0


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The guard's decision on an event."""

    state: State
    denied: str = ""
    """Why the tool may not run, as a text for the agent; empty if it may."""
    context: tuple[str, ...] = ()
    """Texts for the agent."""
    notices: tuple[str, ...] = ()
    """Texts for the user (D-62)."""


Classify: TypeAlias = Callable[[str], Verdict]
"""Tells whether a shell command only reads, by our tables and the user's patterns."""
