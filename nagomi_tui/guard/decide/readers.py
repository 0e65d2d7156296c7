"""Tools that only read. This module loads nothing: the hook asks it before all else."""

READERS = frozenset(
    [
        "Read",
        "Grep",
        "Glob",
        "LS",
        "LSP",
        "WebFetch",
        "WebSearch",
        "BashOutput",
        "TaskOutput",
        "TaskStop",
        "KillBash",
        "TodoWrite",
        "TaskCreate",
        "TaskGet",
        "TaskList",
        "TaskUpdate",
        "AskUserQuestion",
        "EnterPlanMode",
        "ExitPlanMode",
        "ToolSearch",
        "ListAgents",
        "ListMcpResourcesTool",
        "ReadMcpResourceTool",
        "CronList",
        "ReportFindings",
        "WaitForMcpServers",
        "Agent",
        "Task",
    ]
)
"""Tools that pass in discussion; a subagent's tools are asked about one by one (H-27)."""
LISTING = frozenset(["TodoWrite", "TaskCreate", "TaskUpdate"])
"""Those of them that change the todos, which are compared with what was approved."""
