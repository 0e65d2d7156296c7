"""A native terminal's options and the callbacks by which it talks back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nagomi_tui import __version__
from nagomi_tui.core.text.screen import CELL_PIXELS
from nagomi_tui.terminal.engine import EngineError

if TYPE_CHECKING:
    from nagomi_tui.terminal.ghostty.native import Native

CONTINUATION_BYTES: Final = 4 * 1024 * 1024
"""Bytes of an unfinished sequence that a snapshot can hold."""

BYTES_A_CELL: Final = 10
MOST_BYTES_A_CELL: Final = 64
"""Where every cell has a cluster or a style of its own."""

_LEAST_COLUMNS: Final = 80
_LEAST_HISTORY: Final = 1000
SYNCHRONIZED: Final = 2026
SCHEMES: Final = 2031
_AUTOWRAP: Final = 7
_GRAPHEME_WIDTHS: Final = 2027


def new_terminal(native: Native, cols: int, rows: int) -> Any:
    """Return a new native terminal.

    Raises:
        EngineError: the library refused.
    """
    made = native.ffi.new("GhosttyTerminal *")
    if native.lib.ghostty_terminal_new(native.ffi.NULL, made, cols, rows):
        raise EngineError(f"libghostty-vt made no terminal of {cols} x {rows}")
    return made[0]


class Setup:
    """Sets a terminal up and collects what its callbacks say; holds them as long as it lives."""

    def __init__(self, native: Native, terminal: Any, history: int, cell_bytes: int) -> None:
        self._native, self._terminal, self._history = native, terminal, history
        self.replies = bytearray()
        self.bells = 0
        self.dark = True
        self.size = (0, 0)
        self.cell_bytes = cell_bytes
        self._callbacks: list[Any] = []
        self._name = native.ffi.new("uint8_t[]", f"nagomi {__version__}".encode())
        self._set_callbacks()
        self._set_limits()

    def resized(self, cols: int, rows: int) -> None:
        """Keep the size for reports, and room for the history at this width.

        There is no limit of lines: with one, this release crashes on a resize.
        """
        self.size = (cols, rows)
        lib = self._native.lib
        lines = max(self._history, _LEAST_HISTORY)
        room = lines * max(cols, _LEAST_COLUMNS) * self.cell_bytes
        self._set(lib.GHOSTTY_TERMINAL_OPT_SCROLLBACK_MAX_LINES, self._native.ffi.NULL)
        self._set(
            lib.GHOSTTY_TERMINAL_OPT_SCROLLBACK_MAX_BYTES, self._native.ffi.new("size_t *", room)
        )

    def grow(self) -> None:
        """Make more room: lines were dropped though fewer than wanted are kept."""
        if self.cell_bytes < MOST_BYTES_A_CELL:
            self.cell_bytes += self.cell_bytes // 2
            self.resized(*self.size)

    def resize(self, cols: int, rows: int) -> None:
        """Change the terminal's size and reflow it.

        Autowrap is on meanwhile: without it rows are cut instead, and a cluster that is cut in
        two crashes a later resize of this release.
        """
        self.resized(cols, rows)
        wraps = self.is_on(_AUTOWRAP)
        self.mode(_AUTOWRAP, True)
        self._native.lib.ghostty_terminal_resize(self._terminal, cols, rows, *CELL_PIXELS)
        self.mode(_AUTOWRAP, wraps)

    def colors(self, foreground: int, background: int) -> None:
        """Set the colours that OSC 10 and 11 answer, and whether they make a dark scheme."""
        lib = self._native.lib
        for option, rgb in (
            (lib.GHOSTTY_TERMINAL_OPT_COLOR_FOREGROUND, foreground),
            (lib.GHOSTTY_TERMINAL_OPT_COLOR_BACKGROUND, background),
        ):
            parts = (rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255)
            self._set(option, self._native.ffi.new("GhosttyColorRgb *", parts))
        red, green, blue = background >> 16 & 255, background >> 8 & 255, background & 255
        self.dark = 299 * red + 587 * green + 114 * blue < 128_000

    def mode(self, number: int, on: bool) -> None:
        """Set one private mode, as if the child had."""
        self._set_mode(self._native.lib.GHOSTTY_TERMINAL_OPT_MODE, number, on)

    def is_on(self, number: int) -> bool:
        """Return whether the child has set a private mode."""
        lib = self._native.lib
        config = self._native.ffi.new("GhosttyTerminalModeConfig *")
        config.mode = number
        lib.ghostty_terminal_get(self._terminal, lib.GHOSTTY_TERMINAL_DATA_MODE, config)
        return bool(config.value)

    def _set_mode(self, option: int, number: int, on: bool) -> None:
        config = self._native.ffi.new("GhosttyTerminalModeConfig *")
        config.mode, config.value = number, on
        self._set(option, config)

    def _set(self, option: int, value: Any) -> None:
        self._native.lib.ghostty_terminal_set(self._terminal, option, value)

    def _set_limits(self) -> None:
        ffi, lib = self._native.ffi, self._native.lib
        self._set(
            lib.GHOSTTY_TERMINAL_OPT_CONTINUATION_MAX_BYTES, ffi.new("size_t *", CONTINUATION_BYTES)
        )
        # Pictures could not be shown in cells; a child that asks is not told otherwise.
        self._set(lib.GHOSTTY_TERMINAL_OPT_KITTY_IMAGE_STORAGE_LIMIT, ffi.new("uint64_t *", 0))
        hollow = lib.GHOSTTY_TERMINAL_CURSOR_STYLE_BLOCK_HOLLOW
        # No child can ask for the hollow block, so it stands for "never set".
        self._set(lib.GHOSTTY_TERMINAL_OPT_DEFAULT_CURSOR_STYLE, ffi.new("int *", hollow))
        self._set_mode(lib.GHOSTTY_TERMINAL_OPT_MODE_DEFAULT, _GRAPHEME_WIDTHS, True)

    def _set_callbacks(self) -> None:
        lib = self._native.lib
        self._listen(lib.GHOSTTY_TERMINAL_OPT_WRITE_PTY, "WritePty", self._on_reply)
        self._listen(lib.GHOSTTY_TERMINAL_OPT_BELL, "Bell", self._on_bell)
        self._listen(lib.GHOSTTY_TERMINAL_OPT_SIZE, "Size", self._on_size)
        self._listen(lib.GHOSTTY_TERMINAL_OPT_COLOR_SCHEME, "ColorScheme", self._on_scheme)
        self._listen(lib.GHOSTTY_TERMINAL_OPT_XTVERSION, "Xtversion", self._on_version)

    def _listen(self, option: int, kind: str, function: Any) -> None:
        callback = self._native.ffi.callback(f"GhosttyTerminal{kind}Fn", function)
        self._callbacks.append(callback)
        self._set(option, callback)

    def _on_reply(self, _terminal: Any, _data: Any, text: Any, length: int) -> None:
        self.replies += self._native.ffi.buffer(text, length)

    def _on_bell(self, _terminal: Any, _data: Any) -> None:
        self.bells += 1

    def _on_size(self, _terminal: Any, _data: Any, out: Any) -> bool:
        out.columns, out.rows = self.size
        out.cell_width, out.cell_height = CELL_PIXELS
        return True

    def _on_scheme(self, _terminal: Any, _data: Any, out: Any) -> bool:
        lib = self._native.lib
        out[0] = lib.GHOSTTY_COLOR_SCHEME_DARK if self.dark else lib.GHOSTTY_COLOR_SCHEME_LIGHT
        return True

    def _on_version(self, _terminal: Any, _data: Any) -> Any:
        answer = self._native.ffi.new("GhosttyString *")
        answer.ptr, answer.len = self._name, len(self._name) - 1
        return answer[0]
