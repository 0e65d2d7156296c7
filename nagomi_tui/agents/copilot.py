"""What nagomi knows of Copilot CLI of GitHub: its hooks, and how it resumes."""

from __future__ import annotations

from typing import Final

from nagomi_tui.agents.agent import Agent, Hooks, Resume

_CALLED: Final = (
    ("sessionStart", "SessionStart"),
    ("userPromptSubmitted", "UserPromptSubmit"),
    ("preToolUse", "PreToolUse"),
    ("permissionRequest", "PermissionRequest"),
    ("notification", "Notification"),
    ("postToolUse", "PostToolUse"),
    ("agentStop", "TurnEnd"),
    ("sessionEnd", "SessionEnd"),
)


def _text() -> str:
    events = ",\n".join(
        f'    "{event}": [{{"type": "command", "bash": @json:{event}@, "timeoutSec": 5}}]'
        for event, _ in _CALLED
    )
    return f'{{\n  "version": 1,\n  "hooks": {{\n{events}\n  }}\n}}\n'


COPILOT: Final = Agent(
    name="copilot",
    title="GitHub Copilot CLI",
    hooks=Hooks(
        home_variable="COPILOT_HOME",
        home=".copilot",
        file="hooks/nagomi.json",
        project_file=".github/hooks/nagomi.json",
        events=tuple(event for event, _ in _CALLED),
        form="file",
        text=_text(),
        called=_CALLED,
    ),
    resume=Resume(
        words=("--session-id",),
        one=frozenset(
            [
                "--model", "--agent", "-p", "--prompt", "-i", "--interactive", "--banner",
                "--log-dir", "--log-level", "--additional-mcp-config", "--output-format",
                "--mode", "--effort", "--reasoning-effort", "-n", "--name", "-C", "--session-id",
                "--context", "--auto-tier",
            ]
        ),
        many=frozenset(
            [
                "--add-dir", "--allow-tool", "--deny-tool", "--allow-url", "--deny-url",
                "--disable-mcp-server", "--available-tools", "--excluded-tools",
            ]
        ),
        optional=frozenset(["--resume", "--stream", "--share", "-r"]),
        dropped=frozenset(["--session-id", "--resume", "-r", "--continue", "-i", "--interactive"]),
        elsewhere=frozenset(["-p", "--prompt", "--acp", "--server", "--share", "help", "login"]),
    ),
    child_marks=("COPILOT_CLI",),
)  # fmt: skip
