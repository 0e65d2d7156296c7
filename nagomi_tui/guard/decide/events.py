"""What happens in an agent's session, in one form for every client, and what is decided of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from nagomi_tui.guard.decide.state import State

Place = Literal["inside", "outside", "plan", "protected"]
"""In the project, elsewhere, a client's own file of a plan, or what switches the guard."""


class Target(msgspec.Struct, frozen=True):
    """A file that a tool is to write."""

    path: str
    """As the tool names it."""
    place: Place
    relative: str = ""
    """Below the project's root with slashes, where it lies inside."""


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that is about to run, or has run."""

    tool: str
    input: dict[str, Any] = {}
    targets: tuple[Target, ...] = ()
    agent_id: str = ""
    """The subagent that uses it; empty for the agent itself (DB-19)."""
    cwd: str = ""
    response: Any = None

    @property
    def command(self) -> str:
        """The shell command that it runs; empty if it runs none."""
        found = self.input.get("command")
        return found if isinstance(found, str) and self.tool == "Bash" else ""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """What reached the agent as the user's words."""

    text: str
    typed: bool = True
    """Whether the user typed it; clients schedule prompts of their own, too (DB-6)."""
    tokens: int = 0
    """Tokens in the agent's context; 0 where that is not known."""
    limit: int = 0


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of an event."""

    state: State
    denied: str = ""
    """Why the tool may not run, in words for the agent; empty if it may."""
    context: tuple[str, ...] = ()
    """What the agent is told."""
    notices: tuple[str, ...] = ()
    """What the user is told (D-62)."""


class Judged(Protocol):
    """A classifier's answer."""

    @property
    def verdict(self) -> Literal["read", "write"]: ...
    @property
    def reason(self) -> str: ...


Classify: TypeAlias = Callable[[str], Judged]
"""Tells whether a shell command only reads, by our tables and the user's patterns."""
