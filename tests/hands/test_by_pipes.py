"""The line to a hand where a socket cannot be a command's stdin, as on Windows: here by real pipes."""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from nagomi_tui.hands import line as lines
from nagomi_tui.hands.hand import BadHand, Hand
from nagomi_tui.hands.line import open_line
from nagomi_tui.system import sockets
from tests.helpers import fake_wsl
from tests.helpers.far import FarSide, far_side
from tests.helpers.worker import short_folder

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell"),
]


@pytest.fixture(autouse=True)
def by_pipes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lines, "by_pipes", lambda: True)
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "home"))


@pytest.fixture
def far(tmp_path: Path) -> FarSide:
    return far_side(tmp_path)


@pytest.fixture
def wsl(tmp_path: Path) -> str:
    """The PATH on which the fake `wsl.exe` is found."""
    program = tmp_path / "wsl.exe"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -S {fake_wsl.__file__} "$@"\n')
    program.chmod(0o755)
    return f"{tmp_path}:/usr/bin:/bin"


_WSL = Hand(name="there", kind="wsl", command=("wsl.exe", "-d", "Debian", "--exec"))


async def _asked(stream: Any, message: dict[str, Any], kind: str) -> dict[str, Any]:
    """Say a message, and return the next one of a kind that is heard."""
    await stream.send(json.dumps(message).encode() + b"\n")
    heard = b""
    while True:
        *whole, heard = (heard + await stream.receive()).split(b"\n")
        for one in map(json.loads, whole):
            if one["type"] == kind:
                return dict(one)


async def test_a_worker_is_sent_and_speaks_over_pipes(
    far: FarSide, wsl: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(far.home))
    with short_folder() as temporary, anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            line = await open_line(_WSL, {"PATH": wsl, "TMPDIR": str(temporary)}, tasks)
            stream = await sockets.stream_of(line.socket)
            hello = {"type": "hello", "version": 1, "capabilities": [], "pid": os.getpid()}
            assert (await _asked(stream, hello, "hello"))["pid"] != os.getpid()
            await stream.send(b'{"type":"quit"}\n')
            with pytest.raises(anyio.EndOfStream):
                while True:
                    await stream.receive()
            await line.close()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo no such host >&2; exit 1", "no such host"),
        ("cat >/dev/null; echo over >&2", "does not answer"),
        ("printf '%2000000s' x; cat >/dev/null", "prints without end"),
    ],
)
async def test_what_goes_wrong_is_said(
    script: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_OPEN_SECONDS", 0.5)
    hand = Hand(name="there", command=("/bin/sh", "-c", script, "sh"), program=("worker",))
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            with pytest.raises(BadHand, match=words):
                await open_line(hand, {}, tasks)


async def test_bytes_come_through_whole_and_the_end_is_heard_on_both_sides(tmp_path: Path) -> None:
    """Ten megabytes there and back, through pipes that hold less; then our end is closed."""
    copy = shlex.join(["sh", "-c", f"cat; echo over >{tmp_path}/over"])
    hand = Hand(name="there", command=("/bin/sh", "-c", copy, "sh"))
    data = os.urandom(1 << 20) * 10
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            line = await lines.start(hand, [], {})
            tasks.start_soon(line.listen)
            stream = await sockets.stream_of(line.socket)
            tasks.start_soon(stream.send, data)
            back = bytearray()
            while len(back) < len(data):
                back += await stream.receive()
            assert back == data
            await line.close()
    assert (tmp_path / "over").read_text() == "over\n"
