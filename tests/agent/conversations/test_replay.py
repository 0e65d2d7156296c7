"""Any transcript becomes messages that a model takes: alternating, with whole pairs of tools."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from nagomi_tui.agent.conversations.replay import INTERRUPTED, UNREADABLE, Replay, begins_turn
from tests.helpers.conversations import assert_sendable, store, text, transcript, use

_GOLDEN: Final = Path(__file__).parents[2] / "golden" / "conversations"


def _user(said: object) -> dict[str, Any]:
    return {"type": "user", "content": said, "ts": 1}


def _assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "assistant", "content": list(blocks), "ts": 1}


def _use(id: str) -> dict[str, Any]:
    return {"type": "tool_use", "tool_use_id": id, "name": "read_file", "input": {}, "ts": 1}


def _result(id: str, content: str = "ok") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, "ts": 1}


def _given(id: str, content: str = "ok", **more: object) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def _interrupted(id: str) -> dict[str, Any]:
    return _given(id, INTERRUPTED, is_error=True)


def _replayed(*records: dict[str, Any] | bytes) -> tuple[Replay, list[list[Any]]]:
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in records]
    replay = Replay()
    replay.read(b"".join(line + b"\n" for line in lines), 0)
    assert_sendable(replay.messages())
    return replay, [[message["role"], message["content"]] for message in replay.messages()]


def _messages(*records: dict[str, Any] | bytes) -> list[list[Any]]:
    return _replayed(*records)[1]


@pytest.mark.requirement("S-12", "S-13", "S-14")
def test_the_simplest_conversation() -> None:
    plain = {"type": "assistant", "content": "Hi!", "ts": 1}
    assert _messages(_user("Hello"), plain, _user("more")) == [
        ["user", "Hello"],
        ["assistant", [text("Hi!")]],
        ["user", "more"],
    ]


@pytest.mark.requirement("S-15")
def test_a_use_joins_the_answer_before_it_or_begins_one() -> None:
    joined = _messages(_user("go"), _assistant(text("I look.")), _use("a"), _result("a"))
    assert joined[1] == ["assistant", [text("I look."), use("a")]]
    begun = _messages(_user("go"), _use("a"), _result("a"), _use("b"), _result("b"))
    assert [content for _, content in begun[1:]] == [
        [use("a")], [_given("a")], [use("b")], [_given("b")],
    ]  # fmt: skip


@pytest.mark.requirement("S-16")
def test_results_that_follow_one_another_are_one_message() -> None:
    found = _messages(_user("go"), _use("a"), _use("b"), _result("b", "2"), _result("a", "1"))
    assert found[2] == ["user", [_given("b", "2"), _given("a", "1")]]


@pytest.mark.requirement("SB-1")
def test_a_use_in_both_layouts_is_sent_once() -> None:
    found = _messages(_user("go"), _assistant(text("x"), use("a")), _use("a"), _result("a"))
    assert found[1] == ["assistant", [text("x"), use("a")]]


@pytest.mark.requirement("SB-1")
def test_an_id_that_a_server_gives_again_stays_a_use_of_its_own() -> None:
    one = (_assistant(), _use("call_0"), _result("call_0", "1"))
    two = (_assistant(), _use("call_0"), _result("call_0", "2"))
    found = _messages(_user("go"), *one, *two)
    assert [content for _, content in found[1:]] == [
        [use("call_0")], [_given("call_0", "1")], [use("call_0_2")], [_given("call_0_2", "2")],
    ]  # fmt: skip


@pytest.mark.requirement("SB-2")
def test_parallel_tools_stay_together_in_either_layout() -> None:
    results = [_use("a"), _result("a", "1"), _use("b"), _result("b", "2")]
    for answer in (_assistant(text("x"), use("a"), use("b")), _assistant(text("x"))):
        assert _messages(_user("go"), answer, *results) == [
            ["user", "go"],
            ["assistant", [text("x"), use("a"), use("b")]],
            ["user", [_given("a", "1"), _given("b", "2")]],
        ]


@pytest.mark.requirement("SB-3", "WC-6")
def test_history_is_cut_only_where_a_turn_begins() -> None:
    replay, _ = _replayed(
        _user("go"), _assistant(text("x")), _use("a"), _result("a"), _assistant(text("y")),
        _user("on"), _use("b"), _result("b"), _user("after a failure"),
    )  # fmt: skip
    begins = [begins_turn(message) for message in replay.messages()]
    assert begins == [True, False, False, False, True, False, False]


@pytest.mark.requirement("SB-13")
def test_users_in_a_row_are_joined() -> None:
    found = _messages(_user("one"), _user("two"), _assistant(text("both")))
    assert found == [["user", [text("one"), text("two")]], ["assistant", [text("both")]]]
    after = _messages(_user("go"), _use("a"), _result("a"), _user("and now?"))
    assert after[2] == ["user", [_given("a"), text("and now?")]]


@pytest.mark.requirement("SB-14")
def test_a_tool_that_was_interrupted_has_an_error_for_a_result() -> None:
    ended = _messages(_user("go"), _use("a"), _use("b"), _result("b"))
    assert ended[2] == ["user", [_given("b"), _interrupted("a")]]
    later = _messages(_user("go"), _use("a"), _user("never mind"), _assistant(text("fine")))
    assert later[2] == ["user", [_interrupted("a"), text("never mind")]]
    answered = _messages(_user("go"), _use("a"), _assistant(text("so")))
    assert answered[2:] == [["user", [_interrupted("a")]], ["assistant", [text("so")]]]


@pytest.mark.requirement("SB-14")
def test_a_result_that_comes_late_is_still_its_result() -> None:
    found = _messages(_user("go"), _use("a"), _user("well?"), _result("a"))
    assert found[2] == ["user", [_given("a"), text("well?")]]


@pytest.mark.requirement("SB-16")
def test_messages_are_counted_and_not_records(tmp_path: Path) -> None:
    shutil.copytree(_GOLDEN, tmp_path, dirs_exist_ok=True)
    conversations = store(tmp_path, "claw0")
    with conversations.open("0a1b2c3d4e5f") as conversation:
        assert conversation.total() == len(conversation.messages()) == 9
        assert conversation.entry.message_count == 9


@pytest.mark.requirement("SB-20")
def test_what_is_no_record_is_counted_and_passed_over() -> None:
    broken = [
        b'{"type":"user","content":"half', b"\x00\x00\x00", b"[1]", b"\xff\xfe", b'{"type":7}',
        b'{"type":"user","content":7}', b'{"type":"tool_use","name":"x","input":{}}',
        b'{"type":"assistant","content":[{"type":"tool_use","id":"x"}]}', b"[" * 100_000,
        b'{"type":"tool_result","content":"x"}', b'{"type":"assistant","content":["x"]}',
    ]  # fmt: skip
    replay, found = _replayed(
        _user("one"), *broken, b'{"type":"mood","is":"calm"}', _assistant(text("two")), b"", b"\r"
    )
    assert found == [["user", "one"], ["assistant", [text("two")]]]
    assert replay.faults.garbled == len(broken) + 1 and replay.faults.unknown == 1


@pytest.mark.requirement("SB-20")
def test_unknown_records_stay_in_the_file(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    path = transcript(tmp_path, id)
    odd = b'{"type":"mood","is":"calm"}\nnonsense\n'
    path.write_bytes(odd)
    with conversations.open(id) as conversation:
        conversation.append_user("hello")
        conversation.append_assistant([text("hi")])
        conversation.compact("sum", 2)
    assert path.read_bytes().startswith(odd)


@pytest.mark.requirement("SB-20")
def test_a_tenth_of_garbled_lines_leaves_a_conversation_that_can_go_on() -> None:
    told = [record for n in range(100) for record in (
        _user(f"{n}"), _assistant(text("x")), _use(f"a{n}"), _use(f"b{n}"),
        _result(f"a{n}"), _result(f"b{n}"), _assistant(text("y")),
    )]  # fmt: skip
    for first in range(10):
        mixed = [b"{garbled" if n % 10 == first else one for n, one in enumerate(told)]
        replay, _ = _replayed(*mixed)
        assert replay.faults.garbled == 70


def test_a_request_begins_with_the_user_where_the_first_line_is_lost() -> None:
    found = _messages(b"{garbled", _assistant(text("x")), _user("on"))
    assert found[0] == ["user", UNREADABLE]


@pytest.mark.requirement("SB-22")
def test_only_a_newline_ends_a_line() -> None:
    said = "a\u2028b\x85c\x0bd\x1ce\rf"
    line = json.dumps(_user(said), ensure_ascii=False).encode()
    assert _messages(line, _assistant(text("x")))[0] == ["user", said]


def test_blank_text_is_not_sent_since_servers_refuse_it() -> None:
    found = _messages(_user("go"), _assistant(text(""), use("a")), _result("a"), _user("  "))
    assert found == [["user", "go"], ["assistant", [use("a")]], ["user", [_given("a")]]]


@pytest.mark.requirement("S-1")
def test_the_original_layout_is_read_duplicates_and_all(tmp_path: Path) -> None:
    shutil.copytree(_GOLDEN, tmp_path, dirs_exist_ok=True)
    before = transcript(tmp_path, "0a1b2c3d4e5f", "claw0").read_bytes()
    conversations = store(tmp_path, "claw0")
    assert [entry.label for entry in conversations.entries()] == ["my-project", "initial"]
    with conversations.open(conversations.find("my-p").id) as conversation:
        assert not conversation.faults
        messages = conversation.messages()
    assert_sendable(messages)
    blocks = [[b["type"] for b in m["content"]] for m in messages if isinstance(m["content"], list)]
    assert blocks == [
        ["text", "tool_use", "tool_use"], ["tool_result", "tool_result"],
        ["tool_use"], ["tool_result"], ["text"], ["text", "text"], ["text"],
    ]  # fmt: skip
    assert transcript(tmp_path, "0a1b2c3d4e5f", "claw0").read_bytes() == before
