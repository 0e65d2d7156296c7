"""Floods, vim and a program full of queries, while front end and orchestrator are killed.

`NAGOMI_STORM=20` kills that many times; the suite does a few, so that it stays quick.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shlex
import shutil
import sys
import threading
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.api.client import RequestFailed
from tests.helpers.outer import Outer
from tests.helpers.workplace import Place, create, session, text_of, until, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("NAGOMI_STORM", "4"))
KEPT = 20_000

COUNT = """
import itertools, sys
for start in itertools.count(1, 500):
    sys.stdout.write("".join(f"{n}\\n" for n in range(start, start + 500)))
"""

ASK = r"""
import json, os, re, select, sys, time, tty
tty.setraw(0)
asked = answered = extra = 0
lost = []
said = b""
while not os.path.exists(sys.argv[1] + ".stop"):
    os.write(1, b"\x1b[6n")
    asked += 1
    began = time.monotonic()
    until = began + 6
    seen = 0
    while time.monotonic() < until and not seen:
        if select.select([0], [], [], 0.2)[0]:
            seen += len(re.findall(rb"\x1b\[\d+;\d+R", os.read(0, 1000)))
    answered += bool(seen)
    if not seen:
        lost.append(began)
    if select.select([0], [], [], 0.1)[0]:
        seen += len(re.findall(rb"\x1b\[\d+;\d+R", os.read(0, 1000)))
    extra += max(0, seen - 1)
with open(sys.argv[1] + ".new", "w") as report:
    json.dump({"asked": asked, "answered": answered, "extra": extra, "lost": lost}, report)
os.rename(sys.argv[1] + ".new", sys.argv[1])
"""


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as found:
        yield found


def python(source: str, *arguments: str) -> str:
    return shlex.join([sys.executable, "-c", source, *arguments])


def consecutive(text: str) -> int:
    """Return how many whole lines of numbers follow each other up to the last whole line."""
    numbers = [
        int(line) for line in text.rstrip("\n").split("\n")[:-1] if re.fullmatch(r"\d+", line)
    ]
    kept = numbers[-KEPT:]
    assert kept == list(range(kept[0], kept[0] + len(kept))), "numbers are missing or doubled"
    return len(kept)


def hold(connection: Connection, name: str, stop: bool) -> None:
    """Stop or continue the sessions' programs, so that the capture is of a still picture."""
    pid = session(connection, name)["pid"]
    os.kill(pid, 19 if stop else 18)


def front_end(place: Place) -> Outer:
    env = {name: os.environ[name] for name in ("PATH", "HOME", "NAGOMI_HOME")}
    env |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "NAGOMI_LANG": "en"}
    return Outer([sys.executable, "-m", "nagomi_tui"], env, cols=160, rows=50)


class Watch(threading.Thread):
    """Notes when a session's screen could be had, whoever is killed meanwhile."""

    def __init__(self, place: Place, name: str) -> None:
        super().__init__(daemon=True)
        self._place, self._name = place, name
        self._over = threading.Event()
        self.seen = [time.monotonic()]

    def run(self) -> None:
        while not self._over.is_set():
            with (
                contextlib.suppress(OSError, RequestFailed),
                self._place.connect() as connection,
            ):
                while not self._over.wait(0.05):
                    text_of(connection, self._name)
                    self.seen.append(time.monotonic())

    def end(self) -> None:
        self._over.set()
        self.join()

    def away(self, moment: float) -> float:
        """Return how long after a moment the screen was there again, if it was away just then."""
        return max(
            (back - moment for gone, back in pairwise(self.seen) if gone - 1 <= moment <= back),
            default=0.0,
        )


@pytest.mark.alone
@pytest.mark.timeout(300)
@pytest.mark.requirement("N-22")
def test_kills_at_random_moments_lose_nothing(place: Place, tmp_path: Path) -> None:
    """Eight floods, vim, and a program of queries live through kills of all above the worker."""
    dice = random.Random(20261121)
    vim = shutil.which("vim")
    report = tmp_path / "report"
    with place.connect() as connection:
        floods = [create(connection, python(COUNT)) for _ in range(8)]
        asking = create(connection, python(ASK, str(report)))
        editor = create(connection, f"{vim} -u NONE -c 'normal ihello from vim'") if vim else ""
        if editor:
            wait_for(connection, editor, "hello from vim")
    watch = Watch(place, asking)
    watch.start()
    slowest = 0.0
    with front_end(place) as outer:
        outer.wait("sessions")
        for _ in range(TIMES):
            time.sleep(dice.random() * 1.5)
            victim = place.orchestrator
            began = time.monotonic()
            place.kill(victim)
            with place.connect() as connection:
                connection.request(m.ListSessions(id=0), timeout=10)
                slowest = max(slowest, time.monotonic() - began)
            for pid in place.pids_of("nagomi_tui"):
                place.kill(pid)
            outer.keys("C-c")
        until(lambda: not place.pids_of("nagomi_tui"))
    print(f"slowest return {slowest:.2f} s", file=sys.stderr)
    with place.connect() as connection:
        for name in floods:
            assert session(connection, name)["state"] == "running"
            hold(connection, name, stop=True)
        time.sleep(0.5)
        lengths = [consecutive(text_of(connection, name, history=True)) for name in floods]
        assert min(lengths) >= KEPT - 1
        assert not any(session(connection, name).get("waits") for name in floods)
        if editor:
            assert "hello from vim" in text_of(connection, editor)
            connection.request(m.Keys(id=0, session=editor, keys=("escape",)))
            connection.request(m.Send(id=0, session=editor, text=":q!"))
            until(lambda: session(connection, editor)["state"] == "exited")
        report.with_suffix(".stop").touch()
        until(report.exists)
        watch.end()
        found = json.loads(report.read_text())
        assert found["extra"] == 0, found
        # A query that is older than two seconds when the orchestrator is back gets no answer.
        assert [moment for moment in found["lost"] if watch.away(moment) < 1.9] == [], found
        assert session(connection, asking)["state"] in ("running", "exited")
