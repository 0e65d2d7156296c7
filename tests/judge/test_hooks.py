"""Hook events of Claude Code and Codex, as their programs receive them."""

from __future__ import annotations

from typing import Any

import pytest

from nagomi_tui.judge.evidence import Says
from nagomi_tui.judge.senses.hooks import HookReader


def event(name: str, **fields: Any) -> dict[str, Any]:
    return {"session_id": "s", "cwd": "/w", "hook_event_name": name, **fields}


PROMPT = event("UserPromptSubmit", prompt="fix the error")
TOOL = event("PreToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="a")
OTHER = event("PreToolUse", tool_name="Read", tool_use_id="b")
ASKS = event("PermissionRequest", tool_name="Bash", tool_input={"command": "make"})

WHY = "[DAIC: Tool Blocked] You're in discussion mode.\nSeek alignment."
DENIED = event("PreToolUse", tool_name="Write", tool_input={"file_path": "/w/x"}) | {
    "guard": {"denied": WHY, "mode": "discussion"}
}


def after(*events: dict[str, Any]) -> Says | None:
    """Return what is held after the events: the last that meant something."""
    reader, says = HookReader(), None
    for number, given in enumerate(events):
        said = reader.read(given, float(number))
        says = said.says if said else says
    return says


@pytest.mark.parametrize(
    ("events", "says"),
    [
        ([event("SessionStart", source="startup")], Says.REST),
        ([PROMPT, event("SessionStart", source="compact")], Says.THINKING),
        ([PROMPT], Says.THINKING),
        ([PROMPT, TOOL], Says.RUNNING),
        ([PROMPT, TOOL, event("PostToolUse", tool_use_id="a")], Says.THINKING),
        ([PROMPT, TOOL, OTHER, event("PostToolUse", tool_use_id="a")], Says.RUNNING),
        ([PROMPT, TOOL, OTHER, event("PostToolBatch")], Says.THINKING),
        ([PROMPT, TOOL, event("PostToolUseFailure", tool_use_id="a", error="Exit code 2")], Says.THINKING),
        ([PROMPT, TOOL, ASKS], Says.WAITS),
        ([PROMPT, TOOL, ASKS, event("Stop")], Says.SUCCEEDED),
        ([PROMPT, event("StopFailure", error="rate_limit")], Says.FAILED),
        ([PROMPT, event("StopFailure", error="x", agent_id="sub"), TOOL], Says.RUNNING),
        ([PROMPT, TOOL, event("Interrupt")], Says.INTERRUPTED),
        ([PROMPT, event("PreToolUse", tool_use_id="c", agent_id="sub")], Says.THINKING),
        ([PROMPT, TOOL, event("PermissionRequest", agent_id="sub", tool_name="Bash")], Says.WAITS),
        ([PROMPT, event("SomethingNew", x=1)], Says.THINKING),
        ([PROMPT, DENIED], Says.WAITS),
        ([PROMPT, {**DENIED, "agent_id": "sub"}], Says.WAITS),
        ([PROMPT, DENIED, event("PostToolBatch")], Says.THINKING),
        ([PROMPT, DENIED, OTHER, event("PostToolUse", tool_use_id="b")], Says.THINKING),
        ([PROMPT, TOOL | {"guard": {"mode": "discussion"}}], Says.RUNNING),
        ([PROMPT, TOOL | {"guard": "x"}], Says.RUNNING),
        ([{}], None),
        ([PROMPT, event("PostCompact", trigger="manual")], Says.REST),
        ([PROMPT, event("PostCompact", trigger="auto")], Says.THINKING),
        ([TOOL, event("PreCompact")], Says.THINKING),
        ([PROMPT, event("Elicitation")], Says.WAITS),
        ([PROMPT, event("Elicitation"), event("ElicitationResult")], Says.THINKING),
        ([PROMPT, TOOL, event("Elicitation"), event("ElicitationResult")], Says.RUNNING),
        ([PROMPT, TOOL, event("PermissionDenied", tool_use_id="a")], Says.THINKING),
        ([event("PreToolUse", tool_name="A"), event("PreToolUse", tool_name="B"), event("PostToolUse", tool_name="A")], Says.RUNNING),
        ([PROMPT, TOOL, event("SessionStart", source="clear"), event("PostToolUse", tool_use_id="b")], Says.THINKING),
    ],
)  # fmt: skip
@pytest.mark.requirement("H-1", "H-4")
def test_events_become_evidence(events: list[dict[str, Any]], says: Says | None) -> None:
    assert after(*events) is says


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("permission_prompt", Says.WAITS),
        ("agent_needs_input", Says.WAITS),
        ("elicitation_dialog", Says.WAITS),
        ("auth_success", Says.RUNNING),
        ("agent_completed", Says.RUNNING),
        ("idle_prompt", Says.REST),
        ("elicitation_request_form", Says.WAITS),
        ("the elicitation_request", Says.RUNNING),
    ],
)
@pytest.mark.requirement("NC-6", "NB-16", "H-7")
def test_only_some_notifications_need_the_user(kind: str, says: Says) -> None:
    assert after(PROMPT, TOOL, event("Notification", notification_type=kind)) is says


@pytest.mark.requirement("NC-6")
def test_a_reminder_after_the_end_changes_nothing() -> None:
    reminder = event("Notification", notification_type="idle_prompt", message="waiting")
    assert after(PROMPT, event("Stop"), reminder) is Says.SUCCEEDED
    assert after(reminder) is None
    assert after(PROMPT, ASKS, reminder) is Says.REST


@pytest.mark.requirement("H-6")
def test_evidence_carries_the_words_that_tell_most() -> None:
    reader = HookReader()
    asked = reader.read(ASKS, 1.0)
    assert asked is not None
    assert (asked.text, asked.rule) == ("Bash: make", "PermissionRequest")
    for said, told in (("API down", "API down"), ("", "rate_limit")):
        event_of = event("StopFailure", error="rate_limit", last_assistant_message=said)
        failed = reader.read(event_of, 2.0)
        assert failed is not None and failed.text == told
    begun = event("PreToolUse", tool_name="Shell", tool_input={"command": "make"})
    wants = event("Notification", notification_type="ToolPermission", message="Tool Confirm")
    for events, told in (((begun,), "Shell: make"), ((), "Tool Confirm")):
        for before in (PROMPT, *events):
            reader.read(before, 2.0)
        waits = reader.read(wants, 2.5)
        assert waits is not None and (waits.says, waits.text) == (Says.WAITS, told)
    ended = reader.read(event("Stop", last_assistant_message="All is done."), 3.0)
    assert ended is not None
    assert ended.text == "All is done."


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (event("Stop", last_assistant_message="All is well."), "All is well."),
        (
            event("PermissionRequest", tool_name="Edit", tool_input={"file_path": "a.py"}),
            "Edit: a.py",
        ),
        (event("PermissionRequest", tool_name="Edit", tool_input={}), "Edit"),
        (event("PermissionRequest", tool_name="Edit"), "Edit"),
    ],
)
def test_words_are_told_as_far_as_there_are_any(given: dict[str, Any], text: str) -> None:
    said = HookReader().read(given, 1.0)
    assert said is not None and said.text == text


def test_only_a_prompt_of_the_user_begins_a_turn() -> None:
    reader = HookReader()
    told = [reader.read(each, 1.0) for each in (PROMPT, TOOL, ASKS)]
    assert [said is not None and said.begins for said in told] == [True, False, False]


@pytest.mark.requirement("H-2")
def test_fields_of_the_wrong_kind_are_passed_over() -> None:
    assert after(PROMPT, event("PreToolUse", tool_name=5, tool_input="x", tool_use_id=None))


def test_tools_that_never_end_are_not_remembered_without_bound() -> None:
    reader = HookReader()
    reader.read(PROMPT, 0.0)
    for number in range(10_000):
        reader.read(event("PreToolUse", tool_use_id=f"{number:0500}"), 1.0)
    assert sum(map(len, reader._open)) < 100_000
    reader.read(event("Stop"), 2.0)
    assert not reader._open


def test_of_more_than_256_tools_the_last_are_not_waited_for() -> None:
    for count, says in ((256, Says.RUNNING), (257, Says.THINKING)):
        begun = [event("PreToolUse", tool_use_id=str(number)) for number in range(count)]
        ended = [event("PostToolUse", tool_use_id=str(number)) for number in range(256)]
        assert after(PROMPT, *begun, *ended[: count - 1]) is says


@pytest.mark.requirement("F-9")
def test_a_denial_tells_what_was_wanted_and_why_not() -> None:
    said = HookReader().read(DENIED, 0.0)
    assert said is not None and said.rule == "denied"
    assert said.text == (
        "Write: /w/x · [DAIC: Tool Blocked] You're in discussion mode. Seek alignment."
    )
