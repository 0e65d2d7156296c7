"""Queries of a child are answered once, with no front end needed, on both engines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nagomi_tui import __version__
from nagomi_tui.terminal.engine import Engine

Make = Callable[..., Engine]


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (b"\x1b[c", b"\x1b[?62;22c"),
        (b"\x1b[>c", b"\x1b[>1;0;0c"),
        (b"\x1b[5n", b"\x1b[0n"),
        (b"abc\x1b[6n", b"\x1b[1;4R"),
        (b"\x1b[?2004$p", b"\x1b[?2004;2$y"),
        (b"\x1b[?2004h\x1b[?2004$p", b"\x1b[?2004;1$y"),
        (b"\x1b[?2027$p", b"\x1b[?2027;1$y"),
        (b"\x1b[4$p", b"\x1b[4;2$y"),
        (b"\x1b[>q", f"\x1bP>|nagomi {__version__}\x1b\\".encode()),
        (b"\x1b[?u", b"\x1b[?0u"),
        (b"\x1b[>3u\x1b[?u", b"\x1b[?3u"),
        (b"\x1b[18t", b"\x1b[8;6;40t"),
        (b"\x1b]10;?\x1b\\", b"\x1b]10;rgb:0101/0202/0303\x1b\\"),
        (b"\x1b]11;?\x1b\\", b"\x1b]11;rgb:f0f0/f1f1/f2f2\x1b\\"),
        (b"\x1b[?996n", b"\x1b[?997;2n"),
    ],
)
def test_a_query_is_answered_once(make: Make, query: bytes, answer: bytes) -> None:
    engine = make()
    engine.set_colors(0x010203, 0xF0F1F2)
    engine.feed(query)
    assert engine.take_replies() == answer
    assert engine.take_replies() == b""


def test_answers_come_in_the_order_of_the_queries(make: Make) -> None:
    engine = make()
    engine.feed(b"\x1b[c\x1b[5n\x1b[6n")
    assert engine.take_replies() == b"\x1b[?62;22c\x1b[0n\x1b[1;1R"


def test_the_size_is_told_after_a_resize(make: Make) -> None:
    engine = make()
    engine.resize(100, 30)
    engine.feed(b"\x1b[18t")
    assert engine.take_replies() == b"\x1b[8;30;100t"
