"""What a worker does for the programs of sessions that inherit its environment."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import nagomi_worker
from nagomi_worker.inside import inside
from nagomi_worker.wire import messages, protocol
from tests.helpers.waiting import until
from tests.helpers.worker import Worker, own_id, short_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.worker import Link

PLAIN = Path(nagomi_worker.__file__).parent / "plain"
EVENT = {"hook_event_name": "Stop", "session_id": "c"}


@pytest.fixture(params=["compiled", "plain"])
def worker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """A worker with the compiled modules, or with ours in their place."""
    with short_folder() as folder:
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        made = Worker(
            folder / "nagomi" / "worker", first=PLAIN if request.param == "plain" else None
        )
        try:
            yield made
        finally:
            made.end()


def begin(link: Link, cmd: str = "exec cat", session_id: str = "inside", **env: str) -> None:
    order: dict[str, Any] = {"inherit": True, "cwd": "~", "env": {"SHELL": "/bin/sh", **env}}
    link.start(session_id, cmd, **order)


def door(worker: Worker) -> str:
    return str(worker.path.parent / "in" / worker.path.name)


def asking(session_id: str = "inside", **fields: str) -> bytes:
    """Return the line by which a program of a session asks something."""
    return json.dumps({"type": "print", "session": own_id(session_id), **fields}).encode()


def said(worker: Worker, line: bytes) -> bytes:
    """Say a line at the door, and return what is answered."""
    with socket.socket(socket.AF_UNIX) as program:
        program.settimeout(20)
        program.connect(door(worker))
        program.sendall(line + b"\n")
        return b"".join(iter(lambda: program.recv(65536), b""))


def tell(worker: Worker, session_id: str = "inside", pid: int = 0, **fields: Any) -> None:
    env = {
        "NAGOMI_SESSION_ID": own_id(session_id), "NAGOMI_SOCKET": door(worker),
        **{name: value for name, value in os.environ.items() if name == "PATH"},
    }  # fmt: skip
    program = [sys.executable, "-IS", inside.variables("x", worker.path)["NAGOMI_EVENT"]]
    subprocess.run(
        [*program, "claude", str(pid)], env=env, input=json.dumps(EVENT | fields).encode(),
        check=True, timeout=20,
    )  # fmt: skip


def hooks(link: Link) -> list[protocol.Hook]:
    link.pump(0.05)
    return [one for one in link.heard if isinstance(one, protocol.Hook)]


def test_a_session_finds_the_socket_and_the_programs(worker: Worker) -> None:
    link = worker.link()
    begin(link, 'ls -l "$NAGOMI_EVENT" "$NAGOMI_BIN" && test -S "$NAGOMI_SOCKET" && echo all there')
    link.wait_text("inside", "all there")
    assert "nagomi\r\n" in link.text("inside")
    assert Path(door(worker)).stat().st_mode & 0o777 == 0o600
    assert Path(door(worker)).parent.stat().st_mode & 0o777 == 0o700


def test_a_session_of_this_machine_gets_none_of_it(worker: Worker) -> None:
    link = worker.link()
    link.run("inside", "env")
    assert "NAGOMI_SOCKET" not in link.text("inside")
    assert not os.path.exists(door(worker))


def test_an_event_is_told_of_the_session_that_it_names(worker: Worker) -> None:
    link = worker.link()
    begin(link)
    tell(worker, pid=os.getpid(), prompt="not to be told")
    found = link.wait(protocol.Hook, "inside")
    event = json.loads(found.event)
    assert (event["type"], event["agent"], event["payload"]) == ("hook", "claude", EVENT)
    assert found.alive == ()
    tell(worker, session_id="b")
    tell(worker, pid=4, reason="again")
    again = link.wait_until(lambda: hooks(link)[1:], "the next one")
    assert [json.loads(one.event)["payload"].get("reason") for one in again] == ["again"]
    assert again[0].alive == (os.getpid(),)


@pytest.mark.skipif(sys.platform != "linux", reason="told by /proc")
def test_an_agent_without_a_terminal_is_told_as_a_service(worker: Worker) -> None:
    link = worker.link()
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as service:
        begin(link, "echo $$; exec cat")
        tell(worker, pid=service.pid)
        assert link.wait(protocol.Hook, "inside").service
        link.wait_text("inside", "\n")
        tell(worker, pid=int(link.text("inside").split()[0]))
        assert not link.wait_until(lambda: hooks(link)[1:], "the next one")[0].service
        service.kill()


def test_what_is_told_while_nobody_is_connected_is_told_later(worker: Worker) -> None:
    link = worker.link()
    begin(link)
    link.close()
    for number in range(3):
        tell(worker, reason=str(number))
    time.sleep(0.3)
    after = worker.link()
    assert hooks(after) == []
    after.send(protocol.Attach(session_id="inside"))
    found = after.wait_until(lambda: hooks(after)[2:] and hooks(after), "all of them")
    assert [json.loads(one.event)["payload"]["reason"] for one in found] == ["0", "1", "2"]
    assert all(one.age >= 300 for one in found)
    kinds = [type(one) for one in after.heard]
    assert kinds.index(protocol.Attached) < kinds.index(protocol.Hook)


def test_a_question_is_handed_on_and_its_answer_back(worker: Worker) -> None:
    link = worker.link()
    begin(link)
    with socket.socket(socket.AF_UNIX) as program:
        program.connect(door(worker))
        program.sendall(asking(command="ls") + b"\n")
        asked = link.wait(protocol.Asked, "inside")
        assert json.loads(asked.request)["command"] == "ls"
        link.send(protocol.Answered(session_id="b", number=asked.number, answer="not its"))
        link.send(
            protocol.Answered(session_id="inside", number=asked.number + 1, answer="nobody's")
        )
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(door(worker))
            other.sendall(asking(command="next") + b"\n")
            second = link.wait_until(
                lambda: [one for one in link.heard if isinstance(one, protocol.Asked)][1:], "it"
            )[0]
        gone = link.wait_until(
            lambda: [one for one in link.heard if isinstance(one, protocol.Asked)][2:], "its end"
        )[0]
    assert (gone.number, gone.request) == (second.number, "")


def test_an_answer_of_any_length_reaches_its_program(worker: Worker) -> None:
    link = worker.link()
    begin(link)
    with socket.socket(socket.AF_UNIX) as program:
        program.settimeout(20)
        program.connect(door(worker))
        program.sendall(asking() + b"\n")
        asked = link.wait(protocol.Asked, "inside")
        answer = json.dumps({"text": "日" * 150_000}, ensure_ascii=False)
        link.send(protocol.Answered(session_id="inside", number=asked.number, answer=answer))
        found = b"".join(iter(lambda: program.recv(65536), b""))
    assert found == answer.encode() + b"\n"


@pytest.mark.slow
def test_who_asks_where_nobody_answers_is_told_at_once(worker: Worker) -> None:
    link = worker.link()
    begin(link)
    assert b"no session of the workplace" in said(worker, asking("b"))
    assert said(worker, b'{"type":"print"}') == said(worker, b"{") == b""
    assert said(worker, asking(x="x" * messages.REQUEST_BYTES)) == b""
    link.close()
    until(lambda: b"cannot be reached" in said(worker, asking()), "that")


def test_where_a_session_is_is_told_when_it_is_news(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    (tmp_path / "deep").mkdir()
    link = worker.link()
    link.start("inside", "cd deep; echo here; read x; cd /; echo there; exec cat", inherit=True,
               cwd=str(tmp_path), env={"SHELL": "/bin/sh"})  # fmt: skip
    link.wait_text("inside", "here")
    link.send(protocol.Locate(session_id="inside"))
    found = link.wait(protocol.Located, "inside")
    assert (found.folder, found.branch) == (str(tmp_path / "deep"), "topic")
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/other\n")
    link.send(protocol.Locate(session_id="inside"), protocol.Locate(session_id="none"))
    found = link.wait(protocol.Located, "inside", after=len(link.heard))
    assert (found.folder, found.branch) == (str(tmp_path / "deep"), "other")
    link.type("inside", "\n")
    link.wait_text("inside", "there")
    link.send(protocol.Locate(session_id="inside"))
    found = link.wait(protocol.Located, "inside", after=len(link.heard))
    assert (found.folder, found.branch) == ("/", "")
    before = len(link.heard)
    link.send(protocol.Locate(session_id="inside"), protocol.Ping())
    link.wait(protocol.Pong)
    time.sleep(0.3)
    link.pump()
    assert not [one for one in link.heard[before:] if isinstance(one, protocol.Located)]
