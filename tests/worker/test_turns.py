"""Sessions are read in turn, those just typed into first."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from nagomi_worker.sessions.reader import Turns

if TYPE_CHECKING:
    from nagomi_worker.sessions.session import Session


class _Stand:
    """What turns know of a session."""

    def __init__(self, name: str, typed_at: float = -1000.0) -> None:
        self.session_id = name
        self.typed_at = typed_at


def _order(now: float, *sessions: _Stand, rounds: int) -> list[str]:
    """Who is served in so many turns when all of them always have something to say."""
    turns = Turns()
    served: list[str] = []
    for _ in range(rounds):
        for session in sessions:
            turns.add(cast("Session", session))
        taken = turns.take(now)
        assert taken is not None
        served.append(taken.session_id)
    return served


def test_floods_take_turns() -> None:
    a, b, c = _Stand("a"), _Stand("b"), _Stand("c")
    assert _order(0.0, a, b, c, rounds=6) == ["a", "b", "c", "a", "b", "c"]


def test_a_session_that_was_typed_into_is_served_between_all_others() -> None:
    a, b, hot = _Stand("a"), _Stand("b"), _Stand("hot", typed_at=9.9)
    assert _order(10.0, a, b, hot, rounds=6) == ["hot", "a", "hot", "b", "hot", "a"]


def test_typing_is_forgotten_after_a_moment() -> None:
    a, cold = _Stand("a"), _Stand("cold", typed_at=9.0)
    assert _order(10.0, a, cold, rounds=2) == ["a", "cold"]


def test_a_hot_session_alone_is_served_again_and_again() -> None:
    assert _order(10.0, _Stand("hot", typed_at=10.0), rounds=3) == ["hot"] * 3


def test_nobody_waits() -> None:
    turns = Turns()
    session = cast("Session", _Stand("a"))
    turns.add(session)
    turns.drop(session)
    assert not turns
    assert turns.take(0.0) is None
