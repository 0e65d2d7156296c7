"""Search in a session's lines, on both engines."""

from __future__ import annotations

from collections.abc import Callable

from nagomi_tui.orchestrator.sessions import reading
from nagomi_tui.orchestrator.sessions.reading import Match
from nagomi_tui.terminal.engine import Engine

Make = Callable[..., Engine]


def find(engine: Engine, needle: str, limit: int = 1000) -> list[Match]:
    first, end = engine.first_line, engine.screen_line + engine.rows
    return reading.find(engine.lines(first, end, plain=True), first, needle, limit)


def test_case_matters_only_with_a_capital(make: Make) -> None:
    engine = make()
    engine.feed(b"Error one\r\nno\r\nan ERROR\r\nerror")
    assert find(engine, "error") == [(0, 0, 5), (2, 3, 5), (3, 0, 5)]
    assert find(engine, "Error") == [(0, 0, 5)]
    assert find(engine, "") == []


def test_columns_count_cells(make: Make) -> None:
    engine = make()
    engine.feed("日本 e\u0301 👩\u200d💻 語x".encode())
    assert find(engine, "語") == [(0, 10, 2)]
    assert find(engine, "本") == [(0, 2, 2)]
    assert find(engine, "x") == [(0, 12, 1)]


def test_a_match_goes_on_in_the_next_row(make: Make) -> None:
    engine = make(10, 4)
    engine.feed(b"01234567needle890")
    assert find(engine, "needle") == [(0, 8, 6)]
    assert find(engine, "890") == [(1, 4, 3)]


def test_the_newest_are_kept_and_stand_last(make: Make) -> None:
    engine = make(40, 5)
    engine.feed(b"".join(b"hit %d hit\r\n" % number for number in range(3000)))
    found = find(engine, "hit", limit=5)
    assert len(found) == 5
    assert found == sorted(found)
    assert found[-1][0] == 2999
    assert len(find(engine, "hit", limit=10_000)) == 6000
    assert find(engine, "hit 1234 ") == [(1234, 0, 9)]


def test_numbers_fit_after_lines_have_gone(make: Make) -> None:
    engine = make(40, 5, history=500)
    engine.feed(b"".join(b"line %d\r\n" % number for number in range(9000)))
    [(number, column, cells)] = find(engine, "line 8777")
    assert (column, cells) == (0, 9)
    assert engine.lines(number, number + 1)[0].text == "line 8777"
    assert find(engine, "line 100") == []
