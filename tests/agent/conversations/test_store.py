"""All conversations of an agent: made, listed, found, summed up, changed."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agent.conversations import files
from nagomi_tui.agent.conversations.conversation import SUMMARY, UNDERSTOOD
from nagomi_tui.agent.conversations.entries import Ambiguous, BadName, Busy, NoConversation
from nagomi_tui.agent.conversations.records import CallResult
from nagomi_tui.text import words
from tests.helpers.conversations import index, store, text, transcript, use

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.conversations.conversation import Conversation


def _turn(conversation: Conversation, said: str) -> None:
    conversation.append_user(said)
    conversation.append_assistant([text(f"to {said}")])


@pytest.mark.requirement("S-4", "SC-2")
def test_files_lie_where_the_layout_says(tmp_path: Path) -> None:
    made = store(tmp_path, "claw0").create("my-project")
    assert re.fullmatch("[0-9a-f]{12}", made.id)
    assert transcript(tmp_path, made.id, "claw0").stat().st_mode & 0o777 == 0o600
    kept = index(tmp_path, "claw0").read_text()
    assert json.loads(kept) == {
        made.id: {
            "label": "my-project",
            "created_at": "2009-02-13T23:31:30+00:00",
            "last_active": "2009-02-13T23:31:30+00:00",
            "message_count": 0,
        }
    }
    assert kept == json.dumps(json.loads(kept), indent=2, ensure_ascii=False)


@pytest.mark.requirement("SC-2")
def test_the_index_is_readable_in_any_language(tmp_path: Path) -> None:
    store(tmp_path).create("名前")
    assert "名前" in index(tmp_path).read_text()


@pytest.mark.requirement("SC-3")
def test_the_latest_is_gone_on_with_and_the_first_one_is_initial(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    first = conversations.latest()
    assert first.label == "initial"
    second = conversations.create("second")
    assert conversations.latest().id == second.id
    with conversations.open(first.id) as conversation:
        conversation.append_user("hello")
        assert [entry.id for entry in conversations.entries()] == [first.id, second.id]
    assert store(tmp_path).latest().id == first.id
    assert len(conversations.entries()) == 2


@pytest.mark.requirement("SB-15", "S-27")
def test_a_conversation_is_found_by_id_or_label(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    one, two = conversations.create("my-project"), conversations.create("my-p")
    three = conversations.create("日記")
    assert conversations.find("my-pr").id == one.id
    assert conversations.find("my-p").id == two.id  # the whole name wins
    assert conversations.find(one.id).id == one.id
    assert conversations.find(one.id[:11]).id == one.id
    assert conversations.find("日").id == three.id
    with pytest.raises(Ambiguous) as doubt:
        conversations.find("my")
    assert {entry.id for entry in doubt.value.entries} == {one.id, two.id}
    assert "my-project" in str(doubt.value) and one.id in str(doubt.value)
    for name in ("project", ""):
        with pytest.raises(NoConversation):
            conversations.find(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        "a\n",
        "a b",
        "名",
        "a..b",
        ".x",
        "x.meta",
        "a" * 101,
        "C:",
    ],
)
@pytest.mark.requirement("SB-18")
def test_what_becomes_part_of_a_path_is_plain(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadName):
        store(tmp_path, name)
    index_of = index(tmp_path)
    conversations = store(tmp_path)
    index_of.write_text(json.dumps({name: {"label": "evil", "last_active": "9"}}))
    assert conversations.entries() == ()
    with pytest.raises(NoConversation):
        conversations.open(name)
    assert "evil" in index_of.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".sessions"]


@pytest.mark.requirement("SB-18")
def test_a_label_may_be_anything(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    made = conversations.create("../../etc/passwd\n")
    assert conversations.find("../..").id == made.id
    assert [path.name for path in tmp_path.iterdir()] == [".sessions"]


@pytest.mark.requirement("SB-5", "S-25", "X-6")
def test_a_compaction_outlasts_a_restart_and_takes_nothing_away(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        for said in ("one", "two", "three"):
            _turn(conversation, said)
        before = transcript(tmp_path, id).read_bytes()
        conversation.compact("so far", 4)
        live = conversation.messages()
        assert conversation.total() == 6
    assert transcript(tmp_path, id).read_bytes() == before
    assert [message["content"] for message in live] == [
        SUMMARY + "so far", [text(UNDERSTOOD)], "three", [text("to three")],
    ]  # fmt: skip
    with store(tmp_path).open(id) as conversation:
        assert conversation.messages() == live
        assert conversation.total() == conversation.entry.message_count == 6
        _turn(conversation, "four")
        conversation.compact("and more", 4)
        assert conversation.total() == 8
        assert conversation.messages()[2]["content"] == "four"
    with store(tmp_path).open(id) as conversation:
        assert conversation.messages()[0]["content"] == SUMMARY + "and more"
        conversation.compact("all", 4)
        _turn(conversation, "five")
        assert conversation.messages()[2]["content"] == "five"
        assert conversation.total() == 10


@pytest.mark.requirement("SB-3", "WC-6")
def test_a_compaction_elsewhere_than_at_a_turn_is_refused(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        conversation.append_user("go")
        conversation.append_assistant([use("a")])
        conversation.append_tool_results([CallResult("a", "1")])
        conversation.append_assistant([text("done")])
        _turn(conversation, "on")
        before = conversation.messages()
        for upto in (-1, 0, 1, 2, 3, 5, 7):
            with pytest.raises(ValueError):
                conversation.compact("sum", upto)
        assert conversation.messages() == before
        conversation.compact("sum", 4)
        with pytest.raises(ValueError):
            conversation.compact("sum", 1)


@pytest.mark.requirement("X-6")
def test_a_side_car_of_another_transcript_hides_nothing(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    path = transcript(tmp_path, id)
    with conversations.open(id) as conversation:
        _turn(conversation, "one")
        _turn(conversation, "two")
        conversation.compact("sum", 2)
    with path.with_suffix(".meta.jsonl").open("ab") as file:
        file.write(
            b'{"type":"compaction","summary":"wrong","offset":7,"messages":1}\nx\n{"type":"new"}\n'
        )
    with conversations.open(id) as conversation:
        assert [one["content"] for one in conversation.messages()][::2] == ["one", "two"]
        assert conversation.total() == 4


@pytest.mark.requirement("X-7", "W-1")
def test_summary_and_overlay_stand_in_the_index(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create("x").id
    with conversations.open(id) as conversation:
        _turn(conversation, "one")
        conversation.compact("sum", 2)
        conversation.change(work_overlay_turns_left=8, work_overlay_directive="短く")
    kept = json.loads(index(tmp_path).read_text())[id]
    assert kept["summary"] == "sum"
    assert (kept["work_overlay_turns_left"], kept["work_overlay_directive"]) == (8, "短く")
    with store(tmp_path).open(id) as conversation:
        assert conversation.entry.work_overlay_turns_left == 8
        conversation.change(work_overlay_turns_left=0, work_overlay_directive="")
    kept = json.loads(index(tmp_path).read_text())[id]
    assert not {"work_overlay_turns_left", "work_overlay_directive"} & set(kept)
    assert kept["message_count"] == 2


@pytest.mark.parametrize("wrong", [{"history": 1}, {"label": 1}, {"message_count": True}])
def test_a_field_that_the_index_has_not_is_refused(
    tmp_path: Path, wrong: dict[str, object]
) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    before = index(tmp_path).read_bytes()
    with pytest.raises(ValueError):
        conversations.change(id, **wrong)
    assert index(tmp_path).read_bytes() == before


@pytest.mark.requirement("SB-13")
def test_a_turn_that_failed_is_no_part_of_the_history(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        _turn(conversation, "one")
        conversation.append_user("again?")
        conversation.fail_turn()
        conversation.fail_turn()
        _turn(conversation, "again?")
        live = conversation.messages()
        assert [message["role"] for message in live] == ["user", "assistant"] * 2
        assert live[2]["content"] == "again?"
    with conversations.open(id) as conversation:
        assert conversation.messages() == live and conversation.total() == 4
        conversation.fail_turn()
        assert conversation.messages() == live
    kinds = {json.loads(line)["type"] for line in transcript(tmp_path, id).read_text().splitlines()}
    assert kinds == {"user", "assistant"}


@pytest.mark.requirement("SB-13")
def test_what_tools_did_in_a_turn_that_failed_stays_known(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        conversation.append_user("go")
        conversation.append_assistant([use("a")])
        conversation.append_tool_results([CallResult("a", "written")])
        conversation.fail_turn()
        conversation.append_user("on")
        live = conversation.messages()
    assert [len(message["content"]) for message in live[1:]] == [1, 2]
    with conversations.open(id) as conversation:
        assert conversation.messages() == live


def test_every_fault_has_its_sentence_in_both_languages(tmp_path: Path) -> None:
    with pytest.raises(NoConversation) as fault:
        store(tmp_path).find("x")
    assert fault.value.say(words.of("en")) == str(fault.value)
    assert "会話" in fault.value.say(words.of("ja")) and "x" in fault.value.say(words.of("ja"))


@pytest.mark.timeout(10)
def test_a_fifo_in_place_of_a_file_keeps_nobody(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    for name in (file, tmp_path / f".{file.name}.pid"):
        os.mkfifo(name)
    with pytest.raises(OSError, match="no regular file"):
        files.read(file)
    lock = files.Lock(file)
    with pytest.raises(Busy):
        files.Lock(file)
    lock.release()
