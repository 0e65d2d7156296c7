"""Whatever is cut off, killed or full: nothing is lost but the line that was being written."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nagomi_tui.agent.conversations.entries import NotWritten
from nagomi_tui.agent.conversations.records import CallResult
from tests.helpers.conversations import assert_sendable, index, store, text, transcript, use
from tests.helpers.dead_mount import small_disk
from tests.helpers.examples import examples
from tests.helpers.tree import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.conversations.conversation import Conversation

pytestmark = pytest.mark.slow

_FILLS: Final = """
import pathlib, sys
from nagomi_tui.agent.conversations.entries import NotWritten
from tests.helpers.conversations import store, text, transcript
folder = pathlib.Path(sys.argv[1])
conversations = store(folder)
id = conversations.create("full").id
said = 0
with conversations.open(id) as conversation:
    try:
        while True:
            conversation.append_user(f"{said} " + "x" * 40_000)
            said += 1
            conversation.append_assistant([text("y")])
    except NotWritten as full:
        print(full)
    live = conversation.messages()
    conversation.fail_turn()
filler = folder / "filler"
try:
    with filler.open("wb") as file:
        while True:
            file.write(b"x")
            file.flush()
except OSError:
    pass
kept = transcript(folder, id).read_bytes()
assert kept.endswith(b"\\n"), "no half line stays"
with conversations.open(id) as conversation:
    assert conversation.messages() == live and not conversation.faults
    try:
        conversation.append_user("z" * 9000)
    except NotWritten:
        print("still full")
assert transcript(folder, id).read_bytes() == kept
assert conversations.entries()[0].label == "full"
filler.unlink()
with conversations.open(id) as conversation:
    conversation.append_user("room again")
    assert "room again" in str(conversation.messages()[-1])
print(said)
"""


@pytest.mark.requirement("SB-12")
def test_nothing_is_lost_wherever_a_process_is_killed(tmp_path: Path) -> None:
    walked = subprocess.run(
        [sys.executable, "-m", "tests.helpers.dying", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert walked.returncode == 0, walked.stderr
    points = int(walked.stdout)
    assert points > 60
    for point in range(points):
        _assert_kept(tmp_path / str(point))


def _assert_kept(folder: Path) -> None:
    """Check what a killed process had been promised, and that its conversation goes on."""
    promised = (folder / "done").read_text().split("\n")[:-1]
    conversations = store(folder)
    if "created" not in promised:
        conversations.create("tale")
    entry = next(one for one in conversations.entries() if one.label == "tale")
    assert ("overlay" in promised) <= (entry.work_overlay_turns_left == 4)
    assert ("compacted" in promised) <= (entry.summary == "the summary")
    before = transcript(folder, entry.id).read_bytes()
    said = [one for one in promised if " " in one]
    assert all(one.encode() in before for one in said)
    with conversations.open(entry.id) as conversation:
        assert conversation.faults.garbled == 0
        assert_sendable(conversation.messages())
        conversation.append_user("after the crash")
        conversation.append_assistant([text("welcome back")])
        live = conversation.messages()
    assert_sendable(live)
    after = transcript(folder, entry.id).read_bytes()
    assert after.startswith(before)
    with conversations.open(entry.id) as conversation:
        assert conversation.messages() == live
        assert conversation.entry.message_count == conversation.total()
        assert "welcome back" in conversation.export()


@pytest.mark.parametrize(
    "torn", [b'{"type":"user","con', b"\x00" * 70_000, "「".encode()[:2], b"x"]
)
@pytest.mark.requirement("SB-12")
def test_a_line_that_was_cut_off_is_ended_and_kept(tmp_path: Path, torn: bytes) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        conversation.append_user("one")
    path = transcript(tmp_path, id)
    before = path.read_bytes() + torn
    path.write_bytes(before)
    with conversations.open(id) as conversation:
        assert (conversation.faults.torn, conversation.faults.garbled) == (1, 0)
        conversation.append_assistant([text("two")])
        assert conversation.total() == 2
    assert path.read_bytes().startswith(before + b"\n")
    with conversations.open(id) as conversation:
        assert (conversation.faults.torn, conversation.faults.garbled) == (0, 1)
        assert conversation.total() == 2


@pytest.mark.requirement("SB-12")
def test_a_whole_record_that_only_lacks_its_newline_is_read(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    transcript(tmp_path, id).write_bytes(b'{"type":"user","content":"one","ts":1}')
    with conversations.open(id) as conversation:
        assert not conversation.faults
        conversation.append_assistant([text("two")])
        assert conversation.total() == 2


@pytest.mark.requirement("SB-12")
def test_a_side_car_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create("x").id
    beside = transcript(tmp_path, id).with_suffix(".meta.jsonl")
    beside.write_bytes(beside.read_bytes() + b'{"type":"compac')
    conversations.change(id, work_overlay_turns_left=2)
    index(tmp_path).unlink()
    entry = conversations.entries()[0]
    assert (entry.label, entry.work_overlay_turns_left) == ("x", 2)


@pytest.mark.requirement("SB-12")
def test_a_disk_that_is_full_loses_nothing_and_says_so(tmp_path: Path) -> None:
    with small_disk(tmp_path) as inside:
        done = subprocess.run(
            [*inside, sys.executable, "-c", _FILLS, str(tmp_path)],
            cwd=ROOT, capture_output=True, text=True, timeout=100,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    full, again, said = done.stdout.splitlines()
    assert "No space left" in full and "is kept" in full and again == "still full"
    assert 5 < int(said) < 30


@pytest.mark.requirement("SB-12")
def test_a_line_that_does_not_fit_is_taken_back(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation:
        conversation.append_user("one")
        before = transcript(tmp_path, id).read_bytes()
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, limits[1]))
        try:
            with pytest.raises(NotWritten):
                conversation.append_assistant([text("y" * 1000)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert transcript(tmp_path, id).read_bytes() == before
        conversation.append_assistant([text("z")])
        assert [one["role"] for one in conversation.messages()] == ["user", "assistant"]


_STEPS: Final = st.lists(
    st.one_of(
        st.tuples(st.just("user"), st.text(max_size=4)),
        st.tuples(st.just("answer"), st.lists(st.sampled_from("abc"), max_size=3)),
        st.tuples(st.just("results"), st.lists(st.sampled_from("abc"), max_size=3)),
        st.tuples(st.just("fail"), st.none()),
        st.tuples(st.just("compact"), st.integers(1, 9)),
        st.tuples(st.just("cut"), st.integers(1, 200)),
        st.tuples(st.just("garble"), st.binary(max_size=20)),
        st.tuples(st.just("reopen"), st.none()),
    ),
    max_size=14,
)


@examples(60)
@given(steps=_STEPS)
@example(steps=[("user", ""), ("fail", None), ("cut", 47), ("user", "0")])
@example(steps=[("user", "0"), ("compact", 1), ("cut", 48), ("user", "0")])
@pytest.mark.requirement("S-12", "SB-12", "SB-14")
def test_any_story_replays_to_what_a_model_takes(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, object]]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    conversations = store(folder)
    id = conversations.create().id
    conversation = conversations.open(id)
    try:
        for name, what in steps:
            if name in ("cut", "garble", "reopen"):
                conversation.close()
                _harm(transcript(folder, id), name, what)
                conversation = conversations.open(id)
            else:
                _step(conversation, name, what)
            assert_sendable(conversation.messages())
        live = conversation.messages()
        conversation.close()
        conversation = conversations.open(id)
        assert conversation.messages() == live
        kept = json.loads(index(folder).read_text())[id]
        assert kept["message_count"] == conversation.total()
    finally:
        conversation.close()
        shutil.rmtree(folder)


def _step(conversation: Conversation, name: str, what: object) -> None:
    if name == "user":
        conversation.append_user(str(what))
    elif name == "answer" and isinstance(what, list):
        conversation.append_assistant([text("x"), *map(use, what)])
    elif name == "results" and isinstance(what, list):
        conversation.append_tool_results([CallResult(id, "r") for id in what])
    elif name == "fail":
        conversation.fail_turn()
    elif isinstance(what, int):
        before = conversation.messages()
        try:
            conversation.compact("sum", what)
        except ValueError:
            assert conversation.messages() == before


def _harm(path: Path, name: str, what: object) -> None:
    data = path.read_bytes()
    if name == "cut" and isinstance(what, int):
        path.write_bytes(data[:-what])
    elif isinstance(what, bytes):
        path.write_bytes(data + what)
