"""The native library libghostty-vt: its functions, checked layouts, and callbacks.

Its C API is declared unstable, and a row is read as packed words rather than call by call, so
a release that lays a cell out differently must be refused before it is fed anything.
"""

from __future__ import annotations

import errno
import functools
import importlib.util
import json
import os
from collections.abc import Sequence
from importlib import metadata
from typing import Any, Final

from nagomi_tui import __version__
from nagomi_tui.system.platforms import MACOS
from nagomi_tui.terminal.engine import EngineError
from nagomi_tui.text.rows import CELL_PIXELS

_CELL_BITS: Final = {
    "content_tag": (0, 2),
    "content": (2, 24),
    "style_id": (26, 16),
    "wide": (42, 2),
    "hyperlink": (45, 1),
}
"""First bit and width of each part of a cell that is read here."""

ROW_WRAP: Final = 1 << 32
ROW_SPECIAL: Final = 0b111 << 34
"""The row holds clusters, styles or links, so that its cells alone do not tell its looks."""


class Native:
    """The library's `ffi` and `lib`, and the functions that take unions by value."""

    def __init__(self, ffi: Any, lib: Any, version: str) -> None:
        self.ffi = ffi
        self.lib = lib
        self.version = f"ghostty-{version}"
        self.grid_ref = self._cast(
            "ghostty_terminal_grid_ref",
            "GhosttyResult(*)(GhosttyTerminal, NagomiPoint, GhosttyGridRef *)",
        )
        self.track = self._cast(
            "ghostty_terminal_grid_ref_track",
            "GhosttyResult(*)(GhosttyTerminal, NagomiPoint, GhosttyTrackedGridRef *)",
        )
        self.track_again = self._cast(
            "ghostty_tracked_grid_ref_set",
            "GhosttyResult(*)(GhosttyTrackedGridRef, GhosttyTerminal, NagomiPoint)",
        )
        self.scroll = self._cast(
            "ghostty_terminal_scroll_viewport", "void(*)(GhosttyTerminal, NagomiScroll)"
        )

    def _cast(self, name: str, signature: str) -> Any:
        return self.ffi.cast(signature, self.ffi.addressof(self.lib, name))

    def sized(self, kind: str) -> Any:
        """Return a new struct whose leading `size` is set, as the library wants it."""
        new = self.ffi.new(f"{kind} *")
        new.size = self.ffi.sizeof(kind)
        return new

    def point(self, tag: int, x: int, y: int) -> Any:
        """Return a point by value; `tag` says what `y` counts from."""
        new = self.ffi.new("NagomiPoint *")
        new.tag, new.value.x, new.value.y = tag, x, y
        return new[0]


class Questions:
    """Several values of a terminal, read in one call into buffers that the asker owns."""

    def __init__(self, native: Native, terminal: Any, buffers: Sequence[tuple[int, Any]]) -> None:
        ffi = native.ffi
        self._get = native.lib.ghostty_terminal_get_multi
        self._arguments = (
            terminal,
            len(buffers),
            ffi.new("GhosttyTerminalData[]", [key for key, _ in buffers]),
            ffi.new("void *[]", [buffer for _, buffer in buffers]),
            ffi.new("size_t *"),
        )

    def ask(self) -> None:
        """Fill the buffers with what is so now."""
        self._get(*self._arguments)


@functools.cache
def load() -> Native:
    """Return the library, loaded and checked.

    Raises:
        EngineError: there is none for this platform, or it is not the one that we know.
    """
    try:
        from nagomi_tui.terminal.ghostty import declarations

        version = metadata.version("pyghostty")
        lib = declarations.ffi.dlopen(_library())
    except (ImportError, OSError) as exc:
        raise EngineError(f"libghostty-vt could not be loaded: {exc}") from exc
    if version != declarations.VERSION:
        raise EngineError(f"nagomi knows pyghostty {declarations.VERSION}, and not {version}")
    try:
        native = Native(declarations.ffi, lib, version)
        _check(native)
    except EngineError:
        raise
    except Exception as exc:
        raise EngineError(f"this libghostty-vt is not the one that nagomi knows: {exc}") from exc
    return native


def _library() -> str:
    """Return the path of the shared library that pyghostty has brought, without importing it.

    Raises:
        ImportError: pyghostty is not installed.
        OSError: it has no library for this system.
    """
    given = os.environ.get("PYGHOSTTY_LIB")
    if given:
        return given
    found = importlib.util.find_spec("pyghostty")
    if found is None or found.origin is None:
        raise ImportError("pyghostty is not installed")
    folder = os.path.join(os.path.dirname(found.origin), "_lib")
    path = os.path.join(folder, f"libghostty-vt.{'dylib' if MACOS else 'so'}")
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return path


def _check(native: Native) -> None:
    """Raise EngineError unless cells, styles and rows are laid out as we read them."""
    types = json.loads(native.ffi.string(native.lib.ghostty_type_json()))["types"]
    bits = types["GhosttyCell"]["bits"]
    found = {name: (bits[name]["lsb"], bits[name]["width"]) for name in _CELL_BITS}
    if found != _CELL_BITS:
        raise EngineError(f"libghostty-vt lays out a cell as {found}, not as {_CELL_BITS}")
    if types["GhosttyStyle"]["size"] != native.ffi.sizeof("GhosttyStyle"):
        raise EngineError("libghostty-vt has another kind of style")
    lib = native.lib
    yes = native.ffi.new("bool *")
    for bit, data in (
        (32, lib.GHOSTTY_ROW_DATA_WRAP),
        (34, lib.GHOSTTY_ROW_DATA_GRAPHEME),
        (35, lib.GHOSTTY_ROW_DATA_STYLED),
        (36, lib.GHOSTTY_ROW_DATA_HYPERLINK),
    ):
        if lib.ghostty_row_get(1 << bit, data, yes) or not yes[0]:
            raise EngineError(f"libghostty-vt keeps another flag in bit {bit} of a row")


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
