"""Which output is plain: text, ends of lines and colours, also cut anywhere."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_tui.orchestrator.sessions.run import PlainRun, plain_lines
from tests.helpers.examples import examples

_PLAIN = re.compile(
    r"(?:[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\x1b\[[0-9;:]*[mK])*(?:\x1b(?:\[[0-9;:]*)?)?"
)
_PARTS = st.sampled_from(
    ["a", "日", "é", "\u0085", "\u009b", "\t", "\r\n", "\n", "\r", "\a", "\x1b", "[", "\x1b[", "3",
     ";", "m", "K", "H", "?25h", "\x1b[0m", "\x1b[2K", "\x1b]0;t\a", "\x7f", "\x0e", "\x1bM"]
)  # fmt: skip


@examples(400)
@given(st.lists(_PARTS, max_size=8).map("".join))
def test_plain_is_what_the_slow_rule_says(text: str) -> None:
    first, feed, _ = text[1:].partition("\n")
    returns = not feed or "\r" in text[:1] + first
    is_plain = bool(_PLAIN.fullmatch(text)) and returns
    assert plain_lines(text.encode()) == (text.count("\n") if is_plain else None)


@examples(200)
@given(st.lists(_PARTS, max_size=12).map("".join), st.integers(0, 30))
def test_a_stream_is_as_plain_in_pieces_as_in_one(text: str, at: int) -> None:
    run = PlainRun()
    pieces = [piece.encode() for piece in (text[:at], text[at:]) if piece]
    for waiting, piece in enumerate(pieces, 1):
        run.add(piece, waiting)
    if run.before == 0 and pieces:
        assert _PLAIN.fullmatch(text)


def test_lines_behind_the_first_message_hide_it() -> None:
    run = PlainRun()
    for waiting in range(1, 4):
        run.add(b"x\r\n" * 10, waiting)
    assert not run.hides_first
    run.reach = 20
    assert not run.hides_first
    run.add(b"x\r\n", 4)
    assert run.hides_first and run.first_lines == 10
    run.taken()
    assert not run.hides_first


@pytest.mark.parametrize("covered", [True, False])
def test_a_split_message_counts_as_its_pieces(covered: bool) -> None:
    run = PlainRun()
    run.reach = 0
    if not covered:
        run.cut(1)
    run.add(b"x\r\ny\r\nz\r\n", 2)
    run.split((b"x\r\n", b"y\r\nz\r\n") if covered else (b"\x1b[H", b"a"))
    assert run.before == (0 if covered else 2)
    run.taken()
    run.taken()
    run.taken() if not covered else None
    assert not run.hides_first


def test_nothing_is_hidden_by_lines_before_what_is_not_plain() -> None:
    run = PlainRun()
    run.add(b"x\r\n" * 100, 1)
    run.add(b"\x1b[H", 2)
    run.reach = 1
    assert run.before == 2 and not run.hides_first
