"""The three agent modes, and what each allows (MC-1, F-12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

import msgspec

from nagomi_tui.api.messages.agent import Mode

if TYPE_CHECKING:
    from collections.abc import Mapping

AgentMode: TypeAlias = Mode

MODES: Final[tuple[AgentMode, ...]] = get_args(AgentMode)
START: Final[AgentMode] = "calm"

Origin: TypeAlias = Literal["answer", "session", "agent"]
"""Why something is told: the user asked, a session calls, or the agent begins by itself."""


class InvalidMode(ValueError):
    """There is no such mode; the message says which there are (MC-3)."""

    def __init__(self) -> None:
        super().__init__(f"Invalid mode. Valid: {', '.join(MODES)}")


class Allowed(msgspec.Struct, frozen=True, kw_only=True):
    """What a mode allows; questions are answered in each (MC-2)."""

    loop_runs: bool = False
    """The agent wakes by itself, looks and thinks."""
    inner_writable: bool = False
    """What it thinks is kept as inner notes."""
    may_speak: bool = False
    """It may begin to speak: a sentence, the digest of what happened meanwhile."""
    may_propose: bool = False
    """It may propose next steps."""

    def tells(self, origin: Origin) -> bool:
        """Tell whether the user gets it: only what the agent begins is ever silenced (X-25)."""
        return origin != "agent" or self.may_speak


_ALLOWED: Final[Mapping[AgentMode, Allowed]] = {
    "calm": Allowed(),
    "reserved": Allowed(loop_runs=True, inner_writable=True),
    "autonomous": Allowed(loop_runs=True, may_speak=True, may_propose=True),
}

_DESCRIPTIONS: Final[Mapping[AgentMode, str]] = {
    "calm": "Minimal activity — only responds to direct messages",
    "reserved": "Silent operation — OODA runs but no proactive outreach",
    "autonomous": "Fully autonomous — default mode",
}

CUSTOM: Final = "Custom feature configuration"


def allowed(mode: AgentMode) -> Allowed:
    """Return what a mode allows."""
    return _ALLOWED[mode]


def described(mode: AgentMode, features: Allowed) -> str:
    """Return a mode's description; that of a mixture where features differ from the mode's."""
    return _DESCRIPTIONS[mode] if features == _ALLOWED[mode] else CUSTOM


def mode_named(name: str) -> AgentMode:
    """Return the mode of this name.

    Raises:
        InvalidMode: there is none.
    """
    for mode in MODES:
        if mode == name:
            return mode
    raise InvalidMode
