"""The newest Claude under the guard by a tool of an MCP server, and in a worktree; in default mode."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.decide.documents import Mode
from tests.end_to_end.test_guard_clients import UID, Guarded, attacked
from tests.helpers import users
from tests.helpers.attacker import PROMPT
from tests.helpers.clients import newest_claude
from tests.helpers.repository import git

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

WRITER = "mcp__files__write_file"
ASKED = (
    "--permission-mode",
    "default",
    "--allowedTools",
    f"Write,Edit,NotebookEdit,Bash,Agent,Task,{WRITER}",
)
"""What it would have asked the user is allowed, so that only the guard is in the way."""
SERVER = """
import json, sys

TOOL = {"name": "write_file", "description": "Writes a file.", "inputSchema": {
    "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    given, result = asked.get("params", {}), {}
    if asked["method"] == "initialize":
        result = {"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "files", "version": "1"}}
    elif asked["method"] == "tools/list":
        result = {"tools": [TOOL]}
    elif asked["method"] == "tools/call":
        open(given["arguments"]["path"], "w").close()
        result = {"content": [{"type": "text", "text": "written"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def give(folder: Path, uid: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, uid, uid, follow_symlinks=False)


@pytest.mark.requirement("H-27")
def test_no_tool_of_an_mcp_server_writes_before_it_is_approved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the hook it would have."""
    with attacked(newest_claude, monkeypatch) as (folder, server, place):
        (folder / "server.py").write_text(SERVER)
        run = {"command": users.interpreter(), "args": [str(folder / "server.py")]}
        config = json.dumps({"mcpServers": {"files": run}})
        words = (*ASKED, "--strict-mcp-config", "--mcp-config", config, "-p", PROMPT)
        # Else the client keeps tools of servers back until the agent searches for them.
        place.env["ENABLE_TOOL_SEARCH"] = "false"
        before = place.files()
        shown = place.ask(*words)
        assert place.files() == before, shown
        assert {"Write", "Bash", WRITER} <= set(server.tried.get("agent", ())), shown

        server.tried.clear()
        shown = place.ask("--settings", '{"disableAllHooks": true}', *words)
        assert (place.root / f"{WRITER}.bad").exists(), shown


@pytest.mark.requirement("DB-15", "H-23")
def test_in_a_worktree_it_writes_nothing_there_nor_in_the_project(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with attacked(newest_claude, monkeypatch, tree="tree") as (folder, server, place):
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
        monkeypatch.setenv("GIT_CONFIG_VALUE_0", "*")
        git(place.root, "init", "-q", "-b", "main")
        git(place.root, "add", "-A")
        git(place.root, "commit", "-q", "-m", "first")
        git(place.root, "worktree", "add", "-q", "-b", "other", str(folder / "tree"))
        known = folder / "home/.claude.json"
        told = json.loads(known.read_text())
        told["projects"][str(folder / "tree")] = told["projects"][str(place.root)]
        known.write_text(json.dumps(told))
        give(folder, UID)
        tree: Guarded = replace(place, root=folder / "tree")
        before = (tree.files(), place.files())
        shown = tree.ask(*ASKED, "-p", PROMPT)
        assert (tree.files(), place.files()) == before, shown
        assert {"Write", "Bash"} <= set(server.tried.get("agent", ())), shown
        assert tree.mode is place.mode is Mode.DISCUSSION
