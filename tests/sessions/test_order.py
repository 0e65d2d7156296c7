"""Numbers stay with their sessions."""

from __future__ import annotations

from nagomi_tui.sessions.order import Numbers


def test_a_number_that_was_given_is_not_given_again() -> None:
    numbers = Numbers()
    assert [numbers.give(0, range(1, n)) for n in (1, 2, 3)] == [1, 2, 3]
    assert numbers.give(0, [1, 2]) == 4
    assert numbers.give(0, [1]) == 5


def test_a_known_session_keeps_its_number_where_that_is_free() -> None:
    numbers = Numbers()
    assert (numbers.give(7, []), numbers.give(3, [7]), numbers.give(7, [7, 3])) == (7, 3, 8)
    assert numbers.give(-2, [7, 3, 8]) == 9


def test_only_the_last_number_is_taken_back() -> None:
    numbers = Numbers()
    for taken in ([], [1]):
        numbers.give(0, taken)
    numbers.take_back(1)
    assert numbers.last == 2
    numbers.take_back(2)
    assert numbers.last == 1
