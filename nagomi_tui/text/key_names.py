"""The names of keys, how a user may write them (`ctrl+shift+up`, `C-c`, `M-x`), and how fast users type."""

from __future__ import annotations

from typing import Final

from nagomi_tui.text.words import nearest_name

SHIFT: Final = 1
ALT: Final = 2
CTRL: Final = 4
SUPER: Final = 8
HYPER: Final = 16

BEHIND_SECONDS: Final = 0.4
"""What follows a key without a longer pause was typed before one could see what that key did."""
ALONE_SECONDS: Final = 0.15
"""A key behind which another one comes within this is part of a word."""

_FUNCTION_KEYS: Final = tuple(f"f{number}" for number in range(1, 25))
_KEYPAD: Final = (
    *(f"kp_{digit}" for digit in range(10)),
    "kp_decimal", "kp_divide", "kp_multiply", "kp_subtract", "kp_add", "kp_enter", "kp_equal",
    "kp_separator", "kp_begin",
)  # fmt: skip
NAMES: Final = (
    "enter", "tab", "escape", "backspace", "space", "up", "down", "left", "right", "home", "end",
    "insert", "delete", "pageup", "pagedown", "menu", "capslock", "scrolllock", "numlock",
    "printscreen", "pause", *_FUNCTION_KEYS, *_KEYPAD,
)  # fmt: skip
"""Every named key; any other key is the one character that it types without modifiers."""

_LAYOUTS: Final = (
    ("йцукенгшщзхъфывапролджэячсмитьбюё", "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"),
    ("іїєґўљњђјћџѓќѕ", "s]'\\oqw[j'x]'y"),
    ("ςερτυθιοπασδφγηξκλζχψωβνμ", "wertyuiopasdfghjklzxcvbnm"),
    ("קראטוןםפשדגכעיחלךףזסבהנמצתץ", "ertyuiopasdfghjkl;zxcvbnm,."),
    ("ضصثقفغعهخحجدشسيبلاتنمكطئءؤرىةوزظ", "qwertyuiop[]asdfghjkl;'zxcvnm,./"),
    ("چکگیپ", "];'dm"),
    ("ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ", "qwertyuiopasdfghjklzxcvbnm"),
    ("ちこそしいはきくにまのりもみらせたすとかなひてさんつ", "abcdefghijklmnopqrstuvwxyz"),
    ("ๆไำพะัีรนยบลฟหกดเ้่าสวงผปแอิืทมใฝ", "qwertyuiop[]asdfghjkl;'zxcvbnm,./"),
    ("ौैाीूबहगदजडोे्िुपरकतचटंमनवलसय", "qwertyuiop[asdfghjkl;'xcvbnm/"),
    ("ქწერტყუიოპასდფგჰჯკლზხცვბნმჭღთშჟძჩ", "qwertyuiopasdfghjklzxcvbnmwrtsjzc"),
)
"""Letters of Cyrillic, Greek, Hebrew, Arabic, Persian, Korean, Japanese, Thai, Hindi and Georgian
layouts, each with the key of a US layout at its place: for terminals that do not tell it."""
_PLACES: Final = {
    letter: place
    for letters, places in _LAYOUTS
    for letter, place in zip(letters, places, strict=True)
}
_SHIFTED: Final = dict(zip("`[]\\;',./", '~{}|:"<>?', strict=True))
_FIRST_NOT_LATIN: Final = 0x370
_LATIN_AGAIN: Final = range(0x1E00, 0x1F00)
_SIGNS: Final = range(0x2000, 0x2C00)
"""Signs such as € that Latin layouts have, too."""

_ALIASES: Final = {
    "return": "enter", "cr": "enter", "esc": "escape", "bs": "backspace", "bspace": "backspace",
    "spc": "space", "pgup": "pageup", "ppage": "pageup", "page_up": "pageup", "prior": "pageup",
    "pgdn": "pagedown", "npage": "pagedown", "page_down": "pagedown", "next": "pagedown",
    "ins": "insert", "ic": "insert", "del": "delete", "dc": "delete", "plus": "+", "minus": "-",
}  # fmt: skip
_MODIFIERS: Final = {
    "shift": SHIFT, "s": SHIFT, "alt": ALT, "m": ALT, "meta": ALT, "option": ALT, "opt": ALT,
    "ctrl": CTRL, "c": CTRL, "control": CTRL, "super": SUPER, "cmd": SUPER, "win": SUPER,
}  # fmt: skip


def is_latin(key: str) -> bool:
    """Tell whether a key is a named one, or one of a layout with Latin letters."""
    code = ord(key) if len(key) == 1 else 0
    return code < _FIRST_NOT_LATIN or code in _LATIN_AGAIN or code in _SIGNS


def by_place(key: str, mods: int, text: str, base: str = "") -> tuple[str, str]:
    """Return key and text as a shortcut has them: where no Latin letter stands, by the key's place.

    `base` is what a US layout has there, where the terminal told it.
    """
    if is_latin(key):
        return key, text
    place = base if base and is_latin(base) else _PLACES.get(key, "")
    if not place:
        return key, text
    shifted = _SHIFTED.get(place, place.upper())
    return place, (shifted if mods & SHIFT or (text != text.lower()) else place) if text else ""


def pattern() -> str:
    """Return the regular expression of all that `parse_key` takes, for other programs."""
    modifiers = "|".join(map(_any_case, _MODIFIERS))
    names = "|".join(map(_any_case, (*NAMES, *_ALIASES)))
    return rf"^(BTab|(({modifiers})[+-])*\^?({names}|[\s\S]))$"


def _any_case(name: str) -> str:
    return "".join(f"[{char}{char.upper()}]" if char.isalpha() else char for char in name)


def parse_key(text: str) -> tuple[str, int]:
    """Return a key's name and its modifiers.

    Raises:
        ValueError: there is no such key; the message names the nearest one.
    """
    if text == "BTab":
        return "tab", SHIFT
    rest, mods = text, 0
    while at := _separator(rest):
        mods |= _MODIFIERS[rest[:at].lower()]
        rest = rest[at + 1 :]
    if len(rest) > 1 and rest[0] == "^":
        rest, mods = rest[1:], mods | CTRL
    return _named(rest, mods, text)


def _separator(text: str) -> int:
    """Return where the first modifier ends, or 0 where there is none."""
    for at, char in enumerate(text[:-1]):
        if char in "+-":
            return at if text[:at].lower() in _MODIFIERS else 0
    return 0


def _named(name: str, mods: int, written: str) -> tuple[str, int]:
    if len(name) == 1:
        if name.isupper() and len(name.lower()) == 1:
            # With Ctrl or Alt written in tmux's way, a capital alone does mean Shift as well.
            return name.lower(), mods | SHIFT if not mods & CTRL else mods
        return ("space" if name == " " else name), mods
    lower = name.lower()
    known = _ALIASES.get(lower, lower)
    if known in NAMES or len(known) == 1:
        return known, mods
    near = nearest_name(lower, (*NAMES, *_ALIASES), likeness=0.0)
    hint = f"; did you mean {near!r}?" if near else ""
    raise ValueError(f"there is no key {written!r}{hint}")
