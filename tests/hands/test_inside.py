"""Programs of sessions on a hand: what they tell reaches the judge, and of their own session only."""

from __future__ import annotations

import contextlib
import itertools
import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from nagomi_tui.api import messages
from nagomi_tui.hands import registry
from nagomi_tui.hands.hand import Hand
from tests.hands.test_far_sessions import add_plain, add_ssh, cut, is_away, standing, worker_there
from tests.helpers.sshd import host
from tests.helpers.workplace import create, plain, session, text_of, until, wait_for, workplace

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow
ID = "0b5c2d3e-1111-4222-8333-444455556666"
HOOK = '"$NAGOMI_PYTHON" -IS "$NAGOMI_EVENT" claude'
MARKS = itertools.count()
ASKED = {"hook_event_name": "UserPromptSubmit"}
DONE = {"hook_event_name": "Stop", "last_assistant_message": "All is done."}


def told(*events: dict[str, Any], pid: str = "$$") -> str:
    """Return shell commands that tell of these events as an agent's hooks do."""
    given = [{"session_id": ID, "cwd": "/w", **one} for one in events]
    return "\n".join(f"echo {shlex.quote(json.dumps(one))} | {HOOK} {pid}" for one in given)


def agent(folder: Path, script: str) -> str:
    """Make a program called claude that runs a script."""
    folder.mkdir(exist_ok=True)
    program = folder / "claude"
    program.write_text(f'#!/bin/sh\necho "began: $*."\n{script}\n')
    program.chmod(0o755)
    return str(program)


def listing(connection: Connection) -> list[dict[str, Any]]:
    found = connection.request(messages.ListSessions(id=0)).sessions
    return [plain(one) for one in found]


ASK = """
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as one:
    one.connect(os.environ["NAGOMI_SOCKET"])
    said = {"type": "ask", "session": os.environ["NAGOMI_SESSION_ID"]}
    one.sendall(json.dumps({**said, "request": json.loads(sys.argv[1])}).encode() + b"\\n")
    answer = json.loads(one.makefile().read())
print("answer:", answer["type"], answer.get("code", "refused"))
"""


def say(connection: Connection, made: str, text: str = "on") -> None:
    connection.request(messages.Send(id=0, session=made, text=text))


def phase(connection: Connection, made: str) -> str:
    return str(session(connection, made)["phase"])


def rule(connection: Connection, made: str) -> str:
    return connection.request(messages.Why(id=0, session=made)).rule


def test_events_over_ssh_reach_the_judge_where_nothing_is_installed(tmp_path: Path) -> None:
    script = f"{told(ASKED)}\necho asked; read x\n{told(DONE)}\necho stopped; exec cat"
    with host(tmp_path) as machine, workplace() as place, place.connect() as connection:
        env = ("env", f"NAGOMI_HOME={place.home}", f"TMPDIR={place.home}", f"XDG_CACHE_HOME={tmp_path}")  # fmt: skip
        *ssh, _ = machine.argv("", terminal=False)
        registry.add(Hand(name="bare", kind="ssh", command=(*ssh, *env)))
        made = create(connection, agent(tmp_path / "x", script), cwd="", worker_id="bare")
        wait_for(connection, made, "^asked$")
        until(lambda: phase(connection, made) == "thinking")
        say(connection, made)
        wait_for(connection, made, "^stopped$")
        until(lambda: phase(connection, made) == "success")
        why = connection.request(messages.Why(id=0, session=made))
        assert (why.rule, why.verdict.summary) == ("hook-succeeded", "All is done.")


def test_a_restart_there_goes_on_with_the_agent_s_conversation(tmp_path: Path) -> None:
    script = f"{told(ASKED)}\necho all told; exec cat"
    with workplace() as place, place.connect() as connection:
        add_plain(place)
        cmd = agent(tmp_path, script)
        made = create(connection, f"{cmd} --model opus 'say hello'", cwd="", worker_id="plain")
        wait_for(connection, made, "all told")
        until(lambda: phase(connection, made) == "thinking")
        order = messages.Restart(id=0, session=made)
        assert connection.request(order, timeout=60).resumed is True
        wait_for(connection, made, f"^began: --resume {ID} --model opus.$")
        cut(place, "--workplace")  # it is known after the line was broken, too
        until(lambda: is_away(connection, made))
        assert standing(connection, "plain").reached
        until(lambda: not is_away(connection, made))
        assert connection.request(order, timeout=60).resumed is True


def test_an_agent_that_another_runs_as_a_tool_is_not_heard(tmp_path: Path) -> None:
    script = f"{told(ASKED)}\necho asked; read x\n(sleep 60 & {told(DONE, pid='$!')})\necho other; read x\n{told(DONE)}\nexec cat"
    with workplace() as place, place.connect() as connection:
        add_plain(place)
        made = create(connection, agent(tmp_path, script), cwd="", worker_id="plain")
        wait_for(connection, made, "^asked$")
        until(lambda: phase(connection, made) == "thinking")
        say(connection, made)
        wait_for(connection, made, "^other$")
        assert rule(connection, made) != "hook-succeeded"
        say(connection, made)
        until(lambda: rule(connection, made) == "hook-succeeded")


def test_what_an_agent_tells_while_it_is_away_counts_when_it_is_back(tmp_path: Path) -> None:
    down, go = tmp_path / "down", tmp_path / "go"
    script = (
        f"{told(ASKED)}\necho asked; while [ ! -e {go} ]; do sleep 0.1; done\n"
        f"{told(DONE)}\ntouch {tmp_path}/told; exec cat"
    )
    with workplace() as place, place.connect() as connection:
        shut = f'if [ -e {down} ]; then exit 9; fi; exec "$0" "$@"'
        add_plain(place, program=worker_there(place, "sh", "-c", shut))
        made = create(connection, agent(tmp_path / "x", script), cwd="", worker_id="plain")
        wait_for(connection, made, "^asked$")
        until(lambda: phase(connection, made) == "thinking")
        down.touch()
        cut(place, "--workplace")
        until(lambda: is_away(connection, made))
        go.touch()
        until((tmp_path / "told").exists)
        down.unlink()
        assert standing(connection, "plain").reached
        until(lambda: rule(connection, made) == "hook-succeeded")


def test_a_far_side_speaks_for_its_own_sessions_only_and_within_bounds(tmp_path: Path) -> None:
    """Its worker tells of another session, then of its own, with all that does not belong there."""
    with workplace() as place, place.connect() as connection:
        here = create(connection, agent(tmp_path, "echo genuine; exec cat"))
        wait_for(connection, here, "genuine")
        false = f"""
import json, sys
from nagomi_worker.wire import protocol as p
def say(m): sys.stdout.buffer.write(p.encode(m)); sys.stdout.flush()
def hook(named, said, **more):
    payload = {{"hook_event_name": "Stop", "session_id": {ID!r}, "last_assistant_message": said}}
    event = {{"type": "hook", "session": named, "agent": "claude", "payload": payload, "at": 9e99}}
    return json.dumps(event | more)
say(p.Hello(version=1, capabilities=p.CAPABILITIES, pid=1))
for line in sys.stdin:
    message = p.decode_to_worker(line.encode())
    if isinstance(message, p.ListSessions):
        say(p.Sessions(sessions=()))
    if isinstance(message, p.StartSession):
        mine = message.session_id
        say(p.Started(session_id=mine, pid=1))
        say(p.Hook(session_id={here!r}, event=hook({here!r}, "forged")))
        say(p.Located(session_id={here!r}, folder="/forged", branch="forged"))
        for event in ("", "{{", "[]", '{{"type":"hook"}}', '{{"type":"quit","id":1}}', "[" * 60000):
            say(p.Hook(session_id=mine, event=event))
        say(p.Hook(session_id=mine, event=hook(mine, "x" * 100000)))
        say(p.Located(session_id=mine, folder="/a\\x1b[2Jb", branch="main"))
        say(p.Hook(session_id=mine, event=hook({here!r}, "y" * 9000), age=-5, alive=(-1, 2**60)))
"""
        add_plain(place, program=(sys.executable, "-c", false))
        made = create(connection, "claude", cwd="", worker_id="plain")
        until(lambda: rule(connection, made) == "hook-succeeded")
        found, mine = session(connection, here), session(connection, made)
        assert (found["branch"], found["folder"], found["turn"]) == ("", "", 0)
        assert rule(connection, here) != "hook-succeeded"
        assert mine["folder"] == "" and set(mine["summary"]) <= {"y", "…"}
        assert "genuine" in text_of(connection, here)


def shell(connection: Connection, hand: str = "plain", **more: Any) -> str:
    """Begin a shell there in which commands can be typed, with a prompt of its own."""
    made = create(connection, "sh", cwd="", worker_id=hand, cols=200, **more)
    wait_for(connection, made, "^[#$]")
    say(connection, made, "PS1='ready> '; clear")
    wait_for(connection, made, "^ready>")
    return made


def run(connection: Connection, made: str, line: str) -> list[str]:
    """Run a line in a shell, and return what it printed, with its exit code as the last line."""
    mark = f"end-{next(MARKS)}"
    say(connection, made, f"{line}; echo {mark}=$?")
    wait_for(connection, made, f"^{mark}=")
    told = text_of(connection, made, history=True).splitlines()
    end = next(at for at, one in enumerate(told) if one.startswith(f"{mark}="))
    begin = max(at for at, one in enumerate(told[:end]) if f"echo {mark}=" in one)
    return [*told[begin + 1 : end], told[end].partition("=")[2]]


def test_nagomi_there_asks_the_workplace_here(tmp_path: Path) -> None:
    with host(tmp_path) as machine, workplace() as place, place.connect() as connection:
        add_ssh(place, machine)
        local = create(connection, "cat", name="secret-local")
        made = shell(connection, "big", name="far")
        listed, code = run(connection, made, "nagomi ls | cat")
        assert "far" in listed and "big:" in listed and code == "0"
        assert "secret-local" not in text_of(connection, made)
        assert run(connection, made, "nagomi next") == ["Nobody waits for you.", "3"]
        first, *_, code = run(connection, made, "nagomi why .")
        assert first.startswith("far: ") and code == "0"
        *_, code = run(connection, made, "nagomi new --name second -- sh -c 'pwd; exec cat'")
        assert code == "0"
        second = until(lambda: [one for one in listing(connection) if one["name"] == "second"])[0]
        assert (second["worker_id"], second["by_program"]) == ("big", True)
        assert run(connection, made, "nagomi send second hello there") == ["0"]
        wait_for(connection, second["session_id"], "^hello there$")
        *told, code = run(connection, made, "nagomi capture second")
        assert "hello there" in told and code == "0"
        assert run(connection, made, "nagomi stop second; nagomi wait second --status")[-1] == "129"
        for line, words, code in (
            ("send secret-local x", "no session `secret-local`; the nearest: second.", "3"),
            ("capture 1", "There is no session `1`", "3"),
            (f"stop {local}", "There is no session", "3"),
            ("new --worker local -- cat", "starts sessions on big only", "1"),
        ):
            *told, found = run(connection, made, f"nagomi {line} 2>&1")
            assert words in " ".join(told) and found == code, (told, found)
        assert session(connection, local)["state"] == "running"


def test_what_would_approve_or_change_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ask.py").write_text(ASK)
    with workplace() as place, place.connect() as connection:
        add_plain(place, trusted=True)
        made = shell(connection)
        for kind in (
            {"type": "guard_approve", "id": 1, "session": made},
            {"type": "quit", "id": 1},
            {"type": "settings", "id": 1, "changes": {"sound": "off"}},
            {"type": "start_agent", "id": 1},
            {"type": "act", "id": 1, "session": made, "command": "ls"},
            {"type": "hello", "version": "x"},
        ):
            word = shlex.quote(json.dumps(kind))
            *told, code = run(connection, made, f"{sys.executable} {tmp_path}/ask.py {word}")
            assert (told, code) == (["answer: failed refused"], "0")


def test_a_trusted_hand_reaches_sessions_of_this_machine(tmp_path: Path) -> None:
    with workplace() as place, place.connect() as connection:
        add_plain(place, trusted=True)
        local = create(connection, "cat", name="here")
        made = shell(connection)
        assert run(connection, made, "nagomi send here hello") == ["0"]
        wait_for(connection, local, "^hello$")
        assert run(connection, made, "nagomi new --name mine --worker local -- cat")[-1] == "0"
        found = [one for one in listing(connection) if one["name"] == "mine"]
        assert [one["worker_id"] for one in found] == ["local"]


def asks(place: Place, verb: str) -> bool:
    """Tell whether a program of ours is connected there, so that its question is on its way."""
    for one in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            ours = one.environ().get("NAGOMI_SOCKET", "").startswith(str(place.home))
            if ours and verb in one.cmdline() and one.net_connections("unix"):
                return True
    return False


def test_a_program_that_waits_is_told_when_the_line_breaks(tmp_path: Path) -> None:
    with workplace() as place, place.connect() as connection:
        add_plain(place)
        made = shell(connection)
        say(connection, made, "nagomi wait . ; echo ended=$?")
        until(lambda: asks(place, "wait"))
        cut(place, "--workplace")
        wait_for(connection, made, "^ended=4$")
        assert run(connection, made, "nagomi ls > /dev/null") == ["0"]
