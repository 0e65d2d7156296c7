"""What nagomi knows of Codex CLI of OpenAI: hooks, MCP servers, guard, how it resumes."""

from __future__ import annotations

from typing import Final

from nagomi_tui.agents.agent import Agent, Guarded, Hooks, McpServers, Resume

CODEX: Final = Agent(
    name="codex",
    title="Codex",
    hooks=Hooks(
        home_variable="CODEX_HOME",
        home=".codex",
        file="hooks.json",
        project_file=".codex/hooks.json",
        events=(
            "SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse",
            "PreCompact", "PostCompact", "Stop", "Interrupt", "SessionEnd",
        ),
        asks_trust=True,
    ),
    mcp=McpServers(
        home_variable="CODEX_HOME",
        home=".codex",
        file="config.toml",
        table="mcp_servers",
        env_vars="env_vars",
    ),
    guarded=Guarded(
        folder=".codex",
        protected=(".codex/hooks.json", ".codex/config.toml"),
        user_programs=(
            ".env", "AGENTS.md", "AGENTS.override.md", "agents/", "packages", "plugins/", "prompts/", "rules/",
            "skills/",
        ),
        own_programs=("shell_snapshots/", "tmp/"),
        settings="hooks.json",
        start_option="-c",
        start_words=("--no-daemon",),
        reads_above=True,
        in_shell=True,
        patchers=("apply_patch", "Edit", "Write"),
        other_names=(
            ("exec_command", "Bash"), ("shell", "Bash"), ("view_image", "Read"),
            ("web_search", "WebSearch"), ("request_user_input", "AskUserQuestion"),
            ("get_goal", "TaskList"),
        ),
        planner="update_plan",
        types_unasked=True,
        other_shells=("sh", "powershell"),
        least="0.169.0",
        more_settings=("config.toml",),
        off_switches=(("features.hooks", False),),
        trust=("config.toml", "trust_level", "trusted"),
        hook_trust=True,
    ),
    resume=Resume(
        words=("resume",),
        id_last=True,
        one=frozenset(
            ["-c", "--config", "--enable", "--disable", "--remote", "--remote-auth-token-env", "-m", "--model", "--local-provider", "-p", "--profile", "-s", "--sandbox", "-C", "--cd", "--add-dir", "-a", "--ask-for-approval"]
        ),
        many=frozenset(["-i", "--image"]),
        dropped=frozenset(["--last", "--all", "--include-non-interactive", "-i", "--image"]),
        elsewhere=frozenset(
            ["exec", "e", "review", "app-server", "cloud", "exec-server", "agents", "remote-control", "--worktree"]
        ),
    ),
    first_message=(),
    child_marks=("CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID"),
    in_doctor=True,
)  # fmt: skip
