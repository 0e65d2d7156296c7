"""`nagomi event`, the program that agents run for each hook: quick, silent, never in the way."""

from __future__ import annotations

import json
import os
import pty
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui import event
from nagomi_tui.api import messages
from nagomi_tui.judge.senses.hooks import HookReader
from tests.helpers.starters import STARTERS
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

PROGRAM: Final = (sys.executable, "-IS", event.__file__)
STOP: Final = {"hook_event_name": "Stop", "session_id": "c", "last_assistant_message": "Done."}
DEADLINE: Final = 5.0
"""Seconds that a loaded machine may add to the program's own."""


@contextmanager
def listening(folder: Path) -> Iterator[tuple[socket.socket, dict[str, str]]]:
    """Give an orchestrator's socket, and the variables that lead to it."""
    path = folder / "front"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.bind(str(path))
        peer.listen()
        peer.settimeout(10)
        yield peer, {"NAGOMI_SESSION_ID": "s", "NAGOMI_SOCKET": str(path)}


def run(
    env: Mapping[str, str], given: bytes, *arguments: str, program: Sequence[str] = PROGRAM
) -> float:
    """Run it, hold it to silence and 0, and return the seconds that it took."""
    started = time.monotonic()
    done = subprocess.run(
        [*program, *arguments], input=given, capture_output=True, env=dict(env), timeout=20
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return time.monotonic() - started


def heard(peer: socket.socket) -> messages.Hook:
    """Return the one message that came."""
    accepted, _ = peer.accept()
    with accepted, accepted.makefile("rb") as lines:
        (line,) = lines.readlines()
    message = messages.decode_from_client(line)
    assert isinstance(message, messages.Hook)
    return message


def test_an_event_on_stdin_is_handed_on(tmp_path: Path) -> None:
    with listening(tmp_path) as (peer, env):
        run(env, json.dumps(STOP).encode(), "claude", "4711")
        found = heard(peer)
    assert (found.session, found.agent, found.pid, found.payload) == ("s", "claude", 4711, STOP)
    assert abs(found.at - time.time()) < 60


def test_an_event_told_by_its_name_alone_leaves_the_terminal_to_the_agent(tmp_path: Path) -> None:
    """aider runs it on its own terminal and waits for it."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b"typed meanwhile\n")
        with listening(tmp_path) as (peer, env):
            command = [*PROGRAM, "aider", "4711", "TurnEnd"]
            subprocess.run(command, stdin=theirs, env=env, timeout=20, check=True)
            assert heard(peer).payload["hook_event_name"] == "TurnEnd"
        assert os.read(theirs, 100) == b"typed meanwhile\n"
    finally:
        os.close(ours)
        os.close(theirs)


def test_an_event_as_argument_is_handed_on(tmp_path: Path) -> None:
    with listening(tmp_path) as (peer, env):
        run(env, b"", "codex", "", json.dumps(STOP))
        assert heard(peer).payload == STOP


def test_the_command_does_the_same(tmp_path: Path) -> None:
    command = (sys.executable, "-P", "-m", "nagomi_tui", "event")
    with listening(tmp_path) as (peer, env):
        run(env, json.dumps(STOP).encode(), "claude", program=command)
        assert heard(peer).agent == "claude"
    run({}, b"{", "--no-such-option", "x", program=command)


def test_only_what_is_read_is_handed_on_and_it_is_short(tmp_path: Path) -> None:
    """A tool's answer may be huge and hold anything; it stays with the agent."""
    given = {
        **STOP,
        "prompt": "my password is hunter2",
        "tool_response": {"stdout": "x" * 10_000_000},
        "transcript_path": "/home/me/.claude/t.jsonl",
        "tool_input": {"command": "y" * 100_000, "content": "z" * 100_000},
    }
    with listening(tmp_path) as (peer, env):
        # On a busy machine it may be over its time before it has read all of that.
        payload = until(lambda: _told(peer, env, json.dumps(given).encode()))
    assert payload == {**STOP, "tool_input": {"command": "y" * event.LONGEST}}


def _told(peer: socket.socket, env: Mapping[str, str], given: bytes) -> dict[str, Any] | None:
    """Return what is handed on of an event, or None if the program gave up."""
    run(env, given, "claude")
    peer.settimeout(0)
    try:
        return heard(peer).payload
    except BlockingIOError:
        return None


class _Noting(dict[str, Any]):
    """Notes which fields are looked at."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.asked: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)


def test_what_the_judge_reads_is_handed_on() -> None:
    names = (
        "PreToolUse", "PostToolUse", "Notification", "PostCompact", "SessionStart", "Stop",
        "StopFailure", "UserPromptSubmit", "PermissionRequest", "Elicitation",
    )  # fmt: skip
    reader, asked, asked_inside = HookReader(), set[str](), set[str]()
    for name in names:
        inside = _Noting({"command": "c"})
        payload = _Noting({"hook_event_name": name, "tool_input": inside})
        reader.read(payload, 1.0)
        asked |= payload.asked
        asked_inside |= inside.asked
    # What the guard has decided is put in by the program that hands it on.
    assert asked - {"tool_input", "guard"} <= set(event.FIELDS)
    assert asked_inside <= set(event.INPUT_FIELDS)


@pytest.mark.parametrize(
    "given",
    [
        b"", b"garbage", b"[1, 2]", b"{}", b'"text"', b"{" * 100_000, b"\xff\xfe\x00",
        b'{"hook_event_name": "Stop"',
    ],
)  # fmt: skip
def test_garbage_says_nothing(tmp_path: Path, given: bytes) -> None:
    with listening(tmp_path) as (peer, env):
        run(env, given, "claude")
        peer.setblocking(False)
        with pytest.raises(BlockingIOError):
            peer.accept()


def test_outside_nagomi_it_does_nothing() -> None:
    """As in ssh and sudo, which do not pass the variables on."""
    run({}, json.dumps(STOP).encode(), "claude")
    run({"NAGOMI_SESSION_ID": "s"}, json.dumps(STOP).encode(), "claude")
    run({"NAGOMI_SOCKET": "/nowhere/front"}, json.dumps(STOP).encode())


def test_with_nagomi_gone_it_ends_at_once(tmp_path: Path) -> None:
    env = {"NAGOMI_SESSION_ID": "s", "NAGOMI_SOCKET": str(tmp_path / "front")}
    assert run(env, json.dumps(STOP).encode(), "claude") < DEADLINE


def test_a_successor_that_serves_soon_is_waited_for(tmp_path: Path) -> None:
    """An orchestrator that was killed comes back within a moment, and its events count.

    A loaded machine may give the program no turn within its second: then it is tried again.
    """
    tries = iter(range(10))
    assert any(comes_back(tmp_path / str(number)) for number in tries)


def comes_back(folder: Path) -> bool:
    """Replace an orchestrator under a program that waits for it; tell whether it was heard."""
    folder.mkdir(mode=0o700)
    with listening(folder) as (_, env):
        pass
    with subprocess.Popen(
        [*PROGRAM, "claude"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(json.dumps(STOP).encode())
        child.stdin.close()
        time.sleep(0.2)  # it is refused meanwhile
        os.unlink(env["NAGOMI_SOCKET"])
        with listening(folder) as (peer, _):
            peer.settimeout(2)
            try:
                assert heard(peer).payload == STOP
            except TimeoutError:
                return False
            finally:
                assert child.stdout.read() == b""
    assert child.returncode == 0
    return True


@pytest.mark.requirement("H-13")
def test_a_hanging_orchestrator_costs_a_second(tmp_path: Path) -> None:
    with listening(tmp_path) as (peer, env):
        peer.listen(0)
        with ExitStack() as waiting:
            for _ in range(4):
                other = waiting.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                other.setblocking(False)
                if other.connect_ex(env["NAGOMI_SOCKET"]):
                    break
            assert 0.3 < run(env, json.dumps(STOP).encode(), "claude") < DEADLINE


@pytest.mark.parametrize("starter", [[], STARTERS["trap"], STARTERS["blocked"]])
def test_a_stdin_that_never_ends_costs_a_second(starter: list[str]) -> None:
    env = {"NAGOMI_SESSION_ID": "s", "NAGOMI_SOCKET": "/nowhere/front"}
    reading, writing = os.pipe()
    try:
        started = time.monotonic()
        done = subprocess.run(
            [*starter, *PROGRAM, "claude"], stdin=reading, capture_output=True, env=env, timeout=20
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert time.monotonic() - started < DEADLINE
    finally:
        os.close(reading)
        os.close(writing)


def test_it_imports_next_to_nothing() -> None:
    code = f"import sys; exec(open({event.__file__!r}).read(), {{}}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-IS", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not {"json", "re", "site", "socket", "typing"} & set(done.stdout.split())
