"""All agents in their order, those known by name only, and their events under common names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from nagomi_tui.agents.agent import Agent
from nagomi_tui.agents.aider import AIDER
from nagomi_tui.agents.claude import CLAUDE
from nagomi_tui.agents.cline import CLINE
from nagomi_tui.agents.codex import CODEX
from nagomi_tui.agents.copilot import COPILOT
from nagomi_tui.agents.droid import DROID
from nagomi_tui.agents.gemini import GEMINI
from nagomi_tui.agents.opencode import OPENCODE
from nagomi_tui.agents.qwen import QWEN

OTHERS: Final = (
    Agent("amp", "Amp"),
    Agent("crush", "Crush"),
    Agent("goose", "Goose"),
    Agent("kimi", "Kimi CLI"),
    Agent("vibe", "Mistral Vibe"),
    Agent("cursor-agent", "Cursor CLI", child_marks=("CURSOR_AGENT",), pool="cursor"),
    Agent("auggie", "Auggie", child_marks=("AUGMENT_AGENT",)),
)

AGENTS: Final = {
    agent.name: agent
    for agent in (CLAUDE, CODEX, GEMINI, AIDER, OPENCODE, COPILOT, QWEN, CLINE, DROID, *OTHERS)
}
GUARDED: Final = {name: agent.guarded for name, agent in AGENTS.items() if agent.guarded}
"""What the guard knows of each agent that it holds, by its name."""
WITH_HOOKS: Final = tuple(agent.name for agent in AGENTS.values() if agent.hooks)
CHILD_MARKS: Final = (
    "AI_AGENT",
    *(mark for agent in AGENTS.values() for mark in agent.child_marks),
)
"""Environment variables that agents set for the processes that they start."""
PACKAGES: Final = frozenset({"@anthropic-ai", "@openai"})
"""Folders of npm packages in the paths of agents' programs."""


def as_read(agent: str, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an agent's event, called as Claude Code calls it."""
    known = AGENTS.get(agent)
    if known is None or known.hooks is None:
        return payload
    name = payload.get("hook_event_name")
    called = dict(known.hooks.called).get(name) if isinstance(name, str) else None
    return {**payload, "hook_event_name": called} if called else payload
