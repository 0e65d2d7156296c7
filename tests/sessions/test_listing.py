"""In which order sessions are shown, and which are folded."""

from __future__ import annotations

import pytest

from nagomi_tui.sessions.order import arranged, is_list
from nagomi_tui.sessions.session import Condition, Session, State
from nagomi_tui.sessions.standing import is_unseen, needs_user


def _session(number: int, **values: object) -> Session:
    made = {
        "session_id": str(number),
        "number": number,
        "name": f"s{number}",
        "cmd": "sh",
        "cwd": "/",
    }
    return Session(**(made | {"state": State.RUNNING} | values))  # type: ignore[arg-type]


def _ended(number: int, **values: object) -> Session:
    return _session(number, state=State.EXITED, exit_code=0, **values)


def _numbers(sessions: list[Session]) -> list[int]:
    return [session.number for session in sessions]


MANY = [
    _ended(1),
    _session(2),
    _session(3, phase=Condition.ERROR, waits=True, phase_since=5.0),
    _ended(4),
    _session(5, phase=Condition.ATTENTION, waits=True, phase_since=9.0),
    _ended(6, waits=True, ended_at=7.0),
]


def test_tiles_keep_their_places_and_what_has_ended_and_was_seen_is_folded() -> None:
    shown, folded = arranged(MANY, "2")
    assert (_numbers(shown), _numbers(folded)) == ([2, 3, 5, 6], [1, 4])


def test_unfolded_they_stand_at_the_end() -> None:
    shown, folded = arranged(MANY, "2", unfolded=True)
    assert (_numbers(shown), folded) == ([2, 3, 5, 6, 1, 4], [])


def test_the_focused_one_is_shown_and_one_alone_is_not_folded() -> None:
    shown, folded = arranged(MANY, "4")
    assert (_numbers(shown), folded) == ([2, 3, 5, 6, 1, 4], [])


def test_a_list_begins_with_those_that_need_the_user() -> None:
    shown, folded = arranged(MANY, "2", needy_first=True)
    assert (_numbers(shown), _numbers(folded)) == ([5, 3, 6, 2], [1, 4])


def test_few_sessions_are_shown_as_they_are() -> None:
    shown, folded = arranged(MANY[:4], "2")
    assert (_numbers(shown), folded) == ([1, 2, 3, 4], [])
    shown, folded = arranged(MANY[:4], "2", needy_first=True)
    assert (_numbers(shown), folded) == ([3, 2, 1, 4], [])


@pytest.mark.parametrize(
    ("count", "width", "height", "wish", "listed"),
    [
        (0, 80, 22, None, False),
        (1, 40, 13, None, False),
        (1, 40, 9, None, False),
        (2, 60, 20, None, False),
        (2, 60, 19, None, True),
        (2, 80, 22, None, False),
        (3, 80, 22, None, True),
        (2, 40, 13, None, True),
        (3, 60, 38, None, False),
        (4, 60, 38, None, True),
        (5, 120, 34, None, False),
        (8, 120, 33, None, False),
        (9, 120, 33, None, True),
        (22, 120, 33, None, True),
        (18, 200, 48, None, False),
        (22, 200, 48, None, True),
        (100, 240, 480, None, False),
        (101, 240, 480, None, True),
        (101, 200, 48, False, False),
        (17, 200, 48, True, True),
        (9, 80, 22, False, False),
    ],
)
def test_sessions_are_listed_where_tiles_are_too_small_or_as_wished(
    count: int, width: int, height: int, wish: bool | None, listed: bool
) -> None:
    assert is_list(count, width, height, wish=wish) is listed


@pytest.mark.parametrize(
    ("phase", "waits", "needs", "unseen"),
    [
        (Condition.ATTENTION, True, True, False),
        (Condition.ERROR, True, True, True),
        (Condition.SUCCESS, True, False, True),
        (Condition.ATTENTION, False, False, False),
        (Condition.SUCCESS, False, False, False),
    ],
)
def test_a_question_needs_its_user_and_what_is_done_waits_to_be_seen(
    phase: Condition, waits: bool, needs: bool, unseen: bool
) -> None:
    session = _session(1, phase=phase, waits=waits)
    assert (needs_user(session), is_unseen(session)) == (needs, unseen)


@pytest.mark.parametrize(
    ("values", "predicted"),
    [
        ({"worker_id": "far"}, True),
        ({}, False),
        ({"worker_id": "far", "secret": True}, False),
        ({"worker_id": "far", "away_since": 1.0}, False),
        ({"worker_id": "far", "state": State.EXITED}, False),
    ],
)
def test_echo_is_predicted_only_where_it_is_far_and_reads_no_secret(
    values: dict[str, object], predicted: bool
) -> None:
    assert _session(1, **values).echo_is_predictable is predicted
