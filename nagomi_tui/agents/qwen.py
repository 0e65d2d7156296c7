"""What nagomi knows of Qwen Code of Alibaba: its hooks, and how it resumes."""

from __future__ import annotations

from typing import Final

from nagomi_tui.agents.agent import Agent, Hooks, Resume

QWEN: Final = Agent(
    name="qwen",
    title="Qwen Code",
    hooks=Hooks(
        home_variable="",
        home=".qwen",
        file="settings.json",
        project_file=".qwen/settings.json",
        events=(
            "SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse",
            "PostToolUseFailure", "Notification", "PreCompact", "Stop", "StopFailure", "SessionEnd",
        ),
        timeout=5000,
    ),
    resume=Resume(
        words=("--resume",),
        one=frozenset(
            [
                "-m", "--model", "-i", "--prompt-interactive", "-p", "--prompt", "--approval-mode",
                "--session-id", "--output-format", "-o", "--system-prompt", "--append-system-prompt",
                "--openai-api-key", "--openai-base-url", "--auth-type", "--include-directories",
                "--allowed-tools", "-e", "--extensions",
            ]
        ),
        optional=frozenset(["-r", "--resume"]),
        dropped=frozenset(
            ["-r", "--resume", "-c", "--continue", "-i", "--prompt-interactive", "--session-id"]
        ),
        elsewhere=frozenset(["-p", "--prompt", "mcp", "extensions", "auth", "hooks"]),
    ),
    first_message=("--prompt-interactive",),
    child_marks=("QWEN_CODE",),
)  # fmt: skip
