"""Agents of which nagomi knows little more than the names."""

from __future__ import annotations

from typing import Final

from nagomi_tui.core.agents.agent import Agent

OTHERS: Final = (
    Agent("amp", "Amp"),
    Agent("crush", "Crush"),
    Agent("goose", "Goose"),
    Agent("kimi", "Kimi CLI"),
    Agent("vibe", "Mistral Vibe"),
    Agent("cursor-agent", "Cursor CLI", child_marks=("CURSOR_AGENT",)),
    Agent("auggie", "Auggie", child_marks=("AUGMENT_AGENT",)),
)
