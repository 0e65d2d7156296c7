"""What a strict session may say to the orchestrator: what reads, its own hooks, and ways to stop."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from nagomi_tui import event
from nagomi_tui.api import messages
from nagomi_tui.api.relay import judged

if TYPE_CHECKING:
    from pathlib import Path

READING = [
    messages.ListSessions(id=1),
    messages.Capture(id=1, session="1"),
    messages.Why(id=1, session="1"),
    messages.GuardStop(id=1),
    messages.GuardDiscuss(id=1, session="1"),
]
WRITING = [
    messages.Create(id=1, cmd="cat", cwd="/"),
    messages.Send(id=1, session="1", text="x"),
    messages.Restart(id=1, session="1"),
    messages.GuardApprove(id=1, session="1"),
    messages.GuardUndo(id=1, session="1"),
    messages.Quit(id=1),
]


@pytest.mark.parametrize("message", READING, ids=lambda one: type(one).__name__)
def test_what_reads_or_stops_is_handed_on(message: messages.FromClient) -> None:
    assert judged(messages.encode(message), "own") == (message, None)


@pytest.mark.parametrize("message", WRITING, ids=lambda one: type(one).__name__)
@pytest.mark.requirement("DB-5")
def test_what_starts_types_or_approves_is_refused(message: messages.FromClient) -> None:
    passing, answer = judged(messages.encode(message), "own")
    assert passing is None and answer is not None and answer.id == 1


def test_all_other_messages_are_dropped() -> None:
    for message in (messages.TypeText(session="1", text="x"), messages.Focus(session="1")):
        assert judged(messages.encode(message), "own") == (None, None)
    assert judged(b"{", "own") == (None, None)


def test_a_greeting_is_no_front_end_s_and_brings_no_environment() -> None:
    said = messages.hello({"PATH": "/project", "LANG": "ja_JP.UTF-8"}, front_end=True)
    passing, _ = judged(messages.encode(said), "own")
    assert isinstance(passing, messages.Hello)
    assert not passing.front_end and passing.env == {"LANG": "ja_JP.UTF-8"}


def test_hooks_speak_for_their_own_session_only() -> None:
    said = messages.Hook(session="own", agent="claude", payload={}, at=1.0, pid=1)
    assert judged(messages.encode(said), "own") == (said, None)
    for other in ("another", ""):
        assert judged(messages.encode(said), other) == (None, None)


def test_an_agent_s_hook_finds_the_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    door = tmp_path / "door"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(door))
        listener.listen()
        for name, value in (
            ("NAGOMI_SESSION_ID", "own"), ("NAGOMI_SOCKET", "/nowhere"), ("NAGOMI_GUARD_DOOR", str(door)),
        ):  # fmt: skip
            monkeypatch.setenv(name, value)
        event.hand_on("claude", json.dumps({"hook_event_name": "Stop"}), 1, 1.0)
        peer, _ = listener.accept()
        with peer, peer.makefile("rb") as lines:
            asked, told = lines.read().splitlines()
    assert json.loads(asked) == ["front"]
    assert json.loads(told)["session"] == "own"
