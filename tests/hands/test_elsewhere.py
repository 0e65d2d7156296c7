"""The presets' commands, run: by the real docker and kubectl, and a `wsl.exe` that does as that one does."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.hands import faults, presets
from nagomi_tui.hands import faults as said
from nagomi_tui.hands.bringing import Ended, far_command
from nagomi_tui.hands.hand import BadHand, Hand
from nagomi_tui.hands.line import open_line
from tests.helpers import fake_wsl, sshd
from tests.helpers.docker_daemon import docker_daemon
from tests.helpers.far import FarSide, brought, far_side, works
from tests.helpers.kube_server import kube_server

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets, and a POSIX shell"),
]


@pytest.fixture
def far(tmp_path: Path) -> FarSide:
    return far_side(tmp_path)


def hand(kind: str, *words: str) -> Hand:
    target, *options = words
    return Hand(name="there", kind=kind, command=presets.command(kind, target, options))


def complaint(far: FarSide, on: Hand, **env: str) -> str:
    """What is said where the worker is not reached."""
    with far.line(on.there(far_command()), **env) as line, pytest.raises(Ended) as caught:
        brought(line)
    return str(faults.sentence_of(on, [*caught.value.said, *far.stderr], 1))


def client(name: str) -> str:
    """The PATH on which a program of this machine is found."""
    if not (found := shutil.which(name)):
        pytest.skip(f"there is no {name} on this machine")
    return f"{os.path.dirname(found)}:/usr/bin:/bin"


@pytest.fixture
def wsl(tmp_path: Path) -> str:
    """The PATH on which the fake `wsl.exe` is found."""
    folder = tmp_path / "windows"
    folder.mkdir()
    program = folder / "wsl.exe"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -S {fake_wsl.__file__} "$@"\n')
    program.chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


@pytest.mark.requirement("N-127")
def test_a_worker_runs_in_wsl(far: FarSide, wsl: str) -> None:
    with far.line(hand("wsl", "Debian").there(far_command()), PATH=wsl) as line:
        brought(line)
        works(line)


@pytest.mark.parametrize(
    "words", [["a b", 'c"d', "e\\", 'f\\"g', "$HOME", "", "h\\\\ i"], [*far_command()]]
)
def test_words_come_through_wsl_unharmed(wsl: str, words: Sequence[str]) -> None:
    show = [sys.executable, "-c", "import sys; print(sys.argv[1:])", *words]
    command = hand("wsl", "Debian").there(show)
    done = subprocess.run(command, env={"PATH": wsl}, stdout=subprocess.PIPE, text=True)
    assert done.stdout == f"{[*words]}\n"


@pytest.mark.parametrize(
    ("state", "utf8", "words"),
    [
        ("missing", "", "WSL has no such distribution"),
        ("missing", "1", "WSL has no such distribution"),
        ("missing-ja", "", "WSL has no such distribution"),
        ("stopped", "", "could not be started because a required feature is not installed."),
    ],
)
def test_what_wsl_says_in_utf16_is_understood(
    far: FarSide, wsl: str, state: str, utf8: str, words: str
) -> None:
    told = complaint(far, hand("wsl", "Debian"), PATH=wsl, FAKE_WSL=state, WSL_UTF8=utf8)
    assert words in told
    assert "\0" not in told


@pytest.mark.requirement("N-127")
async def test_what_wsl_says_is_told_of_the_hand(
    wsl: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "home"))
    async with anyio.create_task_group() as tasks:
        with pytest.raises(BadHand, match="WSL has no such distribution"):
            await open_line(
                hand("wsl", "Nope"), {"PATH": wsl, "FAKE_WSL": "missing-ja", "WSL_UTF8": ""}, tasks
            )


def test_lines_are_read_in_utf8_and_in_utf16() -> None:
    text = "端末がありません。\r\nError: 上Ċ\r\n"
    for coding in ("utf-8", "utf-16-le"):
        assert said.lines_of(text.encode(coding)) == text.split("\r\n")[:2]
        long = ("0123456\r\n" * 10_000 + text).encode(coding)
        assert said.lines_of(said.last_of(long))[-2:] == text.split("\r\n")[:2]
    assert said.lines_of(b"\xff\r\n\r\n  \nb") == ["\ufffd", "b"]


def test_a_worker_runs_on_a_host_by_the_real_ssh(far: FarSide, tmp_path: Path) -> None:
    folder = tmp_path / "sshd"
    folder.mkdir()
    there = ["env", f"HOME={far.home}", f"TMPDIR={far.env['TMPDIR']}", *far_command()]
    with sshd.host(folder) as machine:
        argv = machine.argv(shlex.join(there), terminal=False)
        for first in (True, False):
            with far.line(argv) as line:
                assert (brought(line).sent > 0) is first
                works(line)
        with far.line(machine.argv(shlex.join(there))) as line, pytest.raises(BadHand) as caught:
            brought(line)
        assert "Leave `-t` out" in str(caught.value)


def test_a_worker_runs_in_a_container_by_the_real_docker(far: FarSide, tmp_path: Path) -> None:
    path = client("docker")
    with docker_daemon(tmp_path / "d", far.env) as place:
        on = hand("docker", "web")
        with far.line(on.there(far_command()), PATH=path, DOCKER_HOST=place) as line:
            assert brought(line).sent > 0
            works(line)
        for container, words in (
            ("nope", "No such container: nope"),
            ("asleep", "container asleep is not running"),
        ):
            told = complaint(far, hand("docker", container), PATH=path, DOCKER_HOST=place)
            assert "is not there, or not running" in told and words in told
    told = complaint(far, on, PATH=path, DOCKER_HOST=f"unix://{tmp_path}/none")
    assert "Cannot connect to the Docker daemon" in told


def test_a_worker_runs_in_a_pod_by_the_real_kubectl(far: FarSide) -> None:
    path = client("kubectl")
    with kube_server(far.env) as place:
        on = hand("kubectl", "web", place)
        with far.line(on.there(far_command()), PATH=path) as line:
            assert brought(line).sent > 0
            works(line)
        for pod, words in (("nope", 'pods "nope" not found'), ("done", "in a completed pod")):
            told = complaint(far, hand("kubectl", pod, place), PATH=path)
            assert "is not there, or not running" in told and words in told
    assert "was refused" in complaint(far, on, PATH=path)


@pytest.mark.parametrize(
    ("kind", "line", "words"),
    [
        ("podman", 'Error: no container with name or ID "web" found: no such container',
         "is not there, or not running"),
        ("podman", "Error: can only create exec sessions on running containers: "
         "container state improper", "is not there, or not running"),
        ("docker", "OCI runtime exec failed: exec failed: unable to start container process: "
         'exec: "/bin/sh": stat /bin/sh: no such file or directory: unknown', "There is no shell"),
        ("kubectl", 'error: unable to upgrade connection: container not found ("main")',
         "is not there, or not running"),
        ("docker", "permission denied while trying to connect to the Docker daemon socket at "
         "unix:///var/run/docker.sock", "lets you in nowhere"),
        ("ssh", "'/bin/sh' is not recognized as an internal or external command,\n"
         "operable program or batch file.", "to Windows no worker is sent"),
        ("ssh", "The system cannot find the path specified.", "to Windows no worker is sent"),
        ("ssh", "mux_client_request_session: session request failed: Session open refused by peer\n"
         "me@web: Permission denied (publickey,password).", "`MaxSessions` of its sshd"),
    ],
)  # fmt: skip
def test_what_these_programs_say_becomes_a_sentence(kind: str, line: str, words: str) -> None:
    assert words in str(faults.sentence_of(hand(kind, "web"), [line], 1))
