"""Lines above the screen: 20,000 of them (N-36), and numbers that stay with their lines."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable

import pytest

from nagomi_tui.terminal.engine import HISTORY_LINES, Engine
from nagomi_tui.terminal.pyte.engine import PyteEngine

Make = Callable[..., Engine]


def write_lines(engine: Engine, first: int, last: int) -> None:
    data = b"".join(b"line %d\r\n" % number for number in range(first, last))
    for start in range(0, len(data), 4096):
        engine.feed(data[start : start + 4096])


def all_lines(engine: Engine) -> list[str]:
    rows = engine.lines(engine.first_line, engine.screen_line + engine.rows)
    return [row.text for row in rows]


@pytest.mark.requirement("N-36", "NC-4")
def test_twenty_thousand_lines_are_kept_and_no_more(make: Make) -> None:
    engine = make(40, 10)
    write_lines(engine, 0, 45_000)
    assert engine.screen_line - engine.first_line == HISTORY_LINES
    kept = all_lines(engine)
    assert kept[-1] == ""
    assert kept[:-1] == [f"line {number}" for number in range(45_000 - 20_009, 45_000)]


@pytest.mark.requirement("N-36")
def test_a_number_stays_with_its_line(make: Make) -> None:
    engine = make(40, 10, history=1000)
    for start in range(0, 30_000, 3000):
        write_lines(engine, start, start + 3000)
        for number in (engine.first_line, engine.screen_line - 1, engine.screen_line):
            assert engine.lines(number, number + 1)[0].text == f"line {number}"


@pytest.mark.requirement("N-36")
def test_styled_lines_are_kept_too(make: Make) -> None:
    engine = make(40, 5, history=600)
    row = b"".join(b"\x1b[38;5;%dm%d" % (at, at % 10) for at in range(39)) + b"\x1b[m\r\n"
    engine.feed(row * 2500)
    assert engine.screen_line - engine.first_line == 600


def test_a_single_large_feed_keeps_the_numbers(make: Make) -> None:
    engine = make(40, 10, history=500)
    engine.feed(b"".join(b"line %d\r\n" % number for number in range(8000)))
    number = engine.first_line + 100
    assert engine.lines(number, number + 1)[0].text == f"line {number}"


def test_lines_not_kept_are_left_out(make: Make) -> None:
    engine = make(40, 5, history=100)
    write_lines(engine, 0, 1000)
    assert engine.lines(0, 10) == []
    assert len(engine.lines(0, 10**9)) == 105
    assert engine.lines(10**9, 10**9 + 5) == []
    assert engine.lines(950, 940) == []


def test_reading_history_leaves_the_screen_alone(make: Make) -> None:
    engine = make(40, 5)
    write_lines(engine, 0, 1000)
    before = engine.screen()
    engine.lines(100, 150)
    after = engine.screen()
    assert all(a is b for a, b in zip(before, after, strict=True))
    write_lines(engine, 1000, 1003)
    assert [row.text for row in engine.lines(10, 12)] == ["line 10", "line 11"]
    assert [row.text for row in engine.screen()] == [
        "line 999", "line 1000", "line 1001", "line 1002", "",
    ]  # fmt: skip


def test_styles_links_and_clusters_of_history(make: Make) -> None:
    engine = make(40, 3)
    engine.feed("\x1b[31mred\x1b[m 👩\u200d💻 \x1b]8;;http://a/\x1b\\link\x1b]8;;\x1b\\".encode())
    seen = engine.screen()[0]
    engine.feed(b"\r\n" * 50)
    assert engine.lines(0, 1) == [seen]


def test_the_alternate_screen_adds_no_history(make: Make) -> None:
    engine = make(40, 5)
    write_lines(engine, 0, 100)
    number = engine.screen_line
    engine.feed(b"\x1b[?1049h" + b"editor\r\n" * 500)
    assert engine.first_line == engine.screen_line == number
    engine.feed(b"\x1b[?1049l")
    assert engine.screen_line == number
    assert engine.lines(7, 8)[0].text == "line 7"


def test_a_cleared_history_is_gone_and_counting_goes_on(make: Make) -> None:
    engine = make(40, 5)
    engine.keeps_history = False
    write_lines(engine, 0, 100)
    engine.feed(b"\x1b[3J")
    assert engine.first_line == engine.screen_line
    assert engine.screen()[0].text == "line 96"
    write_lines(engine, 100, 200)
    assert engine.lines(engine.screen_line, engine.screen_line + 1)[0].text == "line 196"


def test_the_history_can_be_read_after_compaction(make: Make) -> None:
    engine = make(40, 5)
    write_lines(engine, 0, 5000)
    engine.compact()
    assert engine.lines(17, 18)[0].text == "line 17"
    write_lines(engine, 5000, 5100)
    assert engine.lines(5090, 5091)[0].text == "line 5090"


def test_the_screen_goes_on_after_compaction(make: Make) -> None:
    engine = make(20, 5)
    engine.feed(b"one\r\ntwo \x1b[1mbold\x1b[m")
    before = list(engine.screen())
    engine.compact()
    assert all(one is other for one, other in zip(engine.screen(), before, strict=True))
    engine.feed(b"\r\nthree")
    engine.compact(at_hand=True)
    assert [row.text for row in engine.screen()] == ["one", "two bold", "three", "", ""]
    engine.compact()
    engine.feed(b"\r\n4\r\n5\r\n6")
    assert [row.text for row in engine.screen()] == ["two bold", "three", "4", "5", "6"]
    assert [row.text for row in engine.lines(0, 2)] == ["one", "two bold"]
    assert engine.cursor.x == 1
    engine.compact()
    engine.close()


@pytest.mark.slow
@pytest.mark.requirement("N-36")
def test_history_of_the_fallback_is_compact() -> None:
    engine = PyteEngine(120, 24)
    dice = random.Random(1)
    data = [
        b"".join(b"\x1b[3%dm%08x \x1b[0m" % (at % 8, dice.getrandbits(32)) for at in range(12))
        for _ in range(2000)
    ]
    tracemalloc.start()
    try:
        for line in data:
            engine.feed(line + b"\r\n")
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    lines = engine.screen_line - engine.first_line
    assert lines > 1900
    assert size / lines * HISTORY_LINES < 60_000_000, size / lines
