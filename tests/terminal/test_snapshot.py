"""A snapshot and the rest of the output give what the whole output gives."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from nagomi_tui.terminal.choose import open_engine, restore_engine
from nagomi_tui.terminal.engine import Engine, EngineError

Make = Callable[..., Engine]


def recording(seed: int) -> bytes:
    """Return output of a shell and an editor: colours, regions, wide text, OSC, modes."""
    dice = random.Random(seed)
    pieces = [
        b"\x1b]2;title %d\x07" % seed,
        "日本語 👩\u200d💻 e\u0301 ".encode(),
        b"\x1b[1;38;5;%dmcolour\x1b[m " % dice.randrange(256),
        b"\x1b[48;2;1;2;%dm\x1b[K\x1b[m\r\n" % dice.randrange(256),
        b"a line that is long enough to be wrapped at the edge of the screen\r\n",
        b"\x1b[%d;%dHplaced" % (dice.randrange(1, 8), dice.randrange(1, 30)),
        b"\x1b[?2026h",
        b"\x1b[?2004h\x1b[?1h\x1b[?1002h\x1b[?1006h",
        b"\x1b[>1u\x1b[>4;2m",
        b"\x1b[4 q\x1b[?25l",
        b"\x1b]8;;http://x/\x1b\\link\x1b]8;;\x1b\\",
        b"\x1b[2L\x1b[3P\x1b[J",
        b"\r\n".join(b"line %d" % at for at in range(dice.randrange(40))),
        b"\x1b]133;D;0\x1b\\$ ",
        b"\r" + b"=" * 40,
        b"\x1b7\x1b[3;3Haway\x1b8",
    ]
    dice.shuffle(pieces)
    editor = b"\x1b[?1049h\x1b[2J\x1b[Hediting\x1b[2;5r\x1b[31mred" if seed % 2 else b""
    return b"".join(pieces) + editor + b"\x1b[5;5Htail \x1b]9;4;1;%d\x07" % (seed % 100)


def state(engine: Engine) -> tuple[object, ...]:
    return (
        list(engine.screen()),
        engine.lines(engine.first_line, engine.screen_line),
        engine.first_line,
        engine.screen_line,
        engine.cursor,
        engine.modes,
        engine.title,
    )


@pytest.mark.parametrize("seed", range(12))
def test_cut_anywhere_gives_the_same(make: Make, seed: int) -> None:
    data = recording(seed)
    whole = make(40, 8)
    whole.feed(data)
    for cut in random.Random(seed).sample(range(len(data)), 12):
        first = make(40, 8)
        first.feed(data[:cut])
        copy = restore_engine(first.version, first.snapshot(), 40, 8)
        copy.feed(data[cut:])
        assert state(copy) == state(whole), cut
        copy.close()


@pytest.mark.parametrize("cut", range(1, 12))
def test_an_event_that_was_cut_is_heard_after_it(make: Make, cut: int) -> None:
    data = b"\x1b]133;D;7\x07"
    first = make()
    first.feed(data[:cut])
    copy = restore_engine(first.version, first.snapshot(), 40, 6)
    copy.feed(data[cut:])
    assert [event.text for event in copy.take_events() or first.take_events()] == ["D;7"]
    copy.close()


def test_long_history_and_its_numbers_come_back(make: Make) -> None:
    engine = make(40, 6, history=2000)
    engine.feed(b"".join(b"line %d\r\n" % number for number in range(9000)))
    copy = restore_engine(engine.version, engine.snapshot(), 40, 6, history=2000)
    assert state(copy) == state(engine)
    for one in (engine, copy):
        one.feed(b"".join(b"line %d\r\n" % number for number in range(9000, 12_000)))
    assert state(copy) == state(engine)
    assert copy.lines(11_500, 11_501)[0].text == "line 11500"
    copy.close()


def test_a_history_full_of_clusters_comes_back(make: Make) -> None:
    engine = make(40, 6, history=1000)
    engine.feed("👩\u200d💻🇯🇵\r\n".encode() * 50 + "👩\u200d💻".encode() * 20 * 3000)
    assert engine.screen_line - engine.first_line == 1000
    copy = restore_engine(engine.version, engine.snapshot(), 40, 6, history=1000)
    assert state(copy) == state(engine)
    copy.close()


def test_primary_screen_and_numbers_come_back_behind_an_editor(make: Make) -> None:
    engine = make()
    engine.feed(b"".join(b"line %d\r\n" % number for number in range(100)) + b"\x1b[?1049hvim")
    copy = restore_engine(engine.version, engine.snapshot(), 40, 6)
    for one in (engine, copy):
        one.feed(b"\x1b[?1049lback")
    assert state(copy) == state(engine)
    copy.close()


def test_a_restored_engine_takes_the_size_asked_for(make: Make) -> None:
    engine = make()
    engine.feed(b"text")
    copy = restore_engine(engine.version, engine.snapshot(), 60, 9)
    assert (copy.cols, copy.rows, len(copy.screen())) == (60, 9, 9)
    copy.feed(b"\x1b[18t\x1b[>q")
    assert copy.take_replies().startswith(b"\x1b[8;9;60t\x1bP>|nagomi")
    copy.close()


def test_nothing_is_said_again(make: Make) -> None:
    engine = make()
    engine.feed(b"\a\x1b]9;4;1;5\x07\x1b[c")
    engine.take_events()
    engine.take_replies()
    copy = restore_engine(engine.version, engine.snapshot(), 40, 6)
    assert copy.take_events() == []
    assert copy.take_replies() == b""
    copy.close()


@pytest.mark.parametrize("data", [b"", b"nonsense", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_what_is_no_snapshot_is_refused(make: Make, data: bytes) -> None:
    with pytest.raises(EngineError):
        restore_engine(make().version, data, 40, 6)


def test_a_snapshot_of_another_release_is_refused(make: Make) -> None:
    engine = make()
    with pytest.raises(EngineError):
        restore_engine("other-9.9", engine.snapshot(), 40, 6)


def test_an_engine_that_cannot_be_had_is_replaced() -> None:
    engine = open_engine(40, 6, prefer="pyte")
    assert engine.version.startswith("pyte-")


def test_a_state_that_the_library_cannot_write_is_painted(make: Make) -> None:
    engine = make(194, 5)
    engine.feed(b"kept\r\n\xf0\x9f\x87\xb5\xef\xb8\x8f\x1b[24b\x1b[?7l")
    engine.resize(11, 5)
    copy = restore_engine(engine.version, engine.snapshot(), 11, 5)
    assert copy.screen()[0].text == engine.screen()[0].text == "kept"
    assert copy.screen_line == engine.screen_line
    assert copy.cursor == engine.cursor
    copy.close()
