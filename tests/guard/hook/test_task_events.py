"""Tasks at a client's events: the hook's program over a real project."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.guard.decide.documents import Mode, Protocol, State, Task, Todo, Todos
from nagomi_tui.guard.files import context
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state, read_state
from nagomi_tui.guard.hook.program import decide
from tests.helpers.repository import git, repository

if TYPE_CHECKING:
    from pathlib import Path

TASK = "---\nname: h-fix-a\nbranch: fix/a\nstatus: pending\n---\n# Mend a\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    root = repository(tmp_path / "project", a="a")
    (root / ".claude").mkdir()
    (root / "sessions" / "tasks").mkdir(parents=True)
    (root / "sessions" / "tasks" / "h-fix-a.md").write_text(TASK)
    for name in ("CI", "GITHUB_ACTIONS", "GITHUB_WORKFLOW", "CONTINUOUS_INTEGRATION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "nagomi"))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(root))
    monkeypatch.setattr("nagomi_tui.guard.hook.client.started_by_agent", lambda pid: "")
    monkeypatch.setattr("nagomi_tui.guard.hook.client.has_terminal", lambda pid: True)
    return Project(root)


def _told(project: Project, event: str, **given: Any) -> dict[str, Any]:
    data = {"hook_event_name": event, "cwd": str(project.root), **given}
    answer = decide("claude", event, json.dumps(data).encode(), 1)
    return json.loads(answer.data) if answer.data else {}


def _context(printed: dict[str, Any]) -> str:
    return str(printed["hookSpecificOutput"]["additionalContext"])


def _in_hand(project: Project, **task: Any) -> None:
    with edit_state(project) as editing:
        todos = Todos(active=(Todo(content="it"),))
        editing.state = State(mode=Mode.IMPLEMENTATION, todos=todos, current_task=Task(**task))


def _write(path: str) -> dict[str, Any]:
    return {"tool_name": "Write", "tool_input": {"file_path": path}}


@pytest.mark.requirement("DC-22", "D-47")
def test_an_edit_on_another_branch_is_denied(project: Project) -> None:
    _in_hand(project, name="h-fix-a", file="h-fix-a.md", branch="fix/a")
    denied = _told(project, "PreToolUse", **_write("a"))["hookSpecificOutput"]
    assert denied["permissionDecisionReason"].startswith("[Branch Mismatch] a is in the project")
    git(project.root, "checkout", "-q", "-b", "fix/a")
    # The mode that another one than the hook has changed is shown at the first event that passes.
    assert "implementation mode" in _told(project, "PreToolUse", **_write("a"))["systemMessage"]
    assert _told(project, "PreToolUse", **_write("a")) == {}


@pytest.mark.requirement("D-42")
def test_an_edit_of_the_tasks_file_is_followed(project: Project) -> None:
    _in_hand(project, name="h-fix-a", file="h-fix-a.md", branch="fix/a", status="pending")
    file = project.sessions / "tasks" / "h-fix-a.md"
    file.write_text(TASK.replace("pending", "blocked"))
    printed = _told(project, "PostToolUse", **_write(str(file)))
    assert "status: pending → blocked" in _context(printed)
    assert "status: pending → blocked" in printed["systemMessage"]
    assert read_state(project).state.current_task.status == "blocked"


@pytest.mark.requirement("DC-34", "X-16")
def test_a_session_begins_with_what_is_to_be_done(project: Project) -> None:
    pieces = project.sessions / "transcripts" / "logging"
    pieces.mkdir(parents=True)
    told = _context(_told(project, "SessionStart", source="startup"))
    assert "No task is in hand. Open tasks:" in told and "h-fix-a.md (pending) - Mend a" in told
    assert not pieces.exists()
    _in_hand(project, name="h-fix-a", file="h-fix-a.md")
    told = _context(_told(project, "SessionStart", source="clear"))
    assert "=" * 60 in told and "status: in-progress" in told
    state = read_state(project).state
    assert (state.mode, state.current_task.status) == (Mode.DISCUSSION, "in-progress")
    assert _told(project, "SessionStart", source="resume") == {}


@pytest.mark.requirement("DC-34")
def test_a_project_without_a_folder_of_sessions_is_told_nothing_of_tasks(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other" / ".claude").mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "other"))
    assert "task" not in str(_told(Project(tmp_path / "other"), "SessionStart", source="startup"))


@pytest.mark.requirement("DC-41")
def test_a_tour_that_is_under_way_goes_on_with_the_session(project: Project) -> None:
    import msgspec

    with edit_state(project) as editing:
        own = msgspec.structs.replace(editing.state.own, chapter=3)
        editing.state = editing.state.with_own(own)
    assert "# 3 of 11" in _context(_told(project, "SessionStart", source="startup"))


@pytest.mark.requirement("DC-18", "DC-38", "D-67")
def test_a_start_brings_its_text_and_its_task(project: Project) -> None:
    printed = _told(project, "UserPromptSubmit", prompt="start^ @h-fix-a.md")
    assert "# Starting a task" in _context(printed) and "`main`" in _context(printed)
    assert read_state(project).state.active_protocol is Protocol.START
    command = {"command": "nagomi guard protocol startup-load @h-fix-a.md"}
    assert _told(project, "PreToolUse", tool_name="Bash", tool_input=command) == {}


@pytest.mark.requirement("DC-35")
def test_a_subagent_finds_the_conversation_in_pieces(project: Project, tmp_path: Path) -> None:
    said = {"message": {"role": "user", "content": "hello"}, "sessionId": "s"}
    (tmp_path / "t.jsonl").write_text(json.dumps(said))
    given = {"agent_id": "a1", "agent_type": "logging", "session_id": "s"}
    _told(project, "SubagentStart", transcript_path=str(tmp_path / "t.jsonl"), **given)
    piece = project.sessions / "transcripts" / "logging" / "current_transcript_001.txt"
    assert "hello" in piece.read_text()
    assert read_state(project).state.own.agents == ("a1",)


@pytest.mark.requirement("D-35", "DB-25")
def test_figures_of_the_status_line_come_before_the_transcript(project: Project) -> None:
    context.write_fill("s", context.Fill(92_000, 100_000))
    printed = _told(project, "UserPromptSubmit", prompt="hello", session_id="s")
    assert "[90% WARNING] 92,000/100,000 tokens used (92.0%)" in _context(printed)
