"""A snapshot without history: small and quick; with the rest of the output it is as good."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pytest

from nagomi_tui.terminal.choose import restore_engine
from nagomi_tui.terminal.engine import Engine
from tests.terminal.test_snapshot import recording

Make = Callable[..., Engine]
_PAGE = 2500
"""More rows than one page of the native library holds at 40 columns."""


def light(engine: Engine) -> Engine:
    """Return a copy of the engine by its snapshot without history."""
    data = engine.snapshot(history=False)
    return restore_engine(engine.version, data, engine.cols, engine.rows)


def shown(engine: Engine) -> tuple[object, ...]:
    return (
        list(engine.screen()),
        engine.screen_line,
        engine.cursor,
        engine.modes,
        engine.title,
    )


def numbered(start: int, stop: int) -> bytes:
    return b"".join(b"\x1b[3%dmline %d\x1b[m\r\n" % (at % 8, at) for at in range(start, stop))


def assert_same_lines(copy: Engine, whole: Engine, since: int) -> None:
    """All that was printed since is there, and nothing that was not."""
    assert whole.first_line <= copy.first_line <= max(since, whole.first_line)
    stop = whole.screen_line + whole.rows
    assert copy.lines(copy.first_line, stop) == whole.lines(copy.first_line, stop)


@pytest.mark.parametrize("seed", range(12))
def test_cut_anywhere_gives_the_same_screen(make: Make, seed: int) -> None:
    data = recording(seed)
    whole = make(40, 8)
    whole.feed(data)
    for cut in random.Random(seed).sample(range(len(data)), 12):
        first = make(40, 8)
        first.feed(data[:cut])
        since = first.screen_line
        copy = light(first)
        copy.feed(data[cut:])
        assert shown(copy) == shown(whole), cut
        assert_same_lines(copy, whole, since)
        copy.close()


@pytest.mark.requirement("N-36")
def test_lines_go_on_with_their_numbers(make: Make) -> None:
    engine = make(40, 6)
    engine.feed(numbered(0, 5000))
    copy = light(engine)
    assert copy.screen_line == engine.screen_line
    assert engine.screen_line - _PAGE < copy.first_line <= copy.screen_line
    since = engine.screen_line
    for one in (engine, copy):
        one.feed(numbered(5000, 6000))
    assert shown(copy) == shown(engine)
    assert_same_lines(copy, engine, since)
    assert copy.lines(5500, 5501)[0].text == "line 5500"
    copy.close()


@pytest.mark.parametrize("enter", ["1049", "1047", "47"])
@pytest.mark.requirement("N-36")
def test_numbers_hold_behind_an_editor(make: Make, enter: str) -> None:
    engine = make(40, 6)
    engine.feed(numbered(0, 500) + f"\x1b[?{enter}hvim \x1b]2;half a tit".encode())
    copy = light(engine)
    assert shown(copy) == shown(engine)
    for one in (engine, copy):
        one.feed(f"le\x07\x1b[?{enter}l".encode() + numbered(500, 600))
    assert shown(copy) == shown(engine)
    assert copy.title == "half a title"
    assert_same_lines(copy, engine, 495)
    copy.close()


def test_a_copy_of_a_copy_is_as_good(make: Make) -> None:
    engine = make(40, 6)
    engine.feed(numbered(0, 3000))
    first = light(engine)
    first.feed(numbered(3000, 3100))
    data = first.snapshot()
    second = restore_engine(first.version, data, 40, 6)
    assert shown(second) == shown(first)
    assert second.first_line == first.first_line
    assert_same_lines(second, first, first.first_line)
    first.close()
    second.close()


def test_it_is_small_beside_a_whole_one(make: Make) -> None:
    engine = make(120, 30)
    engine.feed(numbered(0, 4000))
    assert len(engine.snapshot(history=False)) * 4 < len(engine.snapshot())


def test_what_was_captured_stays_while_the_terminal_goes_on(make: Make) -> None:
    engine = make(40, 6)
    engine.feed(numbered(0, 300) + b"\x1b]2;before\x07")
    then = shown(engine)
    finish = engine.capture()
    engine.feed(numbered(300, 400) + b"\x1b]2;after\x07")
    made: list[bytes] = []
    thread = threading.Thread(target=lambda: made.append(finish()))
    thread.start()
    thread.join()
    copy = restore_engine(engine.version, made[0], 40, 6)
    assert shown(copy) == then
    assert copy.lines(100, 101)[0].text == "line 100"
    copy.close()


def test_a_state_that_the_library_cannot_write_is_painted_without_history(make: Make) -> None:
    engine = make(194, 5)
    engine.feed(numbered(0, 50) + b"\xf0\x9f\x87\xb5\xef\xb8\x8f\x1b[24b\x1b[?7l")
    engine.resize(11, 5)
    copy = light(engine)
    assert copy.screen_line == engine.screen_line
    assert copy.cursor == engine.cursor
    assert [row.text for row in copy.screen()][:3] == [row.text for row in engine.screen()][:3]
    copy.close()
