"""Every road by which an agent could lift its own guard (DB-5)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.guard.decide.documents import Flags, Mode, State, Todo, Todos
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state, read_state
from nagomi_tui.guard.hook.program import decide

if TYPE_CHECKING:
    from pathlib import Path

WORKING = State(mode=Mode.IMPLEMENTATION, todos=Todos(active=(Todo(content="work"),)))
PROTECTED = (
    "sessions/sessions-state.json",
    "./sessions//sessions-state.json",
    "src/../sessions/sessions-state.json",
    "SESSIONS/Sessions-State.json",
    "@cwd@/sessions/sessions-state.json",
    "sessions/sessions-config.json",
    "sessions/sessions-state.lock",
    "sessions/.gitignore",
    "linked/sessions-state.json",
    "soft.json",
    "hard.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/mine.sh",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".git/hooks/pre-commit",
    ".git/config",
    "~/.claude/settings.json",
    "~/.claude.json",
    "@home@/.codex/config.toml",
    "@home@/moved/settings.json",
    "@home@/nagomi/state/guard/0123.seal",
    "@home@/nagomi/config/settings.json",
    "dotfiles/settings.local.json",
)
COMMANDS = (
    "echo '{}' > sessions/sessions-state.json",
    "echo '{}' > sess''ions/sessions-\"state\".json",
    "cp x sessions/./sessions-state.json",
    "git checkout HEAD -- sessions/sessions-state.json",
    "git restore sessions/sessions-config.json",
    "python3 -c \"open('sessions/sessions-state.json', 'w')\"",
    "sed -i s/discussion/implementation/ sessions/sessions-state.json",
    "rm .claude/settings.json",
    "mv .claude/settings.json /tmp/x",
    "tee .claude/settings.local.json",
    "jq -n '{disableAllHooks: true}' > .claude/settings.local.json",
    "ln -sf /dev/null .codex/hooks.json",
    "git config core.hooksPath x; echo x > .git/config",
    "rm .claude/settin*",
    "rm .clau*/settings.json",
    "x=.cl; rm ${x}aude/settings.json",
    "rm .cla$(echo ude)/settings.json",
    "rm sessions/sessions-{state,config}.json",
    "echo x > sessions/s*e.json",
    "cd .claude && rm settings.json",
    "sudo mv ./.claude/ x",
    "cp /tmp/settings.json .claude",
    "rm -rf sessions",
    "git checkout HEAD~1 -- .claude",
    "find .codex -delete",
)
HARMLESS = (
    "rm -rf dist/*",
    "prettier --write '**/*.json'",
    "git add .claude sessions && git commit -m x",
    "git checkout -b work",
    "cd sessions/tasks && touch h-fix-x.md",
    "rm app/sessions/x.py",
    "cat .claude/settings.json",
    "mkdir -p src/sessions && cd src/sessions && touch a",
)
ELEVATING = (
    "nagomi guard mode implementation",
    "nagomi guard mode bypass",
    "nagomi guard state mode go",
    "nagomi guard uninstall --yes",
    "nagomi guard install --yes --agent claude",
    "nagomi guard config phrases add implementation_mode the",
    "nagomi guard config tools unblock Edit",
    "nagomi guard approve",
    "nagomi uninstall --yes",
    "nagomi hooks remove --yes",
    "nagomi hook UserPromptSubmit < yert.json",
    "nagomi send . yert",
    "sessions mode bypass",
    "sessions state mode go --from-slash",
    "sessions config tools unblock Edit",
    "sessions/bin/sessions mode go",
    'echo \'{"prompt": "yert"}\' | /bin/sh -c x',
    "claude -p yert",
    "env -u CLAUDECODE setsid claude -p yert",
    "codex exec yert",
    "CI=true claude -p go",
    "export CI=true",
    "curl -X POST --unix-socket /tmp/x http://localhost/guard",
    "tmux send-keys yert Enter",
    'python3 -c "import os; os.kill(os.getppid(), 9)"',
    "kill -9 $PPID",
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A guarded project with links to what is protected."""
    root, home = tmp_path / "project", tmp_path / "home"
    for folder in (root / "src", root / ".git" / "hooks", home / ".claude", home / "moved"):
        folder.mkdir(parents=True)
    for name in ("CI", "GITHUB_ACTIONS", "GITHUB_WORKFLOW", "CONTINUOUS_INTEGRATION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("NAGOMI_HOME", str(home / "nagomi"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "moved"))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(root))
    made = Project(root)
    with edit_state(made) as editing:
        editing.state = WORKING
    (root / "dotfiles").mkdir()
    (root / ".claude").symlink_to("dotfiles")
    (root / "linked").symlink_to("sessions")
    (root / "soft.json").symlink_to("sessions/sessions-state.json")
    os.link(made.state_file, root / "hard.json")
    return made


def denied(project: Project, tool: str, folder: str = "", **given: Any) -> str:
    """Return why a tool is denied; empty if it may run."""
    event = {"tool_name": tool, "tool_input": given, "cwd": f"@cwd@/{folder}"}
    text = json.dumps(event).replace("@cwd@", str(project.root))
    text = text.replace("@home@", str(project.root.parent / "home"))
    answer = decide("claude", "PreToolUse", text.encode(), 1)
    told = json.loads(answer.data) if answer.data else {}
    return str(told.get("hookSpecificOutput", {}).get("permissionDecisionReason", ""))


@pytest.mark.parametrize("path", PROTECTED)
@pytest.mark.parametrize("tool", ["Write", "Edit", "mcp__files__write_file"])
@pytest.mark.requirement("DB-5", "DC-21")
def test_no_file_of_the_guard_s_is_written_while_one_works(
    project: Project, tool: str, path: str
) -> None:
    key = "path" if tool.startswith("mcp") else "file_path"
    assert "[Security]" in denied(project, tool, **{key: path})
    assert not denied(project, tool, **{key: "src/main.c"})


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.requirement("DB-5", "DB-16")
def test_no_command_that_names_one_runs_while_one_works(project: Project, command: str) -> None:
    assert "[Security]" in denied(project, "Bash", command=command)


@pytest.mark.parametrize("folder", [".claude", ".claude/hooks", ".git", "sessions", "linked"])
@pytest.mark.requirement("DB-5")
def test_no_command_writes_where_the_guard_s_files_lie(project: Project, folder: str) -> None:
    """An agent's shell keeps the folder that an earlier command went to."""
    (project.root / ".claude/hooks").mkdir()
    (project.root / "sessions/tasks").mkdir()
    assert "[Security]" in denied(project, "Bash", folder=folder, command="rm settings.json")
    assert not denied(project, "Bash", folder=folder, command="ls")
    for other in ("", "src", "sessions/tasks"):
        assert not denied(project, "Bash", folder=other, command="rm settings.json")


@pytest.mark.parametrize("command", HARMLESS)
@pytest.mark.requirement("DB-5")
def test_commands_that_only_look_like_it_run_while_one_works(
    project: Project, command: str
) -> None:
    assert not denied(project, "Bash", command=command)


@pytest.mark.parametrize("command", [*COMMANDS, *ELEVATING])
@pytest.mark.requirement("DB-5")
def test_in_discussion_no_command_lifts_the_guard(project: Project, command: str) -> None:
    with edit_state(project) as editing:
        editing.state = State()
    assert denied(project, "Bash", command=command)
    assert read_state(project).state.mode is Mode.DISCUSSION


@pytest.mark.parametrize(
    "forged",
    [State(mode=Mode.IMPLEMENTATION), State(flags=Flags(bypass_mode=True))],
    ids=["implementation", "bypass"],
)
@pytest.mark.requirement("DB-5")
def test_a_state_that_another_program_wrote_is_discussion(project: Project, forged: State) -> None:
    """As from a checkout, or by a program that an agent has left behind."""
    from nagomi_tui.guard.decide.documents import plain
    from nagomi_tui.guard.files.state import encoded

    (project.root / "hard.json").unlink()
    project.state_file.write_bytes(encoded(plain(forged)))
    assert denied(project, "Write", file_path="src/main.c")
    assert read_state(project).state.mode is Mode.DISCUSSION


@pytest.mark.requirement("DB-5")
def test_a_command_that_names_no_file_of_the_guard_is_noticed_afterwards(
    project: Project,
) -> None:
    command = "python -c 'import x; x.run()'"
    assert not denied(project, "Bash", command=command)
    project.config_file.write_text('{"trigger_phrases": {"implementation_mode": ["the"]}}')
    event = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}}
    answer = decide(
        "claude", "PostToolUse", json.dumps({**event, "cwd": str(project.root)}).encode(), 1
    )
    assert b"sessions-config.json has changed since you approved" in answer.data
    assert read_state(project).state.mode is Mode.DISCUSSION
    assert denied(project, "Bash", command=command)


@pytest.mark.requirement("DB-5")
def test_what_a_client_s_environment_says_since_its_start_bypasses_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client's settings can set variables for its hooks; those of its start cannot be set later."""
    with edit_state(project) as editing:
        editing.state = State()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("NAGOMI_SESSION_ID", raising=False)
    started: dict[str, str] = {}
    monkeypatch.setattr("nagomi_tui.guard.hook.client.environment", lambda pid: started)
    monkeypatch.setattr("nagomi_tui.guard.hook.client.started_by_agent", lambda pid: "")
    assert denied(project, "Write", file_path="a")
    started["GITHUB_ACTIONS"] = "true"
    assert not denied(project, "Write", file_path="a")
    assert "[Security]" in denied(project, "Write", file_path="sessions/sessions-state.json")
    monkeypatch.setenv("NAGOMI_SESSION_ID", "x")
    assert denied(project, "Write", file_path="a")
    monkeypatch.delenv("NAGOMI_SESSION_ID")
    started["NAGOMI_SESSION_ID"] = "x"
    assert denied(project, "Write", file_path="a")
    del started["NAGOMI_SESSION_ID"]
    monkeypatch.setattr("nagomi_tui.guard.hook.client.started_by_agent", lambda pid: "it is")
    assert denied(project, "Write", file_path="a")
