"""What stands in a transcript: four kinds of records, a line each, only ever added."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.agent.conversations.records import CallResult
from tests.helpers.conversations import store, text, transcript, use

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.conversations.conversation import Conversation


def _records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def _talk(conversation: Conversation) -> None:
    conversation.append_user("Hello")
    conversation.append_assistant([text("I look."), use("t1", path="a"), use("t2", path="b")])
    conversation.append_tool_results([CallResult("t1", "one"), CallResult("t2", "no", True)])
    conversation.append_assistant([text("Hi!")])


@pytest.mark.requirement("S-1", "S-6")
def test_records_are_only_added(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    path = transcript(tmp_path, id)
    with conversations.open(id) as conversation:
        before = b""
        for said in ("one", "two\nlines", "三"):
            conversation.append_user(said)
            after = path.read_bytes()
            assert after.startswith(before) and after.count(b"\n") == before.count(b"\n") + 1
            before = after
        conversation.compact("sum", 1)
        conversation.fail_turn()
    assert path.read_bytes() == before
    with conversations.open(id) as conversation:
        assert path.read_bytes() == before


@pytest.mark.requirement("S-7", "S-8", "S-9", "S-10", "S-11")
def test_each_record_has_what_its_kind_has(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        _talk(conversation)
    path = transcript(tmp_path, id)
    found = _records(path)
    times = [record.pop("ts") for record in found]
    assert times == sorted(times) and times[0] >= 1_234_567_890
    assert found == [
        {"type": "user", "content": "Hello"},
        {"type": "assistant", "content": [text("I look.")]},
        {"type": "tool_use", "tool_use_id": "t1", "name": "read_file", "input": {"path": "a"}},
        {"type": "tool_use", "tool_use_id": "t2", "name": "read_file", "input": {"path": "b"}},
        {"type": "tool_result", "tool_use_id": "t1", "content": "one"},
        {"type": "tool_result", "tool_use_id": "t2", "content": "no", "is_error": True},
        {"type": "assistant", "content": [text("Hi!")]},
    ]


@pytest.mark.requirement("S-11")
def test_text_is_utf_8_and_half_a_surrogate_pair_spoils_nothing(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        conversation.append_user("朝\ud83dです 🌤")
        kept = conversation.messages()
    assert "朝?です 🌤".encode() in transcript(tmp_path, id).read_bytes()
    with conversations.open(id) as conversation:
        assert conversation.messages() == kept == [{"role": "user", "content": "朝?です 🌤"}]


@pytest.mark.requirement("SB-1")
def test_uses_of_tools_are_written_once(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        conversation.append_user("go")
        conversation.append_assistant([text("I look."), use("t1")])
    kinds = [record["type"] for record in _records(transcript(tmp_path, id))]
    assert kinds == ["user", "assistant", "tool_use"]


@pytest.mark.requirement("SB-2")
def test_uses_come_before_results_and_answers_without_text_stay_apart(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        conversation.append_user("go")
        conversation.append_assistant([use("a"), use("b")])
        conversation.append_tool_results([CallResult("a", "1"), CallResult("b", "2")])
        conversation.append_assistant([use("c")])
        conversation.append_tool_results([CallResult("c", "3")])
        live = conversation.messages()
    with conversations.open(id) as conversation:
        assert conversation.messages() == live
    sizes = [len(message["content"]) for message in live]
    assert [message["role"] for message in live] == ["user", "assistant", "user"] + [
        "assistant",
        "user",
    ]
    assert sizes[1:] == [2, 2, 1, 1]


@pytest.mark.parametrize("mask_user", [True, False])
@pytest.mark.requirement("X-24")
def test_results_are_masked_and_the_users_words_unless_told_not_to(
    tmp_path: Path, mask_user: bool
) -> None:
    conversations = store(tmp_path, mask_user=mask_user)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        conversation.append_user("my password is hunter2")
        conversation.append_assistant([use("t1"), use("t2")])
        parts = [text("it is hunter2"), {"type": "image", "source": {}}]
        conversation.append_tool_results([CallResult("t1", "hunter2"), CallResult("t2", parts)])
        sent = json.dumps(conversation.messages())
    kept = transcript(tmp_path, id).read_text()
    assert kept.count("hunter2") == sent.count("hunter2") == (0 if mask_user else 1)
    assert kept.count("***") == (3 if mask_user else 2)


def test_results_that_nobody_waits_for_are_told(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        conversation.append_user("go")
        conversation.append_tool_results([CallResult("t9", "lost")])
        assert conversation.faults.stray == 1
        assert conversation.messages() == [{"role": "user", "content": "go"}]


def test_export_holds_all_that_was_said(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create("名前").id
    with conversations.open(id) as conversation:
        _talk(conversation)
        conversation.append_user("```python\nx\n```")
        conversation.append_assistant([use("t3")])
        conversation.append_tool_results([CallResult("t3", "a ```` b")])
        conversation.append_assistant([text("done")])
        conversation.compact("sum", 4)
        shown = conversation.export()
    assert shown.startswith("# 名前\n")
    for part in ("Hello", "I look.", '"path": "a"', "one", "Hi!", "done", "`````\na ```` b\n`````"):
        assert part in shown
    assert "sum" not in shown
