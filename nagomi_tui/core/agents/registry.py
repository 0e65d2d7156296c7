"""Every agent that nagomi knows, in the order in which lists show them."""

from __future__ import annotations

from typing import Final

from nagomi_tui.core.agents.claude import CLAUDE
from nagomi_tui.core.agents.codex import CODEX
from nagomi_tui.core.agents.others import OTHERS

AGENTS: Final = {agent.name: agent for agent in (CLAUDE, CODEX, *OTHERS)}
WITH_HOOKS: Final = tuple(agent.name for agent in AGENTS.values() if agent.hooks)
