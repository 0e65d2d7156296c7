"""What nagomi knows of Cline's CLI: its hooks, and how it resumes."""

from __future__ import annotations

from typing import Final

from nagomi_tui.agents.agent import Agent, Hooks, Resume

CLINE: Final = Agent(
    name="cline",
    title="Cline",
    hooks=Hooks(
        home_variable="",
        home=".cline",
        file="hooks",
        project_file=".clinerules/hooks",
        events=(
            "TaskStart", "TaskCancel", "TaskComplete", "TaskError", "UserPromptSubmit",
            "PreToolUse", "PostToolUse", "SessionShutdown",
        ),
        form="file",
        text="#!/bin/sh\n# Tells nagomi how Cline stands; `nagomi hooks remove` takes it away.\n"
        "(@shell:EVENT@)\necho '{\"cancel\": false}'\n",
        one_each=True,
        called=(
            ("TaskStart", "UserPromptSubmit"),
            ("TaskCancel", "Interrupt"),
            ("TaskComplete", "Stop"),
            ("TaskError", "StopFailure"),
            ("SessionShutdown", "SessionEnd"),
        ),
    ),
    resume=Resume(
        words=("--id",),
        one=frozenset(
            [
                "--id", "-m", "--model", "-P", "--provider", "-k", "--key", "-s", "--system", "-t",
                "--timeout", "-c", "--cwd", "--config", "--auto-approve", "--thinking",
            ]
        ),
        dropped=frozenset(["--id", "--continue", "--taskId", "-T"]),
        elsewhere=frozenset(["auth", "task", "history", "config", "--json", "--acp"]),
    ),
    child_marks=("CLINE_ACTIVE",),
)  # fmt: skip
