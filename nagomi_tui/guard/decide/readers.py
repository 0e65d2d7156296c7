"""Tools that only read. This module imports nothing, as the hook uses it first of all."""

READERS = frozenset((
    "Read", "Grep", "Glob", "LS", "LSP", "WebFetch", "WebSearch", "BashOutput", "TaskOutput", "TaskStop", "KillBash",
    "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode",
    "ToolSearch", "ListAgents", "ListMcpResourcesTool", "ReadMcpResourceTool", "CronList", "ReportFindings",
    "WaitForMcpServers", "Agent", "Task",
))  # fmt: skip
"""Tools allowed in discussion; subagents too, as each of their tools is checked (H-27)."""
SUBAGENTS = frozenset(["Agent", "Task"])
"""Those of `READERS` that begin a subagent, which in a worktree of its own is no reading."""
LISTING = frozenset(["TodoWrite", "TaskCreate", "TaskUpdate"])
"""Those of `READERS` that change the todos, which are compared with the approved ones."""
