"""Agents of which nagomi knows little more than the names."""

from __future__ import annotations

from typing import Final

from nagomi_tui.core.agents.agent import Agent

OTHERS: Final = (
    Agent("gemini", "Gemini CLI", child_marks=("GEMINI_CLI",), in_doctor=True),
    Agent("aider", "aider", in_doctor=True),
    Agent("opencode", "opencode", child_marks=("OPENCODE", "OPENCODE_PID")),
    Agent("copilot", "GitHub Copilot CLI", child_marks=("COPILOT_CLI",)),
    Agent("qwen", "Qwen Code", child_marks=("QWEN_CODE",)),
    Agent("goose", "Goose"),
    Agent("cursor-agent", "Cursor CLI", child_marks=("CURSOR_AGENT",)),
    Agent("cline", "Cline", child_marks=("CLINE_ACTIVE",)),
    Agent("auggie", "Auggie", child_marks=("AUGMENT_AGENT",)),
)
