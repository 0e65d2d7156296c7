"""When a light checkpoint can be the base, and when one with history is needed (NB-13)."""

from __future__ import annotations

from nagomi_tui.orchestrator.sessions.run import CHUNK_OVERHEAD, WHOLE_AFTER, Ledger

MEBIBYTE = 1024 * 1024


def printing(ledger: Ledger, size: int) -> None:
    ledger.add_output(size - CHUNK_OVERHEAD)


def test_the_newest_light_one_with_enough_lines_after_it_is_the_base() -> None:
    ledger = Ledger()
    for number in range(5):
        printing(ledger, MEBIBYTE)
        ledger.light(number, line=number * 100, layout=0)
    assert ledger.rest(line=450, layout=0, reach=500) is None
    assert ledger.rest(line=450, layout=0, reach=250) == 2
    assert ledger.since_base == 2 * MEBIBYTE
    assert ledger.rest(line=450, layout=0, reach=250) is None


def test_renumbered_lines_count_for_nothing() -> None:
    ledger = Ledger()
    ledger.light(1, line=0, layout=0)
    assert ledger.rest(line=1000, layout=1, reach=100) is None
    ledger.light(2, line=1000, layout=1)
    assert ledger.rest(line=1050, layout=1, reach=100) is None
    assert ledger.rest(line=1100, layout=1, reach=100) == 2


def test_a_terminal_that_never_scrolls_wants_its_history_saved() -> None:
    ledger = Ledger()
    while ledger.since_base < WHOLE_AFTER:
        assert not ledger.wants_whole(line=7, reach=100)
        printing(ledger, MEBIBYTE)
        ledger.light(ledger.charge, line=7, layout=0)
    assert ledger.wants_whole(line=7, reach=100)
    ledger.whole(ledger.charge)
    assert ledger.since_base == 0
    assert not ledger.wants_whole(line=7, reach=100)


def test_a_log_that_will_fill_the_history_in_time_wants_nothing() -> None:
    ledger = Ledger()
    for number in range(7):
        printing(ledger, MEBIBYTE)
        ledger.light(number, line=number * 3100, layout=0)
    assert ledger.since_base >= WHOLE_AFTER
    assert not ledger.wants_whole(line=6 * 3100, reach=20_030)
    assert ledger.wants_whole(line=6 * 3100, reach=40_000)


def test_a_base_that_cannot_be_read_is_replaced_at_once() -> None:
    ledger = Ledger()
    ledger.needs_base = True
    assert ledger.wants_whole(line=0, reach=100)
    ledger.whole(0)
    assert not ledger.wants_whole(line=0, reach=100)
