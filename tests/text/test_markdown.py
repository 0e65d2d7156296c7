"""Streamed Markdown is cut into the same pieces however it is chopped, and nothing is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_tui.text.markdown import Piece, Pieces


def cut(text: str, size: int = 10**6) -> list[Piece]:
    """Return all pieces of a text that comes in chunks of `size` characters."""
    pieces, found = Pieces(), []
    for at in range(0, len(text), size):
        for part in re.findall(r"[^\n]*\n|[^\n]+", text[at : at + size]):
            found += pieces.feed(part)
    return found + pieces.end()


def texts(text: str) -> list[str]:
    return [piece.text for piece in cut(text)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo\n", "three\n"]),
        ("# head\ntext", ["# head\n", "text\n"]),
        ("text\n# head\n", ["text\n", "# head\n"]),
        ("- a\n- b\n\n- c\n\n  more\n\nafter", ["- a\n- b\n\n- c\n\n  more\n\n", "after\n"]),
        ("1. a\n   ```\n\n   x\n   ```\n2. b\n", ["1. a\n   ```\n\n   x\n   ```\n2. b\n"]),
        ("- a\nlazy\n\nafter", ["- a\nlazy\n\n", "after\n"]),
        ("| a |\n|---|\n| 1 |\n\nx", ["| a |\n|---|\n| 1 |\n", "x\n"]),
        ("\n\n\nlate", ["late\n"]),
        ("", []),
    ],
)
def test_pieces_end_where_nothing_later_changes_them(text: str, pieces: list[str]) -> None:
    assert texts(text) == pieces


def test_a_block_of_code_is_a_piece_without_its_fences() -> None:
    assert cut("see:\n```python\nx = 1\n\n# y\n```\nafter\n") == [
        Piece("see:\n"),
        Piece("x = 1\n\n# y\n", code=True, language="python"),
        Piece("after\n"),
    ]


def test_a_fence_is_closed_by_its_own_kind_and_length_only() -> None:
    assert cut("~~~~\n```\n~~~\n~~~~ x\n~~~~~\n") == [Piece("```\n~~~\n~~~~ x\n", code=True)]


def test_an_answer_that_breaks_off_in_code_ends_there() -> None:
    assert cut("```sh\nls") == [Piece("ls\n", code=True, language="sh")]
    assert cut("```") == [Piece("", code=True)]


def test_a_block_of_code_that_is_cut_goes_on_without_a_second_beginning() -> None:
    pieces = Pieces()
    for line in ("```sh\n", "a\n", "b\n"):
        assert pieces.feed(line) == []
    assert pieces.cut() == Piece("a\nb\n", code=True, language="sh", ends=False)
    assert pieces.open == ""
    pieces.feed("c\n")
    assert pieces.open == "c\n"
    assert pieces.feed("```\n") == [Piece("c\n", code=True, language="sh", begins=False)]
    assert pieces.cut() is None


def test_what_is_open_begins_with_its_fence_only_where_all_of_it_is_code() -> None:
    for lines in ("```py\n", "x = 1\n"), ("1. a\n", "   ```py\n", "   x = 1\n"):
        pieces = Pieces()
        for line in lines:
            pieces.feed(line)
        assert pieces.open == "".join(lines)


_LINES = st.sampled_from(
    [
        "",
        "text",
        "- item",
        "  more",
        "1. one",
        "```",
        "```py",
        "~~~",
        "# head",
        "| a |",
        "日本",
        "> q",
    ]
)


@given(st.lists(_LINES, max_size=30), st.integers(1, 9))
def test_chunks_of_any_size_make_the_same_pieces(lines: list[str], size: int) -> None:
    text = "\n".join(lines)
    assert cut(text, size) == cut(text)


@given(st.lists(_LINES, max_size=30))
def test_every_word_is_in_a_piece_once_and_in_order(lines: list[str]) -> None:
    kept = "".join(piece.text for piece in cut("\n".join(lines)))
    words = [line for line in lines if line.strip() and not line.startswith(("```", "~~~"))]
    assert [
        line for line in kept.split("\n") if line.strip() and line[:3] not in ("```", "~~~")
    ] == words
