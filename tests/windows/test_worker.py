"""The worker on Windows: by its socket's stand-in, and by pipes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest

import nagomi_worker
from nagomi_tui.hands import bringing as bring
from nagomi_worker.wire import loopback, transport, trust

if TYPE_CHECKING:
    from collections.abc import Iterator

_SYSTEM = ("SystemRoot", "PATH", "PATHEXT", "COMSPEC", "TEMP", "TMP", "USERNAME")


class Talk:
    """A worker's protocol, spoken in lines of JSON."""

    def __init__(self, out: IO[bytes], into: IO[bytes]) -> None:
        self._out = out
        self._in = into
        self.seen: list[dict[str, Any]] = []

    def say(self, kind: str, **values: Any) -> None:
        self._out.write(json.dumps({"type": kind, **values}).encode() + b"\n")
        self._out.flush()

    def hear(self, kind: str, **values: Any) -> dict[str, Any]:
        while line := self._in.readline():
            told: dict[str, Any] = json.loads(line)
            self.seen.append(told)
            if told["type"] == kind and values.items() <= told.items():
                return told
            assert told["type"] != "error" or kind == "error", told
        raise AssertionError(f"no {kind} came, but {self.seen}")

    def greet(self) -> dict[str, Any]:
        self.say("hello", version=1, capabilities=[], pid=os.getpid())
        return self.hear("hello")

    def start(self, name: str, cmd: str) -> None:
        env = {key: os.environ[key] for key in _SYSTEM if key in os.environ}
        self.say("start_session", session_id=name, cmd=cmd, cwd=None, env=env, cols=80, rows=24)


def _resident(path: Path, started: list[subprocess.Popen[bytes]]) -> Talk:
    command = [sys.executable, "-P", "-m", "nagomi_worker", "--socket", str(path), "--idle", "20"]
    started.append(subprocess.Popen(command, stdin=subprocess.DEVNULL))
    for _ in range(600):
        if path.exists():
            break
        time.sleep(0.1)
    return _connected(path)


def _connected(path: Path) -> Talk:
    connection = transport.connect(path)
    connection.settimeout(60)
    stream = connection.makefile("rwb")
    connection.close()
    return Talk(stream, stream)


@pytest.fixture
def link(tmp_path: Path, started: list[subprocess.Popen[bytes]]) -> Iterator[Talk]:
    """A resident worker behind a loopback port."""
    talk = _resident(tmp_path / "w", started)
    assert talk.greet()["version"] == 1
    yield talk
    talk.say("quit")
    started[0].wait(30)
    assert not (tmp_path / "w").exists()


def test_who_does_not_know_the_secret_is_refused(
    tmp_path: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    place = tmp_path / "w"
    _resident(place, started).greet()
    port, secret = place.read_text().split()
    with socket.create_connection(("127.0.0.1", int(port)), 30) as stranger:
        stranger.sendall(b"0" * 32 + b"\n")
        assert len(stranger.recv(97, socket.MSG_WAITALL)) == 97
        stranger.sendall(b"0" * 64 + b"\n")
        with pytest.raises((ConnectionError, AssertionError)):
            assert stranger.recv(1)
    other = tmp_path / "other"
    other.write_text(f"{port} {secret[::-1]}\n", newline="\n")
    with pytest.raises(trust.Untrusted):
        loopback.connect(str(other))


def test_only_one_worker_serves_at_a_path(tmp_path: Path, link: Talk) -> None:
    command = [sys.executable, "-m", "nagomi_worker", "--socket", str(tmp_path / "w")]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1 and b"nagomi-worker:" in done.stderr


def test_a_session_ends_with_the_code_of_its_command(link: Talk) -> None:
    link.start("a", "cmd /d /c exit 7")
    assert link.hear("exit")["exit_code"] == 7


def test_what_cannot_be_started_is_said(link: Talk) -> None:
    link.start("a", "no-such-program-anywhere")
    assert "no-such-program-anywhere" in link.hear("error")["message"]


@pytest.mark.parametrize("plain", [True, False])
def test_it_speaks_over_pipes(started: list[subprocess.Popen[bytes]], plain: bool) -> None:
    """With its plain codec, too, which it has where it is sent to another kind of machine."""
    folder = Path(nagomi_worker.__file__).with_name("plain")
    first = f"import sys; sys.path.insert(0, {str(folder)!r}) if {plain} else None; import msgspec;"
    check = f"assert ('plain' in msgspec.__file__) is {plain};"
    run = "from nagomi_worker.__main__ import main; sys.exit(main(['--stdio']))"
    child = subprocess.Popen(
        [sys.executable, "-c", first + check + run], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    started.append(child)
    assert child.stdin and child.stdout
    talk = Talk(child.stdin, child.stdout)
    talk.greet()
    talk.say("ping")
    talk.hear("pong")
    child.stdin.close()
    assert child.wait(60) == 0


def test_a_pack_for_another_system_is_whole() -> None:
    files = zlib.decompress(bring.pack_for("none").data).partition(b"\n\n")[0].decode()
    for name in ("nagomi_worker/packed.py", "ptyprocess/__init__.py"):
        assert f" {name}\n" in files


def test_a_bridge_starts_a_worker_that_outlives_it(
    tmp_path: Path, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMP", str(tmp_path))
    monkeypatch.setenv("TMP", str(tmp_path))
    pids = set()
    for _ in range(2):
        child = subprocess.Popen(
            [sys.executable, "-m", "nagomi_worker", "--stdio", "--resident", "--workplace", "me"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        started.append(child)
        assert child.stdin and child.stdout
        talk = Talk(child.stdin, child.stdout)
        pids.add(talk.greet()["pid"])
        if len(started) == 2:
            talk.say("quit")
        child.stdin.close()
        child.wait(60)
    assert len(pids) == 1
