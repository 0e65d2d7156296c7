"""The pattern of key names that other programs get takes what we take, and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_tui.text.key_names import CTRL, NAMES, SHIFT, by_place, parse_key, pattern

_PIECES = st.sampled_from(
    ["ctrl", "C", "shift", "m", "+", "-", "^", "Enter", "f12", "BTab", "x", "é", "\n", " ", *NAMES]
)


def takes(text: str) -> bool:
    try:
        parse_key(text)
    except ValueError:
        return False
    return True


@given(st.lists(_PIECES, max_size=5).map("".join) | st.text(max_size=4))
def test_the_pattern_takes_what_is_a_key(text: str) -> None:
    assert bool(re.fullmatch(pattern()[1:-1], text)) == takes(text)


def test_usual_names_are_keys() -> None:
    for name in ("ctrl+c", "C-c", "M-x", "Enter", "F5", "^C", "shift+-", "kp_0", "日"):
        assert re.search(pattern(), name), name
    for name in ("", "entre", "ctrl+", "f25", "ab"):
        assert not re.search(pattern(), name), name


@pytest.mark.parametrize(
    ("key", "mods", "text", "base", "expected"),
    [
        ("с", CTRL, "", "", ("c", "")),
        ("с", CTRL, "с", "", ("c", "c")),
        ("с", CTRL | SHIFT, "с", "", ("c", "C")),
        ("с", CTRL, "С", "", ("c", "C")),
        ("ж", CTRL | SHIFT, "Ж", "", (";", ":")),
        ("с", CTRL, "с", "м", ("c", "c")),
        ("с", CTRL, "с", "x", ("x", "x")),
        ("漢", CTRL, "漢", "", ("漢", "漢")),
        ("left", CTRL, "", "x", ("left", "")),
        # The signs around which Latin letters begin and end.
        ("\u036f", CTRL, "", "h", ("\u036f", "")),
        ("\u0370", CTRL, "", "h", ("h", "")),
        ("\u1dff", CTRL, "", "h", ("h", "")),
        ("ḿ", CTRL, "", "m", ("ḿ", "")),
        ("ἀ", CTRL, "", "a", ("a", "")),
        ("€", CTRL, "", "e", ("€", "")),
    ],
)
def test_a_key_of_no_latin_layout_goes_by_its_place(
    key: str, mods: int, text: str, base: str, expected: tuple[str, str]
) -> None:
    assert by_place(key, mods, text, base) == expected
