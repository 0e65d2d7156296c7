"""Every agent that nagomi knows, in the order in which lists show them."""

from __future__ import annotations

from typing import Final

from nagomi_tui.core.agents.aider import AIDER
from nagomi_tui.core.agents.claude import CLAUDE
from nagomi_tui.core.agents.cline import CLINE
from nagomi_tui.core.agents.codex import CODEX
from nagomi_tui.core.agents.copilot import COPILOT
from nagomi_tui.core.agents.droid import DROID
from nagomi_tui.core.agents.gemini import GEMINI
from nagomi_tui.core.agents.opencode import OPENCODE
from nagomi_tui.core.agents.others import OTHERS
from nagomi_tui.core.agents.qwen import QWEN

AGENTS: Final = {
    agent.name: agent
    for agent in (CLAUDE, CODEX, GEMINI, AIDER, OPENCODE, COPILOT, QWEN, CLINE, DROID, *OTHERS)
}
WITH_HOOKS: Final = tuple(agent.name for agent in AGENTS.values() if agent.hooks)
CHILD_MARKS: Final = (
    "AI_AGENT",
    *(mark for agent in AGENTS.values() for mark in agent.child_marks),
)
"""Environment variables that agents set for the processes that they start."""
PACKAGES: Final = frozenset({"@anthropic-ai", "@openai"})
"""Folders of npm packages in the paths of agents' programs."""
