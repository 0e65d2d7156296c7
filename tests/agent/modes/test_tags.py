"""`[INNER]`: what counts, what is never seen, and pieces that cut it anywhere."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_tui.agent.modes.inner_notes import InnerFilter, Tagged, inner_blocks

_ALPHABET = [
    *("[INNER]", "[/INNER]", "[ACTION]", "[/ACTION]", "[IN", "NER]", "[/", "[", "]", "/", "I"),
    *("`", "``", "```", "```py\n", "~~~", "~~~\n", "\n", " ", "a", "日本", "    "),
]
_TEXTS = st.lists(st.sampled_from(_ALPHABET), max_size=24).map("".join)
_UNQUOTED = _TEXTS.map(lambda text: re.sub("[`~]", "", text))


def _pieces(text: str, cuts: list[int]) -> list[str]:
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [text[a:b] for a, b in pairwise(places)]


def _streamed(pieces: list[str]) -> Tagged:
    inner = InnerFilter()
    visible = [inner.feed(piece) for piece in pieces]
    return Tagged("".join([*visible, inner.finish()]), inner.inner)


@pytest.mark.parametrize(
    ("text", "visible", "inner"),
    [
        ("plain", "plain", None),
        ("", "", None),
        ("a [INNER]thought[/INNER] b", "a  b", "thought"),
        ("[INNER]\n- one\n- two\n[/INNER]\n", "\n", "- one\n- two"),
        (
            "a[0] and [link](x) and [/x] and [INNE x",
            "a[0] and [link](x) and [/x] and [INNE x",
            None,
        ),
        ("[inner]not the tag[/inner]", "[inner]not the tag[/inner]", None),
    ],
)
@pytest.mark.requirement("X-22", "M-8", "M-25")
def test_a_block_is_taken_out(text: str, visible: str, inner: str | None) -> None:
    assert inner_blocks(text) == Tagged(visible, inner)


@pytest.mark.requirement("MB-6")
def test_the_last_block_counts() -> None:
    found = inner_blocks("[INNER]old[/INNER] words [INNER]new[/INNER]")
    assert found == Tagged(" words ", "new")


@pytest.mark.requirement("MB-12")
def test_an_empty_block_does_not_count() -> None:
    assert inner_blocks("[INNER]old[/INNER][INNER] \n [/INNER]") == Tagged("", "old")
    assert inner_blocks("[INNER][/INNER]x") == Tagged("x", None)


@pytest.mark.parametrize(
    ("text", "visible", "inner"),
    [
        ("a [INNER]half a thought", "a ", None),
        ("a [INNER]half [/INNE", "a ", None),
        ("[INNER]whole[/INNER] b [INNER]half", " b ", "whole"),
        ("a [INNER]x [INNER]y[/INNER] z[/INNER] b", "a  b", "x y z"),
        ("a [INNER]x [INNER]y[/INNER] z", "a ", None),
        ("a [/INNER] b", "a  b", None),
        ("[INNER]one[/INNER] [/INNER]b", " b", "one"),
        ("a [INNER", "a ", None),
        ("a [/I", "a ", None),
    ],
)
@pytest.mark.requirement("MB-7")
def test_open_nested_and_stray_tags_are_defined(text: str, visible: str, inner: str | None) -> None:
    assert inner_blocks(text) == Tagged(visible, inner)


@pytest.mark.parametrize(
    "text",
    [
        "write `[INNER]x[/INNER]` so",
        "``a ` [INNER]x[/INNER] ``",
        "so:\n```\n[INNER]x[/INNER]\n```\nend",
        "```py\n[INNER]\n````\nend",
        "~~~\n[INNER]x[/INNER]\n```\n[INNER]\n~~~\n",
        "   ```\n[INNER]",
        "```\nthe fence stays open [INNER]x[/INNER]\n",
        "`[INNE` and ```[INNER]``` in a line",
    ],
)
@pytest.mark.requirement("MC-6", "MB-7")
def test_in_code_a_tag_is_a_quotation(text: str) -> None:
    assert inner_blocks(text) == Tagged(text)


@pytest.mark.parametrize(
    ("text", "visible", "inner"),
    [
        ("a ` b [INNER]x[/INNER]", "a ` b ", "x"),
        ("a `\n[INNER]x[/INNER] `", "a `\n `", "x"),
        ("```\ncode\n```\n[INNER]x[/INNER]", "```\ncode\n```\n", "x"),
        ("    ```\n[INNER]x[/INNER]", "    ```\n", "x"),
        ("[INNER]\n```\nopen fence[/INNER]seen", "seen", "```\nopen fence"),
        ("[INNER]the tag `[/INNER]` ends it[/INNER]seen", "seen", "the tag `[/INNER]` ends it"),
    ],
)
@pytest.mark.requirement("MC-6")
def test_beside_code_a_tag_is_one(text: str, visible: str, inner: str) -> None:
    assert inner_blocks(text) == Tagged(visible, inner)


@pytest.mark.requirement("MC-6")
def test_blocks_within_an_action_do_not_count_and_are_not_seen() -> None:
    text = "[INNER]mine[/INNER][ACTION]say [INNER]x[/INNER][/ACTION]"
    assert inner_blocks(text) == Tagged("[ACTION]say [/ACTION]", "mine")
    assert inner_blocks("[ACTION]open [INNER]x[/INNER]").inner == "x"


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("a[IN[INNER]x[/INNER]NER]y", "aNER]y"),
        ("a[[/INNER]INNER]y", "aINNER]y"),
        ("a[INN[[IN[/INNER]ER]y", "aER]y"),
        ("a[INN[[IN y", "a[INN[[IN y"),
    ],
)
@pytest.mark.requirement("MB-8")
def test_what_is_left_makes_up_no_other_tag(text: str, visible: str) -> None:
    assert inner_blocks(text).visible == visible


@given(_TEXTS, st.lists(st.integers(0, 400), max_size=30))
@pytest.mark.requirement("MB-8")
def test_any_pieces_give_what_the_whole_text_gives(text: str, cuts: list[int]) -> None:
    assert _streamed(_pieces(text, cuts)) == inner_blocks(text)
    assert _streamed(list(text)) == inner_blocks(text)


@given(_UNQUOTED, st.lists(st.integers(0, 400), max_size=30))
@pytest.mark.requirement("MB-8")
def test_no_tag_and_no_beginning_of_one_at_the_end_is_ever_seen(text: str, cuts: list[int]) -> None:
    inner, seen = InnerFilter(), ""
    for piece in [*_pieces(text, cuts), None]:
        seen += inner.finish() if piece is None else inner.feed(piece)
        assert "[INNER]" not in seen and "[/INNER]" not in seen
    assert not re.search(r"\[/?(I(N(N(E(R)?)?)?)?)?\Z", seen)


@given(st.lists(st.sampled_from(["[INNER]", "[/INNER]", "a", "b\n", "[x]"]), max_size=20))
@pytest.mark.requirement("MB-6", "MB-7")
def test_blocks_are_those_that_counting_finds(parts: list[str]) -> None:
    visible, blocks, block, depth = "", [], "", 0
    for part in parts:
        if part == "[INNER]":
            depth += 1
        elif part == "[/INNER]":
            if depth == 1:
                blocks.append(block.strip())
                block = ""
            depth = max(0, depth - 1)
        elif depth:
            block += part
        else:
            visible += part
    last = next((one for one in reversed(blocks) if one), None)
    assert inner_blocks("".join(parts)) == Tagged(visible, last)


@pytest.mark.requirement("MB-8")
def test_plain_text_is_seen_at_once() -> None:
    inner = InnerFilter()
    assert inner.feed("Hello, ") == "Hello, "
    assert inner.feed("world [") == "world "
    assert inner.feed("1] and") == "[1] and"


@pytest.mark.parametrize("text", ["[" * 20_000 + "x", "`" * 20_000, "` `` " * 4_000, "[IN" * 9_000])
@pytest.mark.requirement("MB-7")
def test_a_text_made_to_be_slow_is_not(text: str) -> None:
    began = time.process_time()
    inner_blocks(text)
    assert time.process_time() - began < 5
