"""Whom the user goes to first."""

from __future__ import annotations

from nagomi_tui.sessions.order import by_need, next_in_need
from nagomi_tui.sessions.session import Condition, Session


def session(number: int, phase: Condition, *, waits: bool = True, **times: float) -> Session:
    return Session(
        session_id=str(number), number=number, name="n", cmd="x", cwd="/", phase=phase,
        waits=waits, **times,  # type: ignore[arg-type]
    )  # fmt: skip


def order(*sessions: Session) -> list[int]:
    return [one.number for one in by_need(sessions)]


def test_who_asks_comes_before_what_failed_before_what_is_done() -> None:
    rest = session(4, Condition.IDLE, phase_since=1.0)
    done = session(1, Condition.SUCCESS, phase_since=1.0)
    failed = session(2, Condition.ERROR, phase_since=2.0)
    asks = session(3, Condition.ATTENTION, phase_since=3.0)
    assert order(rest, done, failed, asks) == [3, 2, 1, 4]


def test_who_does_not_wait_is_left_out() -> None:
    assert order(session(1, Condition.ATTENTION, waits=False), session(2, Condition.ERROR)) == [2]


def test_among_equals_the_longest_wait_comes_first_by_the_best_time_that_is_known() -> None:
    by_phase = session(1, Condition.ERROR, phase_since=30.0, ended_at=1.0, last_output_at=1.0)
    by_end = session(2, Condition.ERROR, ended_at=20.0, last_output_at=1.0)
    by_output = session(3, Condition.ERROR, last_output_at=10.0)
    unknown = session(5, Condition.ERROR)
    assert order(by_phase, by_end, by_output, unknown, session(4, Condition.ERROR)) == [
        4,
        5,
        3,
        2,
        1,
    ]


def test_those_just_passed_by_are_left_out() -> None:
    sessions = [session(1, Condition.ERROR), session(2, Condition.ERROR)]
    found = [next_in_need(sessions, passed) for passed in ((), {"1"}, {"1", "2"})]
    assert found == [sessions[0], sessions[1], None]
