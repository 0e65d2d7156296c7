"""Text from outside: what must not reach a terminal, and what must."""

from __future__ import annotations

import unicodedata

import pytest

from nagomi_tui.text.cells import link_target, printable, printable_lines, visible

REORDERS = {"LRO", "RLO", "LRE", "RLE", "PDF", "LRI", "RLI", "FSI", "PDI"}


def test_no_character_that_moves_or_turns_text_is_left() -> None:
    for code in range(0x110000):
        char = chr(code)
        bad = (
            unicodedata.category(char) in {"Cc", "Zl", "Zp"}
            or unicodedata.bidirectional(char) in REORDERS
            or char in "\u200e\u200f\u061c\u200b\u2060\ufeff"
        )
        if bad:
            assert printable(f"a{char}b") == "a b", hex(code)
            assert char not in link_target(char)
        elif unicodedata.category(char) not in {"Cf", "Cn", "Cs"}:
            assert printable(char) == char, hex(code)


@pytest.mark.parametrize(
    "text",
    ["👩\u200d🚀", "☀\ufe0f", "か\u3099", "葛\U000e0100", "می\u200cخواهم", "日本 e\u0301 \ue0b0"],
)
def test_emoji_and_scripts_are_left_whole(text: str) -> None:
    assert printable(text) == text


def test_lines_and_tabs_stay_where_there_may_be_several() -> None:
    assert printable_lines("a\x1b[1m\r\n\tb\x85c\u202e") == "a [1m \n\tb c "


@pytest.mark.requirement("NB-20")
def test_control_and_direction_characters_are_shown() -> None:
    assert visible("ls \x1b[2K\r\u202e日本") == "ls \\x1b[2K\\r\\u202e日本"
