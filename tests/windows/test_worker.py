"""The worker on Windows: by its socket's stand-in, by pipes, and as it is sent elsewhere."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from typing import IO, TYPE_CHECKING, Any

import pytest

from nagomi_tui.hands.packing import pack
from nagomi_worker.wire import loopback, transport, trust

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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

    def start(self, name: str, cmd: str, cwd: str | None = None) -> None:
        env = {key: os.environ[key] for key in _SYSTEM if key in os.environ} | {"MARK": "日本"}
        self.say("start_session", session_id=name, cmd=cmd, cwd=cwd, env=env, cols=80, rows=24)

    def printed(self, words: str) -> None:
        text = ""
        while words not in text:
            text += self.hear("output")["chunk"]


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


def test_a_command_runs_in_a_pseudo_console(link: Talk) -> None:
    link.start(
        "a", f'"{sys.executable}" -c "import os; print(os.environ[chr(77)+\'ARK\']); exit(7)"'
    )
    link.hear("started")
    link.printed("日本")
    assert link.hear("exit")["exit_code"] == 7


def test_words_with_spaces_reach_the_command(link: Talk) -> None:
    link.start("a", f'"{sys.executable}" -c "import sys; print(sys.argv[1:])" "a b" c')
    link.printed("['a b', 'c']")


def test_typing_reaches_the_command(link: Talk) -> None:
    link.start("a", f'"{sys.executable}" -c "print(\'ready\'); print(input() * 2)"')
    link.printed("ready")
    link.say("send_input", session_id="a", text="xy\r")
    link.printed("xyxy")
    assert link.hear("exit")["exit_code"] == 0


def test_the_session_begins_in_its_folder(tmp_path: Path, link: Talk) -> None:
    (tmp_path / "a folder").mkdir()
    link.start("a", "cmd /c cd", str(tmp_path / "a folder"))
    link.printed("a folder")


def test_a_stopped_session_ends_with_all_that_it_started(link: Talk) -> None:
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; print(4711, flush=True); time.sleep(99)'])"
    link.start("a", f'"{sys.executable}" -c "{child}"')
    link.printed("4711")
    link.say("stop_session", session_id="a")
    link.hear("exit")


def test_what_cannot_be_started_is_said(link: Talk) -> None:
    link.start("a", "no-such-program-anywhere")
    assert "no-such-program-anywhere" in link.hear("error")["message"]


@pytest.mark.parametrize("plain", [True, False])
def test_the_worker_as_it_is_sent_speaks_over_pipes(
    tmp_path: Path, started: list[subprocess.Popen[bytes]], plain: bool
) -> None:
    made = pack.pack_for("none" if plain else pack.SUFFIX)
    folder = _unpacked(made.data, tmp_path / "pack")
    program = [sys.executable, "-I", "-S", str(folder / "nagomi_worker" / "packed.py"), "--stdio"]
    child = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    started.append(child)
    assert child.stdin and child.stdout
    said = child.stdout.readline()
    assert said == f'nagomi-far running {{"plain": {"true" if plain else "false"}}}\n'.encode()
    talk = Talk(child.stdin, child.stdout)
    talk.greet()
    talk.say("ping")
    talk.hear("pong")
    child.stdin.close()
    assert child.wait(30) == 0


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


def _unpacked(data: bytes, folder: Path) -> Path:
    import zlib

    manifest, _, rest = zlib.decompress(data).partition(b"\n\n")
    for line in manifest.decode().splitlines():
        _, size, name = line.split(" ", 2)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(rest[: int(size)])
        rest = rest[int(size) :]
    return folder
