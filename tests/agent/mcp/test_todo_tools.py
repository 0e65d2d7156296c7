"""Todos by tools of the own server, in a guarded project of its own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import msgspec
import pytest

from nagomi_tui.agent.mcp.tools import FinishTodo, SetTodos, ShowTodos, StartTodo
from nagomi_tui.agent.providers.interface import ToolCall
from nagomi_tui.agent.tools.interface import Output, Reader, ToolFault
from nagomi_tui.agent.tools.toolbox import Toolbox
from nagomi_tui.guard.decide.documents import Mode
from nagomi_tui.guard.decide.own_commands import OWN_TOOLS
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state, read_state

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.talk.events import Choice, Question

TOOLS: tuple[Reader[Any], ...] = (ShowTodos(), SetTodos(), StartTodo(), FinishTodo())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    (tmp_path / "project" / ".claude").mkdir(parents=True)
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.chdir(tmp_path / "project")
    return Project(tmp_path / "project")


def _use(tool: Reader[Any], **given: Any) -> Output:
    return anyio.run(partial(tool.read, tool.read_input(given)))


@pytest.mark.requirement("H-30")
def test_todos_are_proposed_set_and_ticked_off(project: Project) -> None:
    show, set_, start, done = TOOLS
    assert "Proposal Recorded" in _use(set_, todos=["one", "two"]).said
    assert _use(show) == Output("The mode is discussion.")
    with edit_state(project) as editing:
        editing.state = msgspec.structs.replace(editing.state, mode=Mode.IMPLEMENTATION)
    assert _use(set_, todos=["one", "two"]).data == "1. one (pending)\n2. two (pending)"
    assert _use(start, number=1).data == "1. one (in_progress)\n2. two (pending)"
    _use(done, number=1)
    assert "Todos Complete" in _use(done, number=2).said
    assert read_state(project).state.mode is Mode.DISCUSSION


@pytest.mark.requirement("D-25")
def test_a_list_that_was_not_approved_ends_the_approval(project: Project) -> None:
    with edit_state(project) as editing:
        editing.state = msgspec.structs.replace(editing.state, mode=Mode.IMPLEMENTATION)
    _use(TOOLS[1], todos=["one"])
    with pytest.raises(ToolFault, match="SHAME RITUAL"):
        _use(TOOLS[1], todos=["one", "two"])
    assert read_state(project).state.mode is Mode.DISCUSSION


@pytest.mark.requirement("DC-19")
def test_the_agent_gets_the_form_of_its_next_message_line_by_line(project: Project) -> None:
    async def declined(_: Question) -> Choice:
        return "no"

    with edit_state(project) as editing:
        editing.state = msgspec.structs.replace(editing.state, mode=Mode.IMPLEMENTATION)
    tools = Toolbox(TOOLS, ask_user=declined, mask=str)
    answers = []
    for todos in (["one"], ["one", "two"]):
        answers.append(anyio.run(tools.use, ToolCall("1", "todos_set", {"todos": todos})))
    assert not answers[1].ok
    assert "exact format:\n---\n[SHAME RITUAL]\nI made a boo boo." in answers[1].text


@pytest.mark.requirement("H-30")
def test_the_guard_knows_the_tools_by_the_names_that_they_have() -> None:
    assert tuple(f"mcp__nagomi__{tool.name}" for tool in TOOLS) == OWN_TOOLS


@pytest.mark.requirement("DB-4")
def test_a_broken_state_is_said(project: Project) -> None:
    project.sessions.mkdir()
    project.config_file.write_text("{")
    with pytest.raises(ToolFault):
        _use(TOOLS[1], todos=["one"])
