"""Rows become masked lines that are stored once each, whatever the screen did meanwhile."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from nagomi_tui.masking import REDACTED
from nagomi_tui.sessions.transcript import (
    LONGEST,
    Piece,
    Screenful,
    Story,
    TextRow,
    ended,
    standing,
    told,
)
from tests.helpers.secrets import LINES, PEM, VALUES

R = REDACTED


def rows(*texts: str) -> tuple[TextRow, ...]:
    """A text that ends in `\\` goes on in the next row."""
    return tuple(TextRow(text.removesuffix("\\"), text.endswith("\\")) for text in texts)


def piece(*texts: str, still: tuple[str, ...] = (), **more: Any) -> Piece:
    told = {"session_id": "id", "name": "n", "at": 1.0, "run": 1.0, "next_line": 0} | more
    return Piece(rows=rows(*texts), open=rows(*still), **told)


def story(*pieces: Piece) -> list[str]:
    """The lines that these pieces leave in the archive."""
    now, stored = Story(), []
    for each in pieces:
        now, lines = told(now, each)
        stored += lines
    return stored


def test_wrapped_rows_are_one_line_and_blank_lines_are_left_out() -> None:
    assert story(piece("one \\", "line", "", "   ", "two  ")) == ["one line", "two"]


@pytest.mark.requirement("NB-4")
def test_a_secret_that_is_wrapped_or_of_any_kind_is_masked() -> None:
    stored = "\n".join(story(piece("export TOKEN=abc\\", "def && go", *LINES)))
    assert f"TOKEN={R} && go" in stored
    assert [value for value in VALUES if value in stored] == []


@pytest.mark.requirement("NB-3")
def test_a_key_block_is_masked_from_one_piece_to_the_next() -> None:
    assert story(*map(piece, PEM)) == [PEM[0], R, R, PEM[-1]]
    half = piece(PEM[0], still=PEM[1:2])
    assert story(half, piece(*PEM[1:], "after")) == [PEM[0], R, R, PEM[-1], "after"]


@pytest.mark.requirement("NB-3")
def test_the_rest_of_a_key_behind_a_gap_is_masked() -> None:
    body, last = PEM[1:3]
    assert story(piece(body, last, PEM[3], "after", gap=9)) == [R, R, PEM[3], "after"]
    assert story(piece(body, body, gap=9), piece(body, PEM[3], "x")) == [R, R, R, PEM[3], "x"]
    assert story(piece("plain words", "more", gap=9)) == ["plain words", "more"]
    assert story(piece("abcd" * 10, PEM[3], gap=9)) == [R, PEM[3]]
    assert story(piece("abcd" * 10, PEM[3])) == ["abcd" * 10, PEM[3]]


def test_a_long_line_is_masked_whole_before_it_is_cut() -> None:
    line = "x" * (LONGEST - 10) + " token=" + "s" * 400 + VALUES[0]
    (stored,) = story(piece(line))
    assert len(stored) <= LONGEST
    assert "s" * 5 not in stored


def test_a_line_is_cut_only_where_it_is_too_long() -> None:
    assert story(piece("x y " * (LONGEST // 4 - 1) + "x yz")) == [
        "x y " * (LONGEST // 4 - 1) + "x yz"
    ]
    (cut,) = story(piece("x y " * (LONGEST // 4) + "z"))
    assert len(cut) == LONGEST and cut.endswith("x y…")


def test_behind_an_alternate_screen_of_the_same_run_the_lines_before_it_are_known() -> None:
    before, _ = told(Story(), piece("a", "b"))
    assert ended(before, 1.0) == msgspec.structs.replace(before, screen=True)
    assert ended(before, 2.0) == Story(run=2.0, screen=True)


def test_what_stands_on_the_screen_is_stored_once_and_again_only_when_it_changed() -> None:
    assert story(
        piece(still=("a", "b")),
        piece(still=("a", "b")),
        piece("a", still=("b", "c")),
        piece("b", "c", still=("d",)),
        piece("D", "e"),
    ) == ["a", "b", "c", "d", "D", "e"]


def test_what_stood_is_remembered_while_the_screen_moves() -> None:
    moving = piece("a", still=(), whole=False)
    assert story(piece(still=("a", "b", "c")), moving, piece(still=("b", "c", "d"))) == [*"abcd"]
    assert story(piece(still=("a", "b")), piece(still=("a",), whole=False), piece("a", "b")) == [
        *"ab"
    ]


def test_a_cleared_screen_takes_nothing_away() -> None:
    assert story(piece(still=("a", "b")), piece(still=()), piece(still=("c",))) == ["a", "b", "c"]


def test_equal_lines_are_kept_as_often_as_they_were_printed() -> None:
    assert story(piece("x", "x"), piece("x", still=("x",)), piece("x", "x")) == ["x"] * 5


def test_after_a_lost_place_only_new_lines_are_stored() -> None:
    begun = piece("a", "b", "c", still=("d",))
    assert story(begun, piece("b", "c", "d", "e", lost_place=True)) == ["a", "b", "c", "d", "e"]


def test_another_run_of_the_command_begins_anew() -> None:
    assert story(piece(PEM[0], still=("a",)), piece("a", run=2.0)) == [PEM[0], R, "a"]


@pytest.mark.requirement("NB-3")
def test_what_masking_awaits_outlives_the_orchestrator() -> None:
    before, _ = told(Story(), piece("name|password", "al|hunter2x"))
    kept = msgspec.json.decode(msgspec.json.encode(before), type=Story)
    assert kept == before
    assert told(kept, piece("bo|Zebra#42", next_line=3))[1] == ["bo|" + REDACTED]
    older = msgspec.json.decode(b'{"state": {"block": 0, "expecting": true}}', type=Story)
    assert older == Story()


@pytest.mark.requirement("N-86")
def test_a_screen_is_masked_from_within_a_key_and_where_a_word_still_grows() -> None:
    body = [TextRow("MIIEpAIBAAKCAQEA7" + "x1Y2z3W4" * 5)] * 2
    end = TextRow("-----END RSA PRIVATE KEY-----")
    rows = [*body, end, TextRow(""), TextRow("token: ghp_16C7e42F292c"), TextRow("all is well")]
    lines = standing(rows)
    assert lines[:2] == [REDACTED, REDACTED]
    assert lines[3:] == ["", f"token: {REDACTED}", "all is well"]


def test_a_full_screen_is_over_once_its_rows_are_gone_or_its_program_has_ended() -> None:
    shown = Screenful(session_id="id", name="n", at=1.0, run=1.0, rows=rows("line"))
    assert not shown.is_over
    assert msgspec.structs.replace(shown, rows=()).is_over
    assert msgspec.structs.replace(shown, final=True).is_over
