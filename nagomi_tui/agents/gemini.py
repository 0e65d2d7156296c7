"""What nagomi knows of Gemini CLI of Google: its hooks, and how it resumes."""

from __future__ import annotations

from typing import Final

from nagomi_tui.agents.agent import Agent, Hooks, Resume

GEMINI: Final = Agent(
    name="gemini",
    title="Gemini CLI",
    hooks=Hooks(
        home_variable="",
        home=".gemini",
        file="settings.json",
        project_file=".gemini/settings.json",
        events=(
            "SessionStart", "BeforeAgent", "BeforeTool", "Notification", "AfterTool", "AfterAgent",
            "PreCompress", "SessionEnd",
        ),
        timeout=5000,
        called=(
            ("BeforeAgent", "UserPromptSubmit"),
            ("BeforeTool", "PreToolUse"),
            ("AfterTool", "PostToolUse"),
            ("PreCompress", "PreCompact"),
            # It comes after Escape and a refused key, too.
            ("AfterAgent", "TurnEnd"),
        ),
    ),
    resume=Resume(
        words=("--resume",),
        one=frozenset(
            [
                "-m", "--model", "-p", "--prompt", "-i", "--prompt-interactive", "--approval-mode",
                "--policy", "--admin-policy", "--allowed-mcp-server-names", "--allowed-tools", "-e",
                "--extensions", "--include-directories", "-o", "--output-format", "--session-id",
            ]
        ),
        optional=frozenset(["-r", "--resume", "-w", "--worktree"]),
        dropped=frozenset(["-r", "--resume", "-i", "--prompt-interactive", "--session-id"]),
        elsewhere=frozenset(
            ["-p", "--prompt", "-w", "--worktree", "--list-sessions", "mcp", "extensions", "skills", "hooks"]
        ),
    ),
    first_message=("--prompt-interactive",),
    child_marks=("GEMINI_CLI",),
    in_doctor=True,
)  # fmt: skip
