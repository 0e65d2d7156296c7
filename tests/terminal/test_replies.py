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
        (b"\x1b]7501;?\x1b\\", b"\x1b]7501;?\x1b\\"),
        (b"\x1b]7501;?\x07", b"\x1b]7501;?\x1b\\"),
        (b"\x1b]7501;state=idle\x07", b""),
        (b"\x1b]7501;?\x18", b""),
        (b"abc\x1b[?6n", b"\x1b[?1;4;1R"),
        (b"\x1b[2;5r\x1b[?6h\x1b[3;2H\x1b[?6n", b"\x1b[?3;2;1R"),
        (b"\x1b[5n\x1b[?6n\x1b[6n", b"\x1b[0n\x1b[?1;1;1R\x1b[1;1R"),
        (b"\x1b[?4m", b"\x1b[>4;0m"),
        (b"\x1b[>4;2m\x1b[?4m\x1b[>4;1m\x1b[?4m\x1b[5n", b"\x1b[>4;2m\x1b[>4;1m\x1b[0n"),
        (b"\x1b]99;i=q:p=alive;\x1b\\", b"\x1b]99;i=q:p=alive;\x1b\\"),
        (b"\x1b]99;i=q:p=?;\x1b\\", b"\x1b]99;i=q:p=?;p=title,body\x1b\\"),
        (b"\x1bP+q544E\x1b\\", b"\x1bP1+r544E=787465726d2d323536636f6c6f72\x1b\\"),
        (
            b"\x1b[5n\x1b[c\x1bP+q544E\x1b\\\x1b[5n",
            b"\x1b[0n\x1b[?62;22c\x1bP1+r544E=787465726d2d323536636f6c6f72\x1b\\\x1b[0n",
        ),
        (
            b"\x1bP+q7a7a;544e\x1b\\",
            b"\x1bP0+r7a7a\x1b\\\x1bP1+r544e=787465726d2d323536636f6c6f72\x1b\\",
        ),
    ],
)
def test_a_query_is_answered_once(make: Make, query: bytes, answer: bytes) -> None:
    engine = make()
    engine.set_colors(0x010203, 0xF0F1F2)
    engine.feed(query)
    assert engine.take_replies() == answer
    assert engine.take_replies() == b""
    torn = make()
    torn.set_colors(0x010203, 0xF0F1F2)
    for at in range(len(query)):
        torn.feed(query[at : at + 1])
    assert torn.take_replies() == answer


def test_answers_come_in_the_order_of_the_queries(make: Make) -> None:
    engine = make()
    engine.feed(b"\x1b[c\x1b[5n\x1b[6n")
    assert engine.take_replies() == b"\x1b[?62;22c\x1b[0n\x1b[1;1R"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_the_status_query_is_answered_in_its_place_however_it_is_cut(make: Make, size: int) -> None:
    """A program that hears DA1 first takes it that statuses are not read."""
    engine = make()
    output = b"\x1b[5nx\x1b]7501;?\x1b\\\x1b[c\x1b]7501;?\x07\x1b[6n"
    for at in range(0, len(output), size):
        engine.feed(output[at : at + size])
    status = b"\x1b]7501;?\x1b\\"
    assert engine.take_replies() == b"\x1b[0n" + status + b"\x1b[?62;22c" + status + b"\x1b[1;2R"
    assert engine.take_events() == []


def test_the_status_is_kept_until_it_is_taken_back_or_a_shell_is_there(make: Make) -> None:
    engine = make()
    engine.feed(b"\x1b]7501;state=working\x07\x1b]7501;state=done:id=part\x07")
    assert engine.status == "state=working"
    assert type(engine).restore(engine.snapshot()).status == "state=working"  # type: ignore[attr-defined]
    engine.feed(b"\x1b]133;A\x07")
    assert engine.status == ""


def test_the_size_is_told_after_a_resize(make: Make) -> None:
    engine = make()
    engine.resize(100, 30)
    engine.feed(b"\x1b[18t")
    assert engine.take_replies() == b"\x1b[8;30;100t"
