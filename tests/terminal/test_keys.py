"""Keys as children expect them; ghostty's own encoder is asked for a second opinion."""

from __future__ import annotations

import importlib.util
import itertools
from typing import Any

import pytest

from nagomi_tui.terminal.keys import ALT, CTRL, HYPER, SHIFT, SUPER, encode_key, parse_key
from nagomi_tui.text.rows import Modes

KEYS = (
    *"axi13/;[]\\",
    "space", "enter", "tab", "escape", "backspace", "up", "down", "left", "right", "home", "end",
    "insert", "delete", "pageup", "pagedown", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9",
    "f10", "f11", "f12", "f13", "f24", "kp_0", "kp_5", "kp_enter", "kp_add",
)  # fmt: skip
MODS = (0, SHIFT, ALT, CTRL, SHIFT | ALT, SHIFT | CTRL, ALT | CTRL)
CHILDREN: dict[str, tuple[Modes, dict[str, Any]]] = {
    "legacy": (Modes(), {}),
    "app cursor": (Modes(app_cursor=True), {"app_cursor": True}),
    "app keypad": (Modes(app_keypad=True), {"app_keypad": True}),
    "modify": (Modes(modify_other_keys=2), {"modify": True}),
    **{f"kitty {n}": (Modes(kitty_flags=n), {"kitty": n}) for n in (1, 3, 5, 9, 15, 31)},
}
_SHIFTED = dict(zip("axi13/;[]\\", "AXI!#?:{}|", strict=True))


def differs_on_purpose(key: str, mods: int, child: str) -> bool:
    """Say where we leave ghostty's way, and why."""
    if child.startswith("kitty"):
        # An event field that says "press" may be left out, and kitty does leave it out.
        events = child != "kitty 1" and int(child.split()[1]) & 2
        letters = ("up", "down", "left", "right", "home", "end", "f1", "f2", "f4")
        # A keypad key types the same with Shift, so it has no shifted form to tell.
        keypad = key.startswith("kp_") and bool(mods & SHIFT) and int(child.split()[1]) & 4
        return bool(events and key in letters) or bool(keypad)
    if key in ("f13", "f24", "f3"):
        return True  # terminfo of xterm-256color: Shift with F1 and F12, and CSI 1;mR for F3
    if key.startswith("kp_") and child != "app keypad":
        return bool(mods & ALT)  # Alt is an ESC before what the key types
    if child == "modify":
        printable = len(key) == 1 or key == "space"
        # xterm sends shifted text as text; ghostty leaves Ctrl+Backspace alone.
        return (printable and mods == SHIFT) or (key == "backspace" and mods == CTRL)
    if key in ("enter", "tab", "escape") and mods not in (0, ALT):
        return True  # asked for nothing, gets nothing that a plain shell prints
    # Ghostty sends CSI u for these to children that never asked.
    if not mods & CTRL or len(key) > 1:
        return False
    return key in ";[]\\i" or bool(mods & SHIFT and key != "/")


@pytest.mark.skipif(not importlib.util.find_spec("pyghostty"), reason="no wheel here")
@pytest.mark.parametrize("child", CHILDREN)
def test_same_as_ghostty_but_for_listed_differences(child: str) -> None:
    from tests.terminal.ghostty_keys import Oracle

    oracle = Oracle()
    modes, options = CHILDREN[child]
    wrong = []
    for key, mods in itertools.product(KEYS, MODS):
        text = " " if key == "space" else key[-1] if key in ("kp_0", "kp_5") else ""
        text = "+" if key == "kp_add" else text
        if len(key) == 1:
            text = _SHIFTED[key] if mods & SHIFT else key
        if differs_on_purpose(key, mods, child):
            continue
        ours = encode_key(key, mods, text, "press", modes)
        theirs = oracle.encode(key, mods, text, **options)
        if ours != theirs:
            wrong.append((key, mods, ours, theirs))
    assert not wrong


def press(key: str, mods: int = 0, text: str = "", **modes: Any) -> bytes:
    return encode_key(key, mods, text, "press", Modes(**modes))


@pytest.mark.parametrize(
    ("key", "mods", "modes", "expected"),
    [
        ("enter", SHIFT, {}, b"\r"),
        ("enter", SHIFT, {"kitty_flags": 1}, b"\x1b[13;2u"),
        ("enter", SHIFT, {"modify_other_keys": 1}, b"\x1b[27;2;13~"),
        ("enter", SHIFT, {"modify_other_keys": 2}, b"\x1b[27;2;13~"),
        ("enter", ALT, {}, b"\x1b\r"),
        ("i", CTRL, {}, b"\t"),
        ("i", CTRL, {"kitty_flags": 1}, b"\x1b[105;5u"),
        ("a", CTRL, {"modify_other_keys": 1}, b"\x01"),
        ("1", CTRL, {"modify_other_keys": 1}, b"\x1b[27;5;49~"),
        ("a", CTRL | SHIFT, {}, b"\x01"),
        ("A", 0, {}, b"A"),
        ("]", CTRL, {}, b"\x1d"),
        ("f13", 0, {}, b"\x1b[1;2P"),
        ("up", 0, {"app_cursor": True}, b"\x1bOA"),
        ("up", SUPER, {}, b"\x1b[1;9A"),
        ("c", SUPER, {}, b""),
        ("a", HYPER, {}, b""),
        ("enter", SUPER, {}, b""),
        ("a", SUPER | SHIFT, {}, b""),
        ("a", HYPER, {"kitty_flags": 1}, b"\x1b[97;17u"),
        ("kp_begin", 0, {}, b"\x1b[E"),
        ("kp_begin", CTRL, {}, b"\x1b[1;5E"),
        ("kp_begin", 0, {"app_cursor": True}, b"\x1bOE"),
        ("漢", 0, {}, "漢".encode()),
        ("漢", ALT, {}, "\x1b漢".encode()),
        ("menu", 0, {"kitty_flags": 1}, b"\x1b[57363u"),
        ("nonsense", 0, {}, b""),
    ],
)
def test_what_a_child_gets(key: str, mods: int, modes: dict[str, Any], expected: bytes) -> None:
    assert press(key, mods, **modes) == expected


def test_text_of_an_input_method_goes_through_whole() -> None:
    assert press("", 0, "日本") == "日本".encode()
    assert press("", 0, "日本", kitty_flags=31) == "日本".encode()


@pytest.mark.parametrize(
    ("action", "flags", "expected"),
    [
        ("release", 0, b""),
        ("release", 1, b""),
        ("release", 3, b"\x1b[97;1:3u"),
        ("repeat", 1, b"a"),
        ("repeat", 11, b"\x1b[97;1:2u"),
    ],
)
def test_repeat_and_release_only_where_asked(action: str, flags: int, expected: bytes) -> None:
    assert encode_key("a", 0, "a", action, Modes(kitty_flags=flags)) == expected


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("ctrl+shift+up", ("up", CTRL | SHIFT)),
        ("C-c", ("c", CTRL)),
        ("M-x", ("x", ALT)),
        ("C-M-Left", ("left", CTRL | ALT)),
        ("Enter", ("enter", 0)),
        ("^C", ("c", CTRL)),
        ("A", ("a", SHIFT)),
        ("M-A", ("a", ALT | SHIFT)),
        ("İ", ("İ", 0)),
        ("^", ("^", 0)),
        ("C-C", ("c", CTRL)),
        ("ctrl++", ("+", CTRL)),
        ("C--", ("-", CTRL)),
        ("-", ("-", 0)),
        ("+", ("+", 0)),
        ("BTab", ("tab", SHIFT)),
        ("PgUp", ("pageup", 0)),
        ("DC", ("delete", 0)),
        ("F12", ("f12", 0)),
        ("é", ("é", 0)),
        (" ", ("space", 0)),
        ("ctrl+space", ("space", CTRL)),
    ],
)
def test_keys_as_users_write_them(written: str, key: tuple[str, int]) -> None:
    assert parse_key(written) == key


@pytest.mark.parametrize(
    ("written", "near"), [("Entr", "enter"), ("ctrl+pagup", "pageup"), ("f42", "f4")]
)
def test_an_unknown_key_names_the_nearest(written: str, near: str) -> None:
    with pytest.raises(ValueError, match=near):
        parse_key(written)


def test_nothing_is_no_key() -> None:
    with pytest.raises(ValueError, match="no key"):
        parse_key("")


CYRILLIC = {"с": "c", "в": "d", "ф": "a", "ц": "w", "ъ": "]", "х": "["}
GREEK = {"ψ": "c", "δ": "d", "ς": "w"}
HEBREW = {"ב": "c", "ג": "d", "ש": "a"}
OTHERS = {"แ": "c", "ก": "d", "म": "c", "ც": "c", "そ": "c", "ی": "d", "บ": "["}
LAYOUTS = {**CYRILLIC, **GREEK, **HEBREW, **OTHERS}


_SHORTCUTS = (CTRL, ALT, CTRL | ALT, CTRL | SHIFT, ALT | SHIFT, SUPER)
_MODES = (
    Modes(), Modes(modify_other_keys=1), Modes(modify_other_keys=2),
    Modes(kitty_flags=1), Modes(kitty_flags=3), Modes(kitty_flags=8),
)  # fmt: skip


@pytest.mark.parametrize("key", LAYOUTS)
def test_a_shortcut_is_the_same_in_every_layout(key: str) -> None:
    latin = LAYOUTS[key]
    shifted = {"[": "{", "]": "}"}.get(latin, latin.upper())
    other = []
    for mods, modes in itertools.product(_SHORTCUTS, _MODES):
        text = key.upper() if mods & SHIFT else key
        plain = encode_key(latin, mods, shifted if mods & SHIFT else latin, "press", modes)
        told = encode_key(key, mods, text, "press", modes, base=latin)
        by_table = encode_key(key, mods, text, "press", modes)
        if (told, by_table) != (plain, plain):
            other.append((mods, modes, told, by_table, plain))
    assert other == []


def test_ctrl_c_is_that_byte_in_cyrillic_greek_and_hebrew() -> None:
    for key in "сψב":
        assert encode_key(key, CTRL, key, "press", Modes()) == b"\x03"
    assert encode_key("и", ALT, "и", "press", Modes()) == b"\x1bb"


def test_plain_letters_stay_what_they_type() -> None:
    for mods, text in ((0, "с"), (SHIFT, "С")):
        for flags in (0, 1):
            data = encode_key("с", mods, text, "press", Modes(kitty_flags=flags), base="c")
            assert data == text.encode()


def test_a_child_that_asked_for_alternates_gets_both_keys() -> None:
    alternates = Modes(kitty_flags=5)
    assert encode_key("с", CTRL, "с", "press", alternates, base="c") == b"\x1b[1089::99;5u"
    assert (
        encode_key("с", CTRL | SHIFT, "С", "press", alternates, base="c") == b"\x1b[1089:1057:99;6u"
    )
    # AZERTY: a layout with Latin letters is its own, and its place is told beside.
    assert encode_key("a", CTRL, "a", "press", alternates, base="q") == b"\x1b[97::113;5u"


@pytest.mark.parametrize(("key", "base"), [("a", "q"), ("ö", ";"), ("j", "c"), ("ç", "9")])
def test_a_layout_with_latin_letters_is_its_own(key: str, base: str) -> None:
    for mods in (CTRL, ALT):
        assert encode_key(key, mods, key, "press", Modes(), base=base) == encode_key(
            key, mods, key, "press", Modes()
        )
