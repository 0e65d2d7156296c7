"""How the overview is arranged while its user looks at one session after the other."""

from __future__ import annotations

from nagomi_tui.sessions.session import Session, State
from nagomi_tui.view.screens.state import Overview
from tests.helpers.fake_orchestrator import session


def _ended(number: int, *, waits: bool = False) -> Session:
    return session(number, f"s{number}", state=State.EXITED, exit_code=0, waits=waits)


def _numbers(sessions: list[Session]) -> list[int]:
    return [one.number for one in sessions]


def test_what_is_looked_at_when_its_end_is_seen_stays_until_the_user_goes_on() -> None:
    before = [_ended(1), session(2, "s2"), session(3, "s3"), _ended(4), session(5, "s5")]
    unseen, seen = [*before, _ended(6, waits=True)], [*before, _ended(6), session(7, "s7")]
    two, six = before[1].session_id, unseen[-1].session_id
    overview = Overview()
    overview.arranged(unseen, two)
    assert _numbers(overview.arranged(unseen, six).shown) == [2, 3, 5, 6]
    assert _numbers(overview.arranged(seen, six).shown) == [2, 3, 5, 6, 7]
    assert _numbers(overview.arranged(seen, two).folded) == [1, 4, 6]
    # Who goes to one that stands at the end finds it there.
    assert _numbers(overview.arranged(seen, six).shown)[-1] == 6
