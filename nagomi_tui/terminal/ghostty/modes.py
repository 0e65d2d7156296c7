"""Reads, in one call, the modes of a native terminal that input and drawing need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.core.text.screen import Modes
from nagomi_tui.terminal.ghostty.native import Questions

if TYPE_CHECKING:
    from nagomi_tui.terminal.ghostty.native import Native

_MODES: Final = (1, 66, 2004, 1004, 9, 1000, 1002, 1003, 1006, 1007, 1016, 2026)
_MOUSE: Final = (1003, 1002, 1000, 9)


class ModeReader:
    """Holds the buffers that the library writes modes, active screen and kitty flags into."""

    def __init__(self, native: Native, terminal: Any) -> None:
        ffi, lib = native.ffi, native.lib
        self._native = native
        self._values = ffi.new("GhosttyTerminalModeConfig[]", len(_MODES))
        for value, mode in zip(self._values, _MODES, strict=True):
            value.mode = mode
        self._bytes = ffi.buffer(self._values)
        self._screen = ffi.new("int *")
        self._kitty = ffi.new("uint8_t *")
        modes = range(len(_MODES))
        self._questions = Questions(
            native,
            terminal,
            [
                *[(lib.GHOSTTY_TERMINAL_DATA_MODE, self._values + at) for at in modes],
                (lib.GHOSTTY_TERMINAL_DATA_ACTIVE_SCREEN, self._screen),
                (lib.GHOSTTY_TERMINAL_DATA_KITTY_KEYBOARD_FLAGS, self._kitty),
            ],
        )
        self._found: tuple[bytes, int, int, int] | None = None
        self._modes = Modes()
        """What was found last time, which is mostly what is found this time."""

    def read(self, modify_other_keys: int) -> Modes:
        """Return the modes; the library does not tell modifyOtherKeys."""
        self._questions.ask()
        found = (self._bytes[:], self._screen[0], self._kitty[0], modify_other_keys)
        if found != self._found:
            self._found, self._modes = found, self._interpreted(modify_other_keys)
        return self._modes

    def _interpreted(self, modify_other_keys: int) -> Modes:
        lib = self._native.lib
        on = {value.mode for value in self._values if value.value}
        return Modes(
            alt_screen=self._screen[0] == lib.GHOSTTY_TERMINAL_SCREEN_ALTERNATE,
            app_cursor=1 in on,
            app_keypad=66 in on,
            bracketed_paste=2004 in on,
            focus_events=1004 in on,
            mouse=next((mode for mode in _MOUSE if mode in on), 0),
            mouse_sgr=1006 in on,
            alternate_scroll=1007 in on,
            kitty_flags=self._kitty[0],
            modify_other_keys=modify_other_keys,
            synchronized=2026 in on,
            mouse_pixels=1016 in on,
        )
