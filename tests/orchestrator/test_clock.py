"""The system's clock is set by hours: how long something takes, and is quiet, stays as it was."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from nagomi_tui.orchestrator.runtime.timers import JumpWatch
from nagomi_tui.orchestrator.sessions import waiting
from nagomi_tui.orchestrator.sessions.session import SessionRuntime, from_record, moved_time
from nagomi_tui.sessions.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

_HOURS = 15.6 * 3600


class _Clocks:
    """The clock of the day, which may be set, and one that goes on."""

    def __init__(self) -> None:
        self.passed, self.set_by = 0.0, 0.0

    def wall(self) -> float:
        return 1_700_000_000.0 + self.passed + self.set_by

    def steady(self) -> float:
        return 50.0 + self.passed


@pytest.mark.parametrize("hours", [_HOURS, -_HOURS])
def test_a_jump_is_noticed_once_and_neither_time_nor_sleep_is_one(hours: float) -> None:
    clocks = _Clocks()
    watch = JumpWatch(clocks.wall, clocks.steady)
    clocks.passed += 9 * 3600  # the machine slept
    assert watch.look() == 0
    clocks.set_by += 0.3  # a program keeps the clock right
    assert watch.look() == 0
    clocks.set_by += hours
    clocks.passed += 3
    assert watch.look() == pytest.approx(hours)
    assert watch.look() == 0


def test_a_process_that_is_stopped_while_it_looks_takes_that_for_no_jump() -> None:
    clocks = _Clocks()

    def stopped() -> float:
        clocks.passed += 60
        return clocks.wall()

    watch = JumpWatch(clocks.wall, clocks.steady)
    watch._wall = stopped
    assert watch.look() == 0
    watch._wall = clocks.wall
    clocks.set_by += _HOURS
    assert watch.look() == pytest.approx(_HOURS)


def test_the_machine_s_own_clocks_have_not_jumped() -> None:
    assert JumpWatch().look() == 0


def _session(at: float) -> SessionRuntime:
    info = Session(
        session_id="a" * 36, number=1, name="one", cmd="cat", cwd="/", created_at=at - 100,
        started_at=at - 90, phase_since=at - 10, last_output_at=at - 5, last_input_at=None,
    )  # fmt: skip
    session = SessionRuntime(info)
    session.run.output_at, session.run.typed_at = at - 5, at - 20
    return session


@pytest.mark.parametrize("hours", [_HOURS, -_HOURS])
def test_times_of_day_go_along_with_the_clock(hours: float) -> None:
    session = _session(1_700_000_000.0)
    session.move_times(hours)
    now = 1_700_000_000.0 + hours
    told = session.info
    assert (told.created_at, told.started_at, told.phase_since, told.last_output_at) == (
        now - 100, now - 90, now - 10, now - 5,
    )  # fmt: skip
    assert told.last_input_at is None and told.ended_at is None
    assert (session.run.output_at, session.run.typed_at) == (now - 5, now - 20)
    assert session.run.called_at is None and session.run.seen_at == 0
    # By its start the history knows a run, also in the next orchestrator.
    again = from_record(session.record())
    assert again.info.started_at is not None
    assert again.info.started_at - again.run.moved == pytest.approx(1_700_000_000.0 - 90)


@pytest.mark.parametrize("hours", [_HOURS, -_HOURS])
async def test_a_wait_for_silence_takes_as_long_as_it_should(
    monkeypatch: pytest.MonkeyPatch, hours: float
) -> None:
    """The clock jumps while it waits, and the program says something more behind it."""
    real, moved = time.time, [0.0]
    monkeypatch.setattr(waiting, "time", _Module(lambda: real() + moved[0]))
    session = _session(real() + 4)
    session.run.typed_at, session.run.output_at = None, real()
    done: list[Any] = []

    async def wait() -> None:
        done.append(await waiting._until_silence(session, 1.0))
        done.append(time.monotonic())

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.sleep(0.3)
            moved[0] = hours
            await anyio.sleep(0.3)
            session.run.output_at = real() + moved[0]
            said = time.monotonic()
    assert done[0] == "silence" and done[1] >= said + 0.9


class _Module:
    def __init__(self, now: Callable[[], float]) -> None:
        self.time, self.monotonic = now, time.monotonic


@pytest.mark.parametrize("seconds", [56_160.0, -56_160.0])
def test_what_was_noted_since_the_clock_was_set_is_not_moved_again(seconds: float) -> None:
    now = time.time()
    assert abs(moved_time(now - seconds - 30, seconds) - (now - 30)) < 1
    assert moved_time(now - 1, seconds) == now - 1
