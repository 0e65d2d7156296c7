"""Native code that dies or hangs in the middle of a flood: one session pays, and not with its life.

The orchestrator is ended by the kernel's own signal while it feeds a terminal, as a crash inside
the library would end it. An input that really crashes this release of it is kept from doing so.
"""

from __future__ import annotations

import mmap
import os
import shlex
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.orchestrator.runtime.crash_marker import FEED
from nagomi_tui.orchestrator.supervisor import SILENCE_SECONDS
from nagomi_tui.terminal.engine import LEAST_COLUMNS
from tests.helpers.workplace import (
    PATIENCE,
    Place,
    alive,
    create,
    only,
    session,
    text_of,
    until,
    wait_for,
    workplace,
)
from tests.terminal.conftest import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.client import Connection

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="no signals there"),
    pytest.mark.skipif(not NATIVE, reason="no wheel here"),
]
CALM = 3
FLOOD = """
import itertools, os, sys, time
for start in itertools.count(1, 40):
    if os.path.exists(sys.argv[1]): break
    rows = (f"\\x1b[3{n % 8}mrow {n} of the flood\\x1b[m\\n" for n in range(start, start + 40))
    print("".join(rows), end="", flush=True)
    time.sleep(0.01)
print("the flood is over", flush=True)
while line := sys.stdin.readline(): print("heard", line, end="", flush=True)
"""

DEADLY = (
    "\x1b[10;1H.:\ufffd\ufffd}\ufffdj\ufffd#6\ufffdSNpgl\ufffd\ufffd\ufffd:\ufffd2\ufffd"
    "\x1b[?1049h\x1b[1;16r\x1b[?1049l\u6841\u304c\ud55c\u4e2d\u306e\u306f\u5b57\u65e5\u7aef\u7aef"
    "\uc5b4\u6841\u304c\ud55c\u4e2d\u306e\u306f\u5b57\u65e5\u7aef\u7aef\uc5b4\u6841\u304c\ud55c"
    "caa21121cacc1a21121\ufffde\u0301\U0001f1ef\U0001f1f5\u26a0\u200d\U0001f4bbe"
)
"""Found by fuzzing: in three columns, a cluster that grows wide as its region scrolls.

Fed to the library itself in that width, it ends the process.
"""


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as found:
        yield found


class Scene:
    """Some calm sessions, and one that floods until it is told to stop."""

    def __init__(self, place: Place, connection: Connection, stop: Path) -> None:
        self.stop = stop
        self.calm = [
            create(connection, f"sh -c 'echo calm {n}; exec cat'", name=f"calm{n}")
            for n in range(CALM)
        ]
        for each in self.calm:
            wait_for(connection, each, "calm")
        command = shlex.join([sys.executable, "-c", FLOOD, str(stop)])
        self.flood = create(connection, command, name="flood")
        wait_for(connection, self.flood, "^row [0-9]+ of the flood")
        self.mark = place.home / "state" / "feeding"

    def strike(self, pid: int, number: signal.Signals) -> None:
        """Stop the orchestrator just while it feeds the flood, and let the signal take it there."""
        wanted = FEED + self.flood.encode()
        with self.mark.open("rb") as file:
            view = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        deadline = time.monotonic() + PATIENCE
        while True:
            os.kill(pid, signal.SIGSTOP)
            until(lambda: stopped(pid))
            if view[: len(wanted)] == wanted:
                break
            os.kill(pid, signal.SIGCONT)
            assert time.monotonic() < deadline, "it was never seen feeding"
            time.sleep(0.001)
        if number != signal.SIGSTOP:
            os.kill(pid, number)
            os.kill(pid, signal.SIGCONT)

    def hold_the_rest(self, after: Connection) -> None:
        """Hold who was moved, that nothing was lost, and that the user was told once."""
        until(lambda: session(after, self.flood)["engine"].startswith("pyte"))
        engine = {each: session(after, each)["engine"] for each in (*self.calm, self.flood)}
        assert all(engine[each].startswith("ghostty") for each in self.calm)
        told = [said.text for said in after.pushed(0.5) if isinstance(said, m.Notice)]
        assert only(told).startswith("The terminal of flood had a fault")
        assert "row " in text_of(after, self.flood)
        self.stop.touch()
        wait_for(after, self.flood, "the flood is over")
        for each in (self.flood, *self.calm):
            assert session(after, each)["state"] == "running"
            after.request(m.Send(id=0, session=each, text="still there"), timeout=PATIENCE)
            wait_for(after, each, "still there")
        for n, each in enumerate(self.calm):
            assert f"calm {n}" in text_of(after, each, history=True)


def stopped(pid: int) -> bool:
    """Tell whether a signal to stop has arrived: sending it returns earlier."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def back(place: Place, dead: int, since: float) -> tuple[Connection, float]:
    """Return a front end of the next orchestrator, and the seconds until it answered."""
    until(lambda: not alive(dead))
    connection = place.connect(front_end=True)
    assert connection.welcome.pid != dead
    connection.request(m.ListSessions(id=0), timeout=PATIENCE)
    return connection, time.monotonic() - since


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGSEGV,
        *(pytest.param(n, marks=pytest.mark.variant) for n in (signal.SIGILL, signal.SIGABRT)),
    ],
)
def test_a_crash_while_feeding_moves_one_session_to_pyte(
    place: Place, tmp_path: Path, number: signal.Signals
) -> None:
    with place.connect() as before:
        scene = Scene(place, before, tmp_path / "stop")
        dead = place.orchestrator
        scene.strike(dead, number)
        struck = time.monotonic()
    connection, seconds = back(place, dead, struck)
    with connection:
        print(f"back in {seconds:.2f} s", file=sys.stderr)
        # Its death was seen, not its silence.
        assert seconds < SILENCE_SECONDS
        scene.hold_the_rest(connection)


def test_a_hang_while_feeding_moves_one_session_to_pyte(place: Place, tmp_path: Path) -> None:
    with place.connect() as before:
        scene = Scene(place, before, tmp_path / "stop")
        dead = place.orchestrator
        scene.strike(dead, signal.SIGSTOP)
        struck = time.monotonic()
    connection, seconds = back(place, dead, struck)
    with connection:
        print(f"back in {seconds:.2f} s", file=sys.stderr)
        scene.hold_the_rest(connection)


def test_what_crashes_the_library_in_three_columns_is_kept_from_it(
    place: Place, tmp_path: Path
) -> None:
    deadly = tmp_path / "deadly"
    deadly.write_text(DEADLY)
    with place.connect(front_end=True) as connection:
        command = f"sh -c 'stty raw; stty size; cat {deadly}; exec cat'"
        bad = create(connection, command, name="bad", cols=3, rows=50)
        until(lambda: "1a21121" in text_of(connection, bad))
        view = m.View(view=1, session=bad, cols=3, rows=50, own_size=True, fps=30)
        connection.send(view)
        until(lambda: any(isinstance(said, m.Frame) for said in connection.pushed(0.1)))
        found = session(connection, bad)
        assert (found["state"], found["cols"]) == ("running", LEAST_COLUMNS)
        assert found["engine"].startswith("ghostty")
