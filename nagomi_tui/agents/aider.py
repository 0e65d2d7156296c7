"""What nagomi knows of aider, which has one hook: a command that it runs when it waits."""

from __future__ import annotations

from typing import Final

from nagomi_tui.agents.agent import Agent, Hooks

AIDER: Final = Agent(
    name="aider",
    title="aider",
    hooks=Hooks(
        home_variable="",
        home="",
        file=".aider.conf.yml",
        project_file=".aider.conf.yml",
        events=("TurnEnd",),
        form="lines",
        text="notifications: true\nnotifications-command: @json:TurnEnd@\n",
        taken=r"^notifications(?:-command)?\s*:",
    ),
    in_doctor=True,
)
