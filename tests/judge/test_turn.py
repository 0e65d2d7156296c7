"""Where one turn ends and the next begins."""

from __future__ import annotations

import pytest

from nagomi_tui.judge.evidence import ECHO, Key, Turn


@pytest.mark.requirement("N-68")
def test_what_tells_of_one_beginning_within_half_a_second_is_one_turn() -> None:
    first = Turn().next(1.0)
    assert (first.number, first.started_at) == (1, 1.0)
    assert first.next(1.0 + ECHO - 0.1) is first
    assert first.next(1.0 + ECHO).number == 2


@pytest.mark.requirement("N-68")
def test_the_first_turn_may_begin_at_once() -> None:
    assert Turn().next(0.1).number == 1


@pytest.mark.requirement("N-68")
def test_a_turn_that_is_over_is_followed_by_another_however_soon() -> None:
    assert Turn().next(1.0).next(1.1, over=True).number == 2
    assert Turn().next(1.0).entered(1.1).number == 1
    assert Turn().next(1.0).entered(1.1, over=True).number == 2


def test_a_turn_begins_without_what_was_known_of_the_last_one() -> None:
    last = Turn().entered(1.0).worked(2.0).broken(3.0, Key.INTERRUPT, at_work=True)
    assert (last.interrupted_by, last.halted_at) == (Key.INTERRUPT, 3.0)
    assert last.next(5.0) == Turn(number=2, started_at=5.0, command_at=1.0, halted_at=3.0)


def test_a_command_that_was_heard_began_then_and_one_that_was_not_when_it_was_seen() -> None:
    assert Turn().entered(1.0).ran(1.3).command_at == 1.0
    assert Turn().ran(1.3).command_at == 1.3


@pytest.mark.requirement("NB-18")
def test_a_key_halts_only_what_is_at_work() -> None:
    halted = Turn().broken(1.0, Key.ESCAPE, at_work=True)
    assert halted.broken(2.0, Key.ESCAPE).halted_at == 1.0
    assert Turn().broken(1.0, Key.ESCAPE).halted_at is None
