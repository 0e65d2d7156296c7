"""The mouse as the child asked for it."""

from __future__ import annotations

from typing import Any

import pytest

from nagomi_tui.terminal.keys import ALT, CTRL, SHIFT, encode_focus, encode_mouse
from nagomi_tui.text.rows import Modes

SGR: dict[str, Any] = {"mouse_sgr": True}


@pytest.mark.parametrize(
    ("event", "mods", "modes", "expected"),
    [
        ((0, 0, 0, "press"), 0, {}, b""),
        ((4, 2, 0, "press"), 0, {"mouse": 1000, **SGR}, b"\x1b[<0;5;3M"),
        ((4, 2, 0, "release"), 0, {"mouse": 1000, **SGR}, b"\x1b[<0;5;3m"),
        ((4, 2, 2, "press"), SHIFT | ALT | CTRL, {"mouse": 1000, **SGR}, b"\x1b[<30;5;3M"),
        ((4, 2, 4, "press"), 0, {"mouse": 1000, **SGR}, b"\x1b[<64;5;3M"),
        ((4, 2, 5, "press"), 0, {"mouse": 1000, **SGR}, b"\x1b[<65;5;3M"),
        ((4, 2, 5, "release"), 0, {"mouse": 1000, **SGR}, b""),
        ((4, 2, 8, "press"), 0, {"mouse": 1000, **SGR}, b"\x1b[<128;5;3M"),
        ((4, 2, 0, "move"), 0, {"mouse": 1000, **SGR}, b""),
        ((4, 2, 0, "move"), 0, {"mouse": 1002, **SGR}, b"\x1b[<32;5;3M"),
        ((4, 2, 3, "move"), 0, {"mouse": 1002, **SGR}, b""),
        ((4, 2, 3, "move"), 0, {"mouse": 1003, **SGR}, b"\x1b[<35;5;3M"),
        ((4, 2, 0, "press"), 0, {"mouse": 1000, "mouse_pixels": True}, b"\x1b[<0;37;41M"),
        ((4, 2, 0, "release"), 0, {"mouse": 1000, "mouse_pixels": True}, b"\x1b[<0;37;41m"),
        ((0, 0, 0, "press"), 0, {"mouse": 1000}, b"\x1b[M !!"),
        ((0, 0, 0, "release"), 0, {"mouse": 1000}, b"\x1b[M#!!"),
        ((150, 95, 0, "press"), 0, {"mouse": 1000}, b"\x1b[M \xb7\x80"),
        ((222, 0, 0, "press"), 0, {"mouse": 1000}, b"\x1b[M \xff!"),
        ((300, 0, 0, "press"), 0, {"mouse": 1000}, b""),
        ((4, 2, 6, "press"), 0, {"mouse": 1000, **SGR}, b"\x1b[<66;5;3M"),
        ((300, 0, 0, "press"), 0, {"mouse": 1000, **SGR}, b"\x1b[<0;301;1M"),
        ((0, 0, 0, "press"), CTRL, {"mouse": 9}, b"\x1b[M !!"),
        ((0, 0, 0, "release"), 0, {"mouse": 9}, b""),
        ((0, 0, 4, "press"), 0, {"mouse": 9}, b""),
        ((0, 0, 4, "press"), 0, {"alt_screen": True}, b"\x1b[A" * 3),
        ((0, 0, 5, "press"), 0, {"alt_screen": True, "app_cursor": True}, b"\x1bOB" * 3),
        ((0, 0, 5, "press"), 0, {"alt_screen": True, "alternate_scroll": False}, b""),
        ((0, 0, 5, "press"), 0, {}, b""),
    ],
)
def test_reports(
    event: tuple[int, int, int, str], mods: int, modes: dict[str, Any], expected: bytes
) -> None:
    assert encode_mouse(*event, mods, Modes(**modes)) == expected


def test_focus_only_where_asked() -> None:
    assert encode_focus(True, Modes()) == b""
    assert encode_focus(True, Modes(focus_events=True)) == b"\x1b[I"
    assert encode_focus(False, Modes(focus_events=True)) == b"\x1b[O"
