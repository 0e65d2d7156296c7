"""What a child says beside its drawing, on both engines."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import pytest

from nagomi_tui.terminal.cuts import (
    DRAWS_OVER,
    ERASES,
    LineEditing,
    begun_at_end,
    may_move_rows,
    scrolls_away,
    steers,
)
from nagomi_tui.terminal.engine import Engine
from nagomi_tui.terminal.osc import LIMIT, Scanner
from nagomi_tui.text.rows import ScreenEvent

Make = Callable[..., Engine]

SAID = [
    (b"\x1b]0;build\x07", ScreenEvent("title", "build")),
    ("\x1b]2;ビルド\x1b\\".encode(), ScreenEvent("title", "ビルド")),
    (b"\x1b]9;done\x07", ScreenEvent("notify", "done")),
    (b"\x1b]777;notify;Agent;it; waits\x1b\\", ScreenEvent("notify", "it; waits", "Agent")),
    (b"\x1b]99;i=1:d=1;Hello\x1b\\", ScreenEvent("notify", "Hello")),
    (b"\x1b]99;e=1;SGVsbG8=\x1b\\", ScreenEvent("notify", "Hello")),
    (b"\x1b]9;4;1;50\x07", ScreenEvent("progress", "1;50")),
    (b"\x1b]9;4;3\x07", ScreenEvent("progress", "3;")),
    (b"\x1b]7;file://host/tmp/a%20b\x07", ScreenEvent("cwd", "/tmp/a b")),
    (b"\x1b]52;c;aGk=\x07", ScreenEvent("clipboard", "hi")),
    (b"\x1b]133;D;1\x07", ScreenEvent("command", "D;1")),
    (b"\x1b]7501;state=waiting\x1b\\", ScreenEvent("status", "state=waiting")),
]


@pytest.mark.parametrize(("data", "event"), SAID)
def test_an_event_is_told_once(make: Make, data: bytes, event: ScreenEvent) -> None:
    engine = make()
    engine.feed(b"before" + data + b"after")
    assert engine.take_events() == [event]
    assert engine.take_events() == []
    assert engine.screen()[0].text == "beforeafter"


@pytest.mark.parametrize(("data", "event"), SAID)
def test_an_event_is_heard_wherever_it_is_cut(make: Make, data: bytes, event: ScreenEvent) -> None:
    for cut in range(1, len(data)):
        engine = make(20, 2, history=10)
        engine.feed(b"x" + data[:cut])
        engine.feed(data[cut:] + b"y")
        assert engine.take_events() == [event], cut
        engine.close()


@pytest.mark.parametrize(
    "first", [b"\x1b[1;31mred", b"\x1b(Bx\x1b7", b"\x1b", b"\x1b[2J\x1b\x1b[>"]
)
def test_an_event_is_heard_behind_other_sequences(first: bytes) -> None:
    for data, event in SAID:
        scanner = Scanner()
        scanner.feed(first + data)
        assert scanner.take() == [event]


@pytest.mark.parametrize("first", [b"", b"\x1b[1;31mred\x1b[0m", b"\x1b(B a > b"])
def test_keys_that_are_asked_for_are_known_until_a_reset(first: bytes) -> None:
    scanner = Scanner()
    scanner.feed(first + b"\x1b[>4;2m")
    assert scanner.modify_other_keys == 2
    scanner.feed(first + b"\x1bc")
    assert scanner.modify_other_keys == 0


@pytest.mark.parametrize("seed", range(4))
def test_what_is_cut_anywhere_is_heard_as_a_whole(seed: int) -> None:
    dice = random.Random(seed)
    parts = [data for data, _ in SAID] + [
        b"\x1b[38;5;208m",
        b"\x1b[3",
        b"\x1b[>4;2m",
        b"\x1bc",
        b"text",
    ]
    for _ in range(200):
        stream = b"".join(dice.choices(parts, k=6))
        cuts = [0, *sorted(dice.choices(range(len(stream)), k=5)), len(stream)]
        whole, torn = Scanner(), Scanner()
        whole.feed(stream)
        for begin, end in pairwise(cuts):
            torn.feed(stream[begin:end])
        assert torn.take() == whole.take(), (stream, cuts)
        assert torn.modify_other_keys == whole.modify_other_keys, (stream, cuts)


@pytest.mark.parametrize("seed", range(4))
def test_what_only_colours_neither_erases_nor_draws_over(seed: int) -> None:
    dice = random.Random(seed)
    letters = [
        b"\x1b",
        b"[",
        b"?",
        b";",
        b"1",
        b"38",
        b"m",
        b"J",
        b"H",
        b"c",
        b"#8",
        b"L",
        b"h",
        b"x",
        b"r",
        b"!p",
        b"8",
    ]
    told = 0
    for _ in range(4000):
        data = b"".join(dice.choices(letters, k=8))
        if not steers(data):
            told += b"\x1b[" in data
            assert not (DRAWS_OVER.search(data) or ERASES.search(data)), data
        elif ERASES.search(data) or scrolls_away(data, did=False):
            assert may_move_rows(data), data
    assert told > 10, "some are coloured, and no more"


@pytest.mark.parametrize("number", [b"9" * 5000, b"0" * 5000 + b"2", b"1;" * 5000])
@pytest.mark.parametrize(
    "begin", [*(b"\x1b[" + sign for sign in (b"", b"?", b">", b"<", b"=", b"!", b">4;", b"4;"))]
    + [*(b"\x1b]" + kind for kind in (b"", b"4;", b"9;4;1;", b"99;i=", b"133;D;", b"52;c;"))]
    + [b"\x1bP+q", b"\x1bP$q", b"\x1b_G"],
)  # fmt: skip
def test_numbers_of_any_length_are_no_fault(begin: bytes, number: bytes) -> None:
    """Python refuses to read a number of more than 4,300 digits, and the whole output was lost."""
    ends = [bytes([code]) for code in range(0x40, 0x7F)] + [b"\x07", b"\x1b\\", b"$p", b" q"]
    for end in ends:
        data = begin + number + end
        Scanner().feed(data)
        LineEditing().pieces(data)
        for look in (steers, may_move_rows, begun_at_end, partial(scrolls_away, did=False)):
            look(data)


@pytest.mark.parametrize(
    ("top", "away"), [(b"", False), (b"0", False), (b"01", False), (b"2", True)]
)
def test_margins_that_keep_the_first_row(top: bytes, away: bool) -> None:
    assert scrolls_away(b"\x1b[" + top + b";20r", did=not away) is away


def test_all_events_byte_by_byte(make: Make) -> None:
    engine = make()
    for byte in b"".join(data for data, _ in SAID):
        engine.feed(bytes([byte]))
    assert engine.take_events() == [event for _, event in SAID]
    assert engine.title == "ビルド"


def test_a_bell_rings_once_however_often(make: Make) -> None:
    engine = make()
    engine.feed(b"\a\a\a")
    assert engine.take_events() == [ScreenEvent("bell")]
    assert engine.take_events() == []


def test_the_end_of_a_title_is_no_bell(make: Make) -> None:
    engine = make()
    engine.feed(b"\x1b]2;t\a")
    assert [event.kind for event in engine.take_events()] == ["title"]


@pytest.mark.parametrize(
    "data",
    [
        b"\x1b]52;c;?\x07",
        b"\x1b]52;c;!!!\x07",
        b"\x1b]9;4\x07",
        b"\x1b]777;other;x\x07",
        b"\x1b]7;http://x/\x07",
        b"\x1b]2;aborted\x18",
        b"\x1b]12345;x\x07",
        b"\x1b]\x07",
    ],
)
def test_what_means_nothing_is_no_event(make: Make, data: bytes) -> None:
    engine = make()
    engine.feed(data)
    assert engine.take_events() == []


def test_control_characters_do_not_get_into_a_title(make: Make) -> None:
    engine = make()
    engine.feed("\x1b]2;a\tb\x9bc\x1b\\".encode())
    assert engine.title == "a b c"


def test_a_sequence_without_end_is_bounded() -> None:
    scanner = Scanner()
    scanner.feed(b"\x1b]2;")
    for _ in range(LIMIT // 65536 + 2):
        scanner.feed(b"9;" + b"x" * 65536)
    assert sum(map(len, scanner.held)) < LIMIT + 65540
    scanner.feed(b"\x07\x1b]2;next\x07")
    assert scanner.take() == [ScreenEvent("title", "next")]


def test_a_sequence_that_begins_in_another_ends_it(make: Make) -> None:
    engine = make()
    engine.feed(b"\x1b]2;one\x1b]2;two\x07")
    assert engine.title == "two"
