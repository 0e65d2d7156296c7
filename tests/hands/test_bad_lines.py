"""Sessions over a slow line that is killed at random, and beside everything else that is killed.

`make lines` does it as often as was promised; without it, a few times are enough to notice a fault.
"""

from __future__ import annotations

import itertools
import os
import shlex
import signal
import sys
import time
from hashlib import md5
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from tests.helpers.bad_line import count
from tests.helpers.far_hands import add_ssh, cut, cut_bridge, is_away, over, standing
from tests.helpers.sshd import host
from tests.helpers.waiting import until
from tests.helpers.workplace import create, session, text_of, wait_for, workplace

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow
KILLS: Final = int(os.environ.get("NAGOMI_TEST_KILLS", "6"))
ROUNDS: Final = int(os.environ.get("NAGOMI_TEST_ROUNDS", "4"))
SECONDS: Final = float(os.environ.get("NAGOMI_TEST_CUT", "3"))
_PROGRAM: Final = """
import os, sys, time
from hashlib import md5
number, stop, pause, burst = 0, sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
while not os.path.exists(stop):
    for _ in range(burst):
        number += 1
        print(number, md5(str(number).encode()).hexdigest(), flush=burst == 1)
    sys.stdout.flush()
    time.sleep(pause)
print("last", number, flush=True)
time.sleep(1000)
"""


def printing(stop: Path, pause: float, burst: int = 1) -> str:
    """A command that prints numbered lines until there is a file."""
    return shlex.join([sys.executable, "-S", "-c", _PROGRAM, str(stop), str(pause), str(burst)])


def taking(file: Path) -> str:
    """A command that keeps the keys that it reads, and prints them."""
    return f"sh -c 'stty raw -echo; echo ready; exec tee {file}'"


def is_whole(text: str) -> bool:
    """Tell whether every line is there once, in order, as it was printed."""
    *lines, last = text.strip().splitlines()
    assert last == f"last {len(lines)}", (last, len(lines))
    for number, line in enumerate(lines, 1):
        assert line.split() == [str(number), md5(str(number).encode()).hexdigest()]
    return True


def type_in(connection: Connection, session_id: str, text: str) -> str:
    """Type a text; return what of it was accepted."""
    order = messages.Send(id=0, session=session_id, text=text, enter=False, force=True)
    try:
        connection.request(order, timeout=60)
    except RequestFailed as exc:
        assert "cannot be reached" in str(exc)
        return ""
    return text


@pytest.mark.timeout(120 + 12 * KILLS)
def test_a_line_that_dies_at_random_loses_no_byte_and_no_key(tmp_path: Path) -> None:
    log, stop, keys = tmp_path / "deaths", tmp_path / "stop", tmp_path / "typed"
    line = over("rtt=50", "kbs=300", "stall=0.002:250", "life=2:6", "seed=16", f"log={log}")
    with host(tmp_path) as machine, workplace() as place, place.connect() as connection:
        add_ssh(place, machine, "big", line)
        # The line may die before each of them is made.
        made = [
            until(lambda cmd=cmd: _created(connection, cmd))
            for cmd in (
                printing(stop, 0.03 + KILLS / 1000),
                printing(stop, 2.0 + KILLS / 10, 150),
                taking(keys),
            )
        ]
        until(keys.exists)
        typed = ""
        for number in itertools.count():
            # On a slow machine it takes longer until enough of them were accepted.
            if count(log, "killed") >= KILLS and len(typed.split("<")) > 10 * KILLS:
                break
            typed += type_in(connection, made[2], f"<{number}>")
            time.sleep(0.01)
        stop.touch()
        until(lambda: keys.read_text() == typed, "every key, and none twice")
        for one in made[:2]:
            until(lambda one=one: "\nlast " in text_of(connection, one))
            assert is_whole(text_of(connection, one, history=True))
        assert len(typed.split("<")) > 10 * KILLS


def _created(connection: Connection, cmd: str) -> str:
    try:
        return create(connection, cmd, cwd="", worker_id="big")
    except RequestFailed:
        return ""


@pytest.mark.timeout(120 + 4 * SECONDS)
def test_a_cut_of_some_seconds_is_outlived(tmp_path: Path) -> None:
    stop, keys, hold = tmp_path / "stop", tmp_path / "typed", tmp_path / "hold"
    with host(tmp_path) as machine, workplace() as place, place.connect() as connection:
        add_ssh(place, machine, "big", over("rtt=50", "kbs=300", f"hold={hold}"))
        made = create(connection, printing(stop, 0.02), cwd="", worker_id="big")
        taker = create(connection, taking(keys), cwd="", worker_id="big")
        wait_for(connection, taker, "ready")
        pid = standing(connection).pid
        hold.touch()
        texts = [f"<{number}>" for number in range(50)]
        for text in texts:
            connection.send(messages.TypeText(session=taker, text=text))
        time.sleep(SECONDS)
        typed = "".join(texts)
        assert keys.read_text() == ""
        hold.unlink()
        stop.touch()
        until(lambda: keys.read_text() == typed)
        until(lambda: "\nlast " in text_of(connection, made))
        assert is_whole(text_of(connection, made, history=True))
        assert standing(connection).pid == pid


@pytest.mark.timeout(240 + 12 * ROUNDS)
def test_whatever_is_killed_eight_far_and_eight_local_sessions_go_on(tmp_path: Path) -> None:
    with host(tmp_path) as machine, workplace() as place:
        add_ssh(place, machine)
        files = {
            name: tmp_path / name for name in (f"{n}{kind}" for n in range(8) for kind in "fl")
        }
        with place.connect() as connection:
            made = {
                name: create(
                    connection,
                    taking(file),
                    cwd="" if "f" in name else "/tmp",
                    worker_id="big" if "f" in name else "local",
                )
                for name, file in files.items()
            }
            for file in files.values():
                until(file.exists)
        typed = dict.fromkeys(made, "")
        for number in range(ROUNDS):
            _kill(place, number)
            with place.connect() as connection:
                _go_on(connection, made, lost=number % 4 == 3)
                for name in made:
                    if number % 4 == 3 and "f" in name:
                        typed[name] = ""  # its command was started anew
                        until(lambda name=name: files[name].read_text() == "")
                    typed[name] += type_in(connection, made[name], f"<{number}>")
                for name, file in files.items():
                    until(lambda name=name, file=file: file.read_text() == typed[name], name)
                    seen = typed[name]
                    until(
                        lambda name=name, seen=seen: seen in text_of(connection, made[name]), name
                    )


def _kill(place: Place, number: int) -> None:
    """Kill orchestrator, bridge, ssh client and far worker in turn."""
    match number % 4:
        case 0:
            place.kill(place.orchestrator)
        case 1:
            cut_bridge(place)
        case 2:
            cut(place)
        case _:
            with place.connect() as connection:
                pid = standing(connection).pid
            os.kill(pid, signal.SIGKILL)


def _go_on(connection: Connection, made: dict[str, str], *, lost: bool) -> None:
    """Wait until all sessions are there again; start those anew that are lost."""
    for name, session_id in made.items():
        if lost and "f" in name:
            until(lambda one=session_id: session(connection, one)["state"] == "lost", name)
            connection.request(messages.Restart(id=0, session=session_id), timeout=60)
        else:
            until(lambda one=session_id: not is_away(connection, one), name)
            assert session(connection, session_id)["state"] == "running", name
