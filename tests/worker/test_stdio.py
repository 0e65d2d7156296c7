"""The worker on stdin and stdout (N-24): by itself, and as a bridge to one that stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_worker.wire import protocol
from nagomi_worker.wire.framing import LINE_LIMIT
from nagomi_worker.wire.transport import connect
from tests.helpers.waiting import alive, until
from tests.helpers.worker import Link, plain_env, worker_env

if TYPE_CHECKING:
    from pathlib import Path

_START: dict[str, Any] = {
    "type": "start_session", "session_id": "a", "cmd": "cat", "cwd": None,
    "env": plain_env(), "cols": 80, "rows": 24,
}  # fmt: skip


class _Stdio:
    """A client that knows the fixed messages and nothing else."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nagomi_worker", "--stdio", *arguments],
            env=env or worker_env(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def say(self, *lines: bytes | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        for line in lines:
            data = line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
            self.process.stdin.write(data)
        self.process.stdin.flush()

    def hear(self, kind: str) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if (message := json.loads(line))["type"] == kind:
                return dict(message)
        raise AssertionError(f"no {kind} came")

    def end(self) -> tuple[list[dict[str, Any]], str]:
        """Close stdin, and return what was said after that, on both streams."""
        out, err = self.process.communicate(timeout=10)
        return [json.loads(line) for line in out.splitlines()], err.decode()


@pytest.mark.requirement("N-5", "N-24", "N-117")
def test_a_client_of_the_fixed_messages_is_served() -> None:
    client = _Stdio()
    client.say(_START, {"type": "send_input", "session_id": "a", "text": "hello\n"})
    text = ""
    while text.count("hello\r\n") < 2:
        text += client.hear("output")["chunk"]
    client.say({"type": "resize", "session_id": "a", "cols": 100, "rows": 30})
    client.say({"type": "ping"})
    client.hear("pong")
    client.say({"type": "stop_session", "session_id": "a"})
    assert client.hear("exit")["exit_code"] == 129
    assert client.end() == ([], "")
    assert client.process.returncode == 0


def test_the_first_line_is_hello() -> None:
    client = _Stdio()
    said, _ = client.end()
    assert said[0]["type"] == "hello"
    assert said[0]["version"] == protocol.VERSION


def test_bad_lines_are_named_and_the_stream_goes_on() -> None:
    client = _Stdio()
    client.say(b"nonsense\n", b"\n", b'{"type":"from_the_future","session_id":"a"}\n')
    client.say(b"x" * (LINE_LIMIT + 1) + b"\n")
    client.say({"type": "resize", "session_id": "a", "cols": "wide", "rows": 1})
    assert "not JSON" in client.hear("error")["message"]
    assert f"longer than {LINE_LIMIT} bytes" in client.hear("error")["message"]
    named = client.hear("error")
    assert (named["session_id"], named["recoverable"]) == ("a", True)
    client.say({"type": "ping"})
    client.hear("pong")
    client.say(b'{"type":"ping"')
    said, _ = client.end()
    assert [one["type"] for one in said] == ["error"]
    assert "ended inside a line" in said[0]["message"]


def test_the_end_of_stdin_ends_everything() -> None:
    client = _Stdio()
    client.say({**_START, "cmd": "trap '' HUP; setsid sleep 1000 & echo $!; sleep 1000"})
    pid = int(client.hear("output")["chunk"])
    said, _ = client.end()
    assert said[-1]["type"] == "exit"
    assert not alive(pid)


@pytest.mark.requirement("X-15")
def test_stdin_may_be_a_plain_file(tmp_path: Path) -> None:
    orders = tmp_path / "orders"
    orders.write_text(json.dumps({"type": "ping"}) + "\n")
    with orders.open("rb") as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "nagomi_worker", "--stdio"],
            env=worker_env(), stdin=stdin, capture_output=True, timeout=20, check=True,
        )  # fmt: skip
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["hello", "pong"]


def test_a_bridge_starts_a_worker_that_stays(folder: Path) -> None:
    path = folder / "remote" / "w"
    first = _Stdio("--resident", "--socket", str(path))
    pid = first.hear("hello")["pid"]
    assert pid != first.process.pid
    first.say(_START, {"type": "send_input", "session_id": "a", "text": "hello\n"})
    first.hear("output")
    first.end()
    assert first.process.returncode == 0
    second = _Stdio("--resident", "--socket", str(path))
    assert second.hear("hello")["pid"] == pid
    second.say({"type": "attach", "session_id": "a"})
    assert second.hear("attached")["first_offset"] == 0
    assert second.hear("output")["chunk"].startswith("hello")
    second.end()
    link = Link(connect(path))
    link.hello()
    link.send(protocol.Quit())
    until(lambda: not alive(pid), "the end of the worker")
    link.close()


def test_without_a_place_the_command_says_how() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nagomi_worker"], env=worker_env(), capture_output=True, timeout=20
    )
    assert done.returncode == 2
    assert b"--stdio or --socket PATH" in done.stderr


def test_two_workplaces_on_one_host_do_not_meet(folder: Path) -> None:
    env = worker_env() | {"TMPDIR": str(folder)}
    clients, pids = [], []
    for mark in ("a", "b", "a"):  # one after another: a worker heeds the one that came last
        clients.append(_Stdio("--resident", "--workplace", mark, env=env))
        pids.append(clients[-1].hear("hello")["pid"])
    first, second, again = pids
    assert first == again != second
    assert (folder / f"nagomi-{os.getuid()}" / "worker-b").is_socket()
    for client in clients[1:]:
        client.say({"type": "quit"})
    for pid in (first, second):
        until(lambda pid=pid: not alive(pid), "the end of the workers")
    for client in clients:
        client.end()
    refused = _Stdio("--resident", "--workplace", "../a")
    assert "letters, digits" in refused.end()[1]
