"""When the loop asks a model: only on something new, and within what the user has set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_tui.agent.resident.loop import (
    FAILED_PAUSE,
    HOUR,
    MOST_PAUSE,
    PAUSE,
    Budget,
    Decision,
    KeptRecord,
    LoopRecord,
    Request,
    Spent,
    decided,
    pause_after,
    read_record,
)
from nagomi_tui.agent.resident.thought import Gathered, SessionSeen

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_000_000.0
API = SessionSeen(id="1", name="api", phase="running")


def _decide(
    record: LoopRecord, *, runs: bool = True, consent: bool = True, budget: Budget | None = None
) -> Decision:
    allowed = Budget() if budget is None else budget
    return decided(record, "new", runs=runs, consent=consent, budget=allowed, now=NOW)


def _spent(*requests: tuple[float, int]) -> LoopRecord:
    return LoopRecord(spent=Spent(tuple(Request(NOW - ago, tokens) for ago, tokens in requests)))


def test_something_new_is_thought_about() -> None:
    assert _decide(LoopRecord(asked_of="old")) == Decision()


@pytest.mark.requirement("F-12")
def test_where_the_loop_does_not_run_nothing_is_asked() -> None:
    assert _decide(LoopRecord(), runs=False) == Decision("calm")


@pytest.mark.requirement("N-95")
def test_without_consent_nothing_is_asked() -> None:
    assert _decide(LoopRecord(), consent=False) == Decision("consent")


def test_what_was_thought_about_is_not_asked_again() -> None:
    assert _decide(LoopRecord(asked_of="new")) == Decision("unchanged")


def test_between_requests_there_is_a_pause() -> None:
    assert _decide(LoopRecord(not_before=NOW + 5)) == Decision("pause", NOW + 5)
    assert _decide(LoopRecord(not_before=NOW)) == Decision()


def test_a_clock_that_was_set_back_stops_nothing() -> None:
    assert _decide(LoopRecord(not_before=NOW + 2 * MOST_PAUSE)) == Decision()
    assert _decide(_spent((-500, 10_000_000)), budget=Budget(requests=1)) == Decision()


def test_the_hours_requests_and_tokens_are_a_limit() -> None:
    two = _spent((3000, 10), (600, 500))
    assert _decide(two, budget=Budget(requests=3)) == Decision()
    assert _decide(two, budget=Budget(requests=2)) == Decision("budget", NOW + 600)
    assert _decide(two, budget=Budget(requests=1)) == Decision("budget", NOW + 3000)
    assert _decide(two, budget=Budget(tokens=510)) == Decision("budget", NOW + 600)
    assert _decide(two, budget=Budget(tokens=500)) == Decision("budget", NOW + 3000)
    assert _decide(two, budget=Budget(tokens=511)) == Decision()


@pytest.mark.parametrize("budget", [Budget(requests=0), Budget(tokens=0), Budget(requests=-1)])
def test_a_budget_of_nothing_allows_nothing(budget: Budget) -> None:
    assert _decide(LoopRecord(), budget=budget) == Decision("budget", None)


@given(st.lists(st.tuples(st.floats(0, 9000), st.integers(0, 30_000)), max_size=60))
def test_no_hour_ever_has_more_requests_than_the_budget(steps: list[tuple[float, int]]) -> None:
    budget = Budget(requests=4, tokens=50_000)
    spent, now, made = Spent(), NOW, list[Request]()
    for later, tokens in steps:
        now += later
        if spent.free_at(budget, now) == now:
            made.append(Request(now, tokens))
            spent = spent.with_request(Request(now)).with_tokens(tokens)
    for last in made:
        hour = [one for one in made if 0 <= last.at - one.at < HOUR]
        assert len(hour) <= 4 and sum(one.tokens for one in hour[:-1]) < 50_000


@given(st.lists(st.tuples(st.floats(0, 5000), st.integers(0, 30_000)), max_size=9))
def test_when_it_says_that_a_request_is_free_it_is(requests: list[tuple[float, int]]) -> None:
    spent = _spent(*sorted(requests, reverse=True)).spent
    free = spent.free_at(Budget(requests=3, tokens=40_000), NOW)
    assert free is not None and NOW <= free <= NOW + HOUR
    assert spent.free_at(Budget(requests=3, tokens=40_000), free + 0.001) == free + 0.001


def test_failures_are_followed_by_longer_pauses_up_to_an_hour() -> None:
    assert [pause_after(failures, None) for failures in range(5)] == [PAUSE, 300, 600, 1200, 2400]
    assert pause_after(100, None) == pause_after(1, 9e9) == MOST_PAUSE
    assert pause_after(1, 450) == 450 and pause_after(1, 1) == FAILED_PAUSE


def test_only_what_happened_is_a_change_and_neither_lines_nor_their_order() -> None:
    seen = Gathered(sessions=(API,)).seen("reserved")
    spinning = SessionSeen(id="1", name="api", phase="thinking", lines=("| 12 %",))
    docs = SessionSeen(id="2", name="docs", phase="idle")
    assert Gathered(sessions=(spinning,), away=True).seen("reserved") == seen
    assert Gathered(sessions=(API, docs)).seen("calm") == Gathered(sessions=(docs, API)).seen(
        "calm"
    )
    others = [
        Gathered(sessions=(API,)).seen("autonomous"),
        Gathered(sessions=(API,), next_steps="- [ ] x").seen("reserved"),
        Gathered(sessions=(API, docs)).seen("reserved"),
        Gathered(sessions=(SessionSeen(id="1", name="api", phase="running", moment="1"),)).seen(
            "reserved"
        ),
    ]
    assert len({seen, *others}) == 5


def test_what_was_asked_and_spent_outlives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "state" / "loop.json"
    record = LoopRecord(spent=Spent((Request(1.5, 7),)), asked_of="x", not_before=2.5, failures=1)
    KeptRecord(path).remember(**msgspec.structs.asdict(record))
    assert read_record(path) == record


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"spent":1}', b"\xff"])
def test_a_broken_file_is_a_fresh_beginning(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "loop.json"
    path.write_bytes(text)
    assert read_record(path) == LoopRecord() == read_record(tmp_path / "none")
