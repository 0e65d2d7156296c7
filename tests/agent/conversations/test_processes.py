"""Several processes at one agent's conversations: one writes each, and all their changes stay."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.agent.conversations.entries import Busy
from nagomi_tui.agent.conversations.files import Lock
from tests.helpers.conversations import assert_sendable, index, store, text, transcript
from tests.helpers.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

_HEAD: Final = """
import pathlib, sys
from tests.helpers.conversations import store, text
conversations = store(pathlib.Path(sys.argv[1]))
id = sys.argv[2]
"""
_HOLDS: Final = """
conversation = conversations.open(id)
conversation.append_user("mine")
print("open", flush=True)
sys.stdin.readline()
conversation.append_assistant([text("done")])
conversation.close()
"""
_CHANGES: Final = """
for _ in range(40):
    conversations.create("by " + sys.argv[3])
    with conversations.open(sys.argv[3]) as own:
        own.append_user("x" * 9000)
        own.append_assistant([text("y")])
        own.update(lambda now: {"work_overlay_turns_left": now.work_overlay_turns_left + 1})
"""
_RACES: Final = """
from nagomi_tui.agent.conversations.entries import Busy
done = 0
while done < 20:
    try:
        with conversations.open(id) as conversation:
            conversation.append_user(sys.argv[3] * 9000)
            conversation.append_assistant([text("y")])
            done += 1
    except Busy as busy:
        assert busy.pid != 0, "who holds it is told"
"""


def _started(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _HEAD + code, *arguments],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@contextmanager
def _holding(folder: Path, id: str) -> Iterator[subprocess.Popen[str]]:
    with _started(_HOLDS, str(folder), id) as holder:
        try:
            assert holder.stdout and holder.stdout.readline() == "open\n"
            yield holder
        finally:
            holder.kill()


@pytest.mark.requirement("SB-19")
def test_the_second_process_is_told_who_holds_it(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id, other = conversations.create().id, conversations.create().id
    with _holding(tmp_path, id) as holder:
        with pytest.raises(Busy) as busy:
            conversations.open(id)
        assert busy.value.pid == holder.pid and str(holder.pid) in str(busy.value)
        with conversations.open(other) as conversation:
            conversation.append_user("beside it")
        holder.communicate("\n")
        assert holder.returncode == 0
    with conversations.open(id) as conversation:
        assert conversation.total() == 2
        with pytest.raises(Busy):
            conversations.open(id)
    conversations.open(id).close()


@pytest.mark.requirement("SB-19")
def test_the_lock_goes_with_a_process_that_is_killed(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with _holding(tmp_path, id) as holder:
        holder.send_signal(signal.SIGKILL)
        holder.wait(30)
        with conversations.open(id) as conversation:
            assert conversation.messages() == [{"role": "user", "content": "mine"}]


@pytest.mark.requirement("WB-7")
def test_a_command_in_another_process_is_not_undone_by_the_turn(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with _holding(tmp_path, id) as holder:
        conversations.change(id, work_overlay_turns_left=8, work_overlay_directive="d")
        holder.communicate("\n")
    entry = conversations.entry(id)
    assert (entry.work_overlay_turns_left, entry.message_count) == (8, 2)


@pytest.mark.requirement("SB-19")
def test_no_change_of_the_index_is_lost_among_processes(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    ids = [conversations.create().id for _ in range(3)]
    running = [_started(_CHANGES, str(tmp_path), id, id) for id in ids]
    for one in running:
        with one:
            assert one.wait(100) == 0
    kept = json.loads(index(tmp_path).read_text())
    assert len(kept) == 3 + 3 * 40
    assert [kept[id]["work_overlay_turns_left"] for id in ids] == [40] * 3
    assert [kept[id]["message_count"] for id in ids] == [80] * 3


@pytest.mark.requirement("SB-19")
def test_lines_of_two_processes_never_mix(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    running = [_started(_RACES, str(tmp_path), id, letter) for letter in "ab"]
    for one in running:
        with one:
            assert one.wait(100) == 0
    lines = transcript(tmp_path, id).read_bytes().split(b"\n")
    said = [json.loads(line)["content"] for line in lines if line]
    assert sorted({one[0] for one in said[::2]}) == ["a", "b"] and len(said) == 80
    with conversations.open(id) as conversation:
        assert conversation.total() == 80 and not conversation.faults
        assert_sendable(conversation.messages())


@pytest.mark.requirement("SB-19")
def test_whoever_opens_it_twice_in_one_process_is_told_too(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    with conversations.open(id) as conversation, pytest.raises(Busy):
        conversation.append_user("a")
        store(tmp_path).open(id)
    with conversations.open(id) as conversation:
        conversation.append_assistant([text("b")])


@pytest.mark.requirement("SB-19")
def test_closing_twice_leaves_the_next_holder_alone(tmp_path: Path) -> None:
    conversations = store(tmp_path)
    id = conversations.create().id
    first = conversations.open(id)
    first.close()
    with _holding(tmp_path, id) as holder:
        first.close()
        with pytest.raises(Busy) as busy:
            conversations.open(id)
        assert busy.value.pid == holder.pid


@pytest.mark.requirement("SB-19")
def test_an_index_that_somebody_keeps_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nagomi_tui.agent.conversations.store.PATIENCE", 0.2)
    conversations = store(tmp_path)
    kept = Lock(index(tmp_path))
    index(tmp_path).with_name(".sessions.json.pid").unlink()
    began = time.monotonic()
    with pytest.raises(Busy):
        conversations.create()
    assert time.monotonic() - began < 3
    kept.release()
    conversations.create()
