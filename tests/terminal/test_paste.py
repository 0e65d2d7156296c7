"""Pasted text can not act by itself."""

from __future__ import annotations

import pytest

from nagomi_tui.terminal.keys import encode_paste

START, END = "\x1b[200~", "\x1b[201~"


def test_newlines_are_enter_without_brackets() -> None:
    assert encode_paste("a\nb\r\nc\rd", False) == "a\rb\rc\rd"


def test_text_between_brackets_is_unchanged() -> None:
    text = "日本語 👩\u200d💻\n\ttabs and lines\n"
    assert encode_paste(text, True) == START + text + END


@pytest.mark.parametrize(
    "evil",
    [
        "a\x1b[201~b",
        "a\x9b201~b",
        "a\x1b[20\x1b[201~1~b",
        "a\x9b20\x1b[201~1~b",
        "a\x1b[200~b",
        "a\x1b\x1b[201~[201~b",
    ],
)
@pytest.mark.parametrize("bracketed", [True, False])
def test_marks_inside_do_not_end_the_paste(evil: str, bracketed: bool) -> None:
    typed = encode_paste(evil, bracketed)
    inner = typed.removeprefix(START).removesuffix(END) if bracketed else typed
    assert "\x1b" not in inner
    assert "\x9b" not in inner
    assert inner.startswith("a")
    assert inner.endswith("b")


def test_other_control_characters_become_spaces() -> None:
    assert encode_paste("a\x03b\x00c\x7fd\x1be", False) == "a b c d e"


def test_one_mebibyte_arrives_whole() -> None:
    text = ("x" * 999 + "\n") * 1049
    assert encode_paste(text, True) == START + text + END
    assert encode_paste(text, False) == text.replace("\n", "\r")
