"""The pattern of key names that other programs get takes what we take, and nothing else."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from nagomi_tui.text.key_names import NAMES, parse_key, pattern

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
