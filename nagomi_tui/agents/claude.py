"""What nagomi knows of Claude Code of Anthropic: hooks, MCP servers, guard, how it resumes."""

from __future__ import annotations

from typing import Final

from nagomi_tui.agents.agent import Agent, Guarded, Hooks, McpServers, Resume

CLAUDE: Final = Agent(
    name="claude",
    title="Claude Code",
    hooks=Hooks(
        home_variable="CLAUDE_CONFIG_DIR",
        home=".claude",
        file="settings.json",
        project_file=".claude/settings.local.json",
        events=(
            "SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse",
            "PreCompact", "PostCompact", "Stop", "PostToolUseFailure", "PostToolBatch",
            "PermissionDenied", "Notification", "Elicitation", "ElicitationResult", "StopFailure",
            "SessionEnd",
        ),
    ),
    mcp=McpServers(
        home_variable="CLAUDE_CONFIG_DIR",
        home="",
        file=".claude.json",
        table="mcpServers",
        project_file=".mcp.json",
    ),
    guarded=Guarded(
        folder=".claude",
        protected=(".claude/settings.json", ".claude/settings.local.json", ".claude/hooks"),
        project_variable="CLAUDE_PROJECT_DIR",
        plans="plans",
        at_home=(".claude.json",),
        user_programs=(
            "CLAUDE.md", "agents/", "commands/", "hooks/", "local", "output-styles/", "plugins/", "rules/",
            "skills/", "workflows/",
        ),
        own_programs=("session-env/", "shell-snapshots/"),
        settings="settings.json",
        start_option="--settings",
        least="2.1.197",
        more_settings=("settings.local.json",),
        managed=(
            "/etc/claude-code/managed-settings.json",
            "/Library/Application Support/ClaudeCode/managed-settings.json",
        ),
        off_switches=(("disableAllHooks", True), ("allowManagedHooksOnly", True)),
        off_variables=("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_RESTRICTED"),
        trust=(".claude.json", "hasTrustDialogAccepted", True),
        writers=(
            ("Edit", "file_path"), ("MultiEdit", "file_path"), ("NotebookEdit", "notebook_path"),
            ("Write", "file_path"),
        ),
        subagents=".claude/agents",
        status_line="statusLine",
        slash_commands="commands",
        ended_hooks=(".claude/settings.json", ".claude/settings.local.json"),
        variables=(("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1"),),
    ),
    resume=Resume(
        words=("--resume",),
        one=frozenset(
            ["--agent", "--agents", "--append-system-prompt", "--append-system-prompt-file", "--debug-file", "--effort", "--fallback-model", "--model", "-n", "--name", "--permission-mode", "--plugin-dir", "--plugin-url", "--remote-control-session-name-prefix", "--session-id", "--setting-sources", "--settings", "--system-prompt", "--system-prompt-file"]
        ),
        many=frozenset(
            ["--add-dir", "--allowedTools", "--allowed-tools", "--betas", "--disallowedTools", "--disallowed-tools", "--file", "--mcp-config", "--tools"]
        ),
        optional=frozenset(
            ["-d", "--debug", "--from-pr", "--prompt-suggestions", "--remote-control", "-r", "--resume"]
        ),
        dropped=frozenset(
            ["-c", "--continue", "-r", "--resume", "--session-id", "--fork-session", "--from-pr", "--file"]
        ),
        elsewhere=frozenset(
            ["-p", "--print", "--bg", "--background", "-w", "--worktree", "--tmux"]
        ),
    ),
    first_message=(),
    child_marks=(
        "CLAUDECODE", "CLAUDE_PID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_SESSION_ID",
    ),
    in_doctor=True,
)  # fmt: skip
