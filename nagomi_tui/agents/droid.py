"""Droid of Factory, by its documentation: its hooks are those of Claude Code. Nobody has tried them."""

from __future__ import annotations

from typing import Final

from nagomi_tui.agents.agent import Agent, Hooks

DROID: Final = Agent(
    name="droid",
    title="Droid",
    hooks=Hooks(
        home_variable="",
        home=".factory",
        file="settings.json",
        project_file=".factory/settings.local.json",
        events=(
            "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification",
            "PreCompact", "Stop", "SessionEnd",
        ),
    ),
)  # fmt: skip
