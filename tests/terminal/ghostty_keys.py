"""Ghostty's own key encoder, as the oracle for ours."""

from __future__ import annotations

from typing import Any

from pyghostty._ffi import ffi, lib

_NAMES = {
    "up": "ARROW_UP", "down": "ARROW_DOWN", "left": "ARROW_LEFT", "right": "ARROW_RIGHT",
    "pageup": "PAGE_UP", "pagedown": "PAGE_DOWN", "[": "BRACKET_LEFT", "]": "BRACKET_RIGHT",
    "/": "SLASH", ";": "SEMICOLON", ",": "COMMA", ".": "PERIOD", "-": "MINUS", "=": "EQUAL",
    "\\": "BACKSLASH", **{str(digit): f"DIGIT_{digit}" for digit in range(10)},
    **{f"kp_{digit}": f"NUMPAD_{digit}" for digit in range(10)}, "kp_enter": "NUMPAD_ENTER",
    "kp_add": "NUMPAD_ADD",
}  # fmt: skip
_ACTIONS = {"release": 0, "press": 1, "repeat": 2}


class Oracle:
    """One encoder and one event of the library, set anew for every key."""

    def __init__(self) -> None:
        self._encoder = ffi.new("GhosttyKeyEncoder *")
        self._event = ffi.new("GhosttyKeyEvent *")
        assert lib.ghostty_key_encoder_new(ffi.NULL, self._encoder) == 0
        assert lib.ghostty_key_event_new(ffi.NULL, self._event) == 0

    def encode(
        self,
        key: str,
        mods: int,
        text: str,
        action: str = "press",
        *,
        app_cursor: bool = False,
        app_keypad: bool = False,
        modify: bool = False,
        kitty: int = 0,
    ) -> bytes:
        """Return what ghostty types for this key in these modes."""
        options: list[tuple[int, str, Any]] = [
            (lib.GHOSTTY_KEY_ENCODER_OPT_CURSOR_KEY_APPLICATION, "bool *", app_cursor),
            (lib.GHOSTTY_KEY_ENCODER_OPT_KEYPAD_KEY_APPLICATION, "bool *", app_keypad),
            (lib.GHOSTTY_KEY_ENCODER_OPT_ALT_ESC_PREFIX, "bool *", True),
            (lib.GHOSTTY_KEY_ENCODER_OPT_MODIFY_OTHER_KEYS_STATE_2, "bool *", modify),
            (lib.GHOSTTY_KEY_ENCODER_OPT_KITTY_FLAGS, "uint8_t *", kitty),
        ]
        for option, kind, value in options:
            lib.ghostty_key_encoder_setopt(self._encoder[0], option, ffi.new(kind, value))
        event = self._event[0]
        lib.ghostty_key_event_set_action(event, _ACTIONS[action])
        name = _NAMES.get(key) or key.upper()
        lib.ghostty_key_event_set_key(event, getattr(lib, f"GHOSTTY_KEY_{name}"))
        # Ghostty's bits are shift 1, ctrl 2, alt 4, super 8.
        bits = (mods & 1) | (mods & 2) << 1 | (mods & 4) >> 1 | (mods & 8)
        lib.ghostty_key_event_set_mods(event, bits)
        lib.ghostty_key_event_set_consumed_mods(event, int(bool(mods & 1 and text != key)))
        raw = text.encode()
        held = ffi.new("char[]", raw)
        lib.ghostty_key_event_set_utf8(event, held, len(raw))
        base = " " if key == "space" else key if len(key) == 1 else "\0"
        lib.ghostty_key_event_set_unshifted_codepoint(event, ord(base))
        out, written = ffi.new("char[128]"), ffi.new("size_t *")
        code = lib.ghostty_key_encoder_encode(self._encoder[0], event, out, 128, written)
        assert code == 0
        return bytes(ffi.buffer(out, written[0]))
