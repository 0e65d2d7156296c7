"""46 kills with -9, of every party: sessions that could live on have every line."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages as m
from tests.hammer.counting import consecutive, counting
from tests.hammer.front_end import front_end, leave
from tests.hammer.vitals import answers, states
from tests.helpers.sound import Tape
from tests.helpers.waiting import alive, until
from tests.helpers.workplace import Place, create, session, wait_for

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from nagomi_tui.api.client import Connection

    Seen = Callable[[str], None]

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def zygote(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workplaces have a zygote, as their users' have."""
    monkeypatch.delenv("NAGOMI_ZYGOTE", raising=False)


def all_count(place: Place, names: list[str], dice: random.Random, *, every: bool = False) -> None:
    """Hold that the sessions run and lines are whole: in one of them, or in every one."""
    with place.connect() as connection:
        for name in names if every else [dice.choice(names)]:
            assert session(connection, name)["state"] == "running"
            consecutive(connection, name)


def residents(place: Place) -> tuple[int, int]:
    names = ("nagomi_tui.orchestrator", "nagomi_tui.orchestrator.supervisor")
    return len(place.pids_of(names[0])), len(place.pids_of(names[1]))


def test_orchestrator(place: Place, dice: random.Random, seen: Seen) -> None:
    with place.connect() as connection:
        names = counting(connection, 4)
    slowest = 0.0
    for _ in range(10):
        time.sleep(dice.random() * 0.8)
        place.kill(place.orchestrator)
        slowest = max(slowest, answers(place))
        all_count(place, names, dice)
    all_count(place, names, dice, every=True)
    seen(f"10 kills, back in {slowest:.2f} s at most, 4 × 20,000 lines")


def test_all_are_stopped_as_in_a_suspended_machine(place: Place, seen: Seen) -> None:
    """For longer than an agent or a heartbeat may be silent: nobody is replaced, and all count on."""
    with place.connect() as connection:
        names = counting(connection, 2)
    before = set(place.pids())
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in before:
            os.kill(pid, number)
        if number is signal.SIGSTOP:
            time.sleep(30)
    slowest = answers(place)
    with place.connect() as connection:
        for name in names:
            assert session(connection, name)["state"] == "running"
            consecutive(connection, name)
    time.sleep(5)
    assert residents(place) == (1, 1) and before <= set(place.pids())
    seen(f"answers {slowest:.2f} s after 30 s of standing still")


def test_supervisor(place: Place, dice: random.Random, seen: Seen) -> None:
    with place.connect() as connection:
        names = counting(connection, 2)
    for _ in range(6):
        dead = place.supervisor
        place.kill(dead)
        until(lambda: residents(place) == (1, 1), "one supervisor watches one orchestrator")
        all_count(place, names, dice)
    all_count(place, names, dice, every=True)
    seen("6 kills, 2 × 20,000 lines")


def test_both_residents(place: Place, dice: random.Random, seen: Seen) -> None:
    with place.connect() as connection:
        names = counting(connection, 2)
    for _ in range(4):
        place.end_residents()
        time.sleep(dice.random())
        place.start()
        all_count(place, names, dice)
    all_count(place, names, dice, every=True)
    seen("4 kills of both, 2 × 20,000 lines")


def test_front_end(place: Place, dice: random.Random, seen: Seen) -> None:
    with place.connect() as connection:
        names = counting(connection, 2)
    for _ in range(6):
        with front_end() as outer:
            outer.wait("count-1")
            place.kill(place.pid_of("nagomi_tui"))
            outer.wait("[left 137]")
        all_count(place, names, dice)
    seen("6 kills, 2 × 20,000 lines")


def test_zygote(zygote: None, place: Place, dice: random.Random, seen: Seen) -> None:
    with place.connect() as connection:
        names = counting(connection, 2)
    for _ in range(3):
        place.kill(until(lambda: place.pids_of("nagomi_tui.commands.start.zygote"), "a zygote")[0])
        with front_end() as outer:
            outer.wait("count-1")
            leave(outer)
        all_count(place, names, dice)
        # One that died young is not started again soon, but with a new supervisor it is.
        place.end_residents()
        place.start()
    seen("3 kills, a front end opens at once, 2 × 20,000 lines")


def test_workers(place: Place, dice: random.Random, seen: Seen) -> None:
    lost = 0
    with place.connect() as connection:
        names = counting(connection, 4)
        for _ in range(5):
            place.kill(dice.choice(place.workers))
            gone = until(lambda: [n for n, state in states(place).items() if state == "lost"])
            living = [n for n in names if session(connection, n)["state"] == "running"]
            for name in living:
                consecutive(connection, name)
            for name in gone:
                connection.request(m.Restart(id=0, session=name), timeout=20)
                wait_for(connection, name, r"^([2-9]\d{4}|\d{6,})$")
            lost += len(gone)
            assert set(states(place).values()) == {"running"}
    seen(f"5 kills, {lost} sessions lost and restarted, the others whole")


def test_children(place: Place, dice: random.Random, seen: Seen) -> None:
    with place.connect() as connection:
        names = counting(connection, 2)
        for _ in range(8):
            shell = create(connection, "sh -c 'sleep 1000 & exec sleep 1000'")
            place.kill(session(connection, shell)["pid"])
            until(lambda shell=shell: session(connection, shell)["state"] == "exited")
            assert session(connection, shell)["signal"] == signal.SIGKILL
            connection.request(m.Stop(id=0, session=shell), timeout=20)
            connection.request(m.Remove(id=0, session=shell), timeout=20)
    all_count(place, names, dice, every=True)
    seen("8 kills, each told as ended by signal 9, 2 × 20,000 lines")


@pytest.fixture
def tape(tmp_path: Path) -> Iterator[Tape]:
    """A sound device that writes into a file."""
    if not any(Path("/usr/lib").glob("*/libasound.so.2")):
        pytest.skip("there is no ALSA here")
    yield Tape(tmp_path / "home")


def test_sound_child(place: Place, tape: Tape, dice: random.Random, seen: Seen) -> None:
    with place.connect(front_end=True, env=tape.env) as connection:
        names = counting(connection, 1)
        for _ in range(4):
            child = until(lambda: _playing(place, connection), "a sound is played")
            place.kill(child)
            until(lambda child=child: not alive(child))
            answers(place)
        all_count(place, names, dice)
    seen("4 kills, the next sound is played by another child")


def _playing(place: Place, connection: Connection) -> int:
    connection.request(m.Sound(id=0, do="test"), timeout=20)
    found = place.pids_of("nagomi_tui.alerts")
    return found[0] if found else 0
