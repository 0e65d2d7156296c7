"""Events of agents that call them otherwise, up to what the judge makes of them."""

from __future__ import annotations

from typing import Any

import pytest

from nagomi_tui.agents.registry import AGENTS, as_read
from nagomi_tui.event import reduced, uniform
from nagomi_tui.judge.evidence import Says
from nagomi_tui.judge.senses.hooks import HookReader


def says(agent: str, *payloads: dict[str, Any]) -> list[Says]:
    reader = HookReader()
    found = [reader.read(as_read(agent, reduced(uniform(one))), 0.0) for one in payloads]
    return [said.says for said in found if said]


@pytest.mark.parametrize(
    "agent", [one for one in AGENTS.values() if one.hooks and one.hooks.called]
)
def test_every_name_is_one_that_is_asked_for_and_read(agent: Any) -> None:
    assert {name for name, _ in agent.hooks.called} <= set(agent.hooks.events)
    begun = {"hook_event_name": "UserPromptSubmit"}
    for name, ours in agent.hooks.called:
        if ours not in ("SessionEnd", "Notification", "PreCompact"):
            assert len(says(agent.name, begun, {"hook_event_name": name})) == 2, (name, ours)


def test_the_end_of_a_turn_leaves_it_to_the_screen_how_it_ended() -> None:
    reader = HookReader()
    said = reader.read(as_read("gemini", {"hook_event_name": "AfterAgent"}), 0.0)
    assert said is not None and said.says is Says.REST and said.kind == "ends"


def test_fields_may_be_named_in_camel_case() -> None:
    told = {
        "hookName": "PreToolUse", "taskId": "task-1", "toolName": "bash",
        "toolArgs": '{"command": "make", "secret": "x"}',
    }  # fmt: skip
    assert reduced(uniform(told)) == {
        "hook_event_name": "PreToolUse", "session_id": "task-1", "tool_name": "bash",
        "tool_input": {"command": "make"},
    }  # fmt: skip
    plain = {"hook_event_name": "Stop", "session_id": "a", "tool_input": {"command": "ls"}}
    assert reduced(uniform(plain)) == plain


def test_the_main_agent_may_have_an_id_and_its_session_another_name() -> None:
    """As Cline tells it: a session holds several tasks."""
    told = {"hookName": "agent_start", "taskId": "conv_1", "agent_id": "a", "parent_agent_id": None}
    whole = {**told, "sessionContext": {"rootSessionId": "1795397568869_3i8bq"}}
    assert reduced(uniform(whole)) == {
        "hook_event_name": "agent_start",
        "session_id": "1795397568869_3i8bq",
    }
    inner = {**told, "parent_agent_id": "b"}
    assert reduced(uniform(inner))["agent_id"] == "a"


def test_a_permission_is_waited_for() -> None:
    begun = {"hook_event_name": "BeforeAgent"}
    asked = {"hook_event_name": "Notification", "notification_type": "ToolPermission"}
    assert says("gemini", begun, asked)[-1] is Says.WAITS
    assert as_read("nobody", begun) is begun
