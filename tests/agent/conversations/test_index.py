"""The index: replaced whole, made again from the files, and changed by nobody behind one's back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.helpers.conversations import index, store, text, transcript

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.conversations.store import Conversations


def _filled(conversations: Conversations) -> str:
    id = conversations.create("my-project").id
    with conversations.open(id) as conversation:
        for said in ("one", "two"):
            conversation.append_user(said)
            conversation.append_assistant([text("x")])
        conversation.append_user("three")
        conversation.fail_turn()
        conversation.compact("sum", 2)
        conversation.change(work_overlay_turns_left=3, work_overlay_directive="d")
    return id


@pytest.mark.parametrize("broken", [None, b"", b"{", b"[]", b"\x00" * 99, b"\xff", b"[" * 99999])
@pytest.mark.requirement("SB-11")
def test_a_lost_or_broken_index_is_made_again(tmp_path: Path, broken: bytes | None) -> None:
    conversations = store(tmp_path)
    id = _filled(conversations)
    conversations.create("second")
    before = conversations.entries()
    path = index(tmp_path)
    path.unlink()
    if broken is not None:
        path.write_bytes(broken)
    after = {entry.id: entry for entry in store(tmp_path).entries()}
    for one in before:
        again = after.pop(one.id)
        assert again.last_active
        assert {**_fields(again), "last_active": ""} == {**_fields(one), "last_active": ""}
    assert after == {}
    assert set(json.loads(path.read_text())) == {one.id for one in before}
    aside = path.with_suffix(".broken")
    assert (aside.read_bytes() if aside.exists() else None) == broken
    with conversations.open(id) as conversation:
        assert conversation.messages()[2]["content"] == "two"


def _fields(entry: object) -> dict[str, object]:
    return {name: getattr(entry, name) for name in entry.__struct_fields__}  # type: ignore[attr-defined]


@pytest.mark.requirement("WC-1")
def test_the_overlays_fields_may_stand_among_the_flags(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create("old").id
    kept = json.loads(index(tmp_path).read_text())
    overlay = {"work_overlay_turns_left": 2, "work_overlay_directive": "d"}
    kept[id]["flags"] = {"local_only": True, **overlay}
    index(tmp_path).write_text(json.dumps(kept))
    found = conversations.entry(id)
    assert (found.work_overlay_turns_left, found.work_overlay_directive) == (2, "d")
    conversations.change(id, work_overlay_turns_left=0, work_overlay_directive="")
    assert conversations.entry(id).work_overlay_turns_left == 0
    assert json.loads(index(tmp_path).read_text())[id]["flags"] == {"local_only": True}


@pytest.mark.requirement("SB-11")
def test_times_come_from_the_records(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    transcript(tmp_path, "old").write_text(
        'x\n{"type":"user","content":"a","ts":1000}\n{"type":"user","content":"b","ts":2000}\n'
    )
    entry = conversations.entries()[0]
    assert (entry.id, entry.label, entry.message_count) == ("old", "", 1)
    assert entry.created_at == "1970-01-01T00:16:40+00:00"
    assert entry.last_active == "1970-01-01T00:33:20+00:00"


@pytest.mark.requirement("SB-11")
def test_a_file_that_the_index_has_not_is_found_and_the_rest_stays(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    one = conversations.create("one")
    kept = json.loads(index(tmp_path).read_text())
    kept[one.id]["mood"] = "calm"
    kept["odd"] = {"label": 7, "message_count": "many"}
    index(tmp_path).write_text(json.dumps(kept))
    transcript(tmp_path, "copied").write_text('{"type":"user","content":"a","ts":1}\n')
    assert {entry.id for entry in conversations.entries()} == {one.id, "copied", "odd"}
    conversations.change(one.id, label="two")
    kept = json.loads(index(tmp_path).read_text())
    assert kept[one.id]["mood"] == "calm" and kept[one.id]["label"] == "two"
    assert kept["odd"] == {"label": 7, "message_count": "many"}


@pytest.mark.requirement("SB-11")
def test_the_index_is_replaced_and_never_written_into(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with index(tmp_path).open("rb") as before:
        old = before.read()
        conversations.change(id, label="x" * 10_000)
        before.seek(0)
        assert before.read() == old
    assert [path.name for path in index(tmp_path).parent.glob("*.nagomi")] == []


@pytest.mark.requirement("SB-11")
def test_a_count_that_a_killed_process_left_is_put_right(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with transcript(tmp_path, id).open("ab") as file:
        file.write(
            b'{"type":"user","content":"a","ts":1}\n{"type":"assistant","content":"b","ts":1}\n'
        )
    with conversations.open(id) as conversation:
        assert conversation.entry.message_count == 2


@pytest.mark.requirement("WB-7")
def test_what_is_changed_during_a_turn_outlasts_its_end(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    conversations.change(id, work_overlay_turns_left=5, work_overlay_directive="d")
    with conversations.open(id) as conversation:
        conversation.append_user("go")
        store(tmp_path).change(id, work_overlay_turns_left=0, work_overlay_directive="")
        conversation.append_assistant([text("done")])
        conversation.update(
            lambda now: {"work_overlay_turns_left": max(0, now.work_overlay_turns_left - 1)}
        )
    entry = conversations.entry(id)
    assert (entry.work_overlay_turns_left, entry.work_overlay_directive) == (0, "")
    assert entry.message_count == 2
