"""Styles, clusters and links of the row that a render state's iterator stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.core.text.screen import (
    BLINK,
    BOLD,
    DEFAULT,
    FAINT,
    INVERSE,
    INVISIBLE,
    ITALIC,
    OVERLINE,
    PLAIN,
    RGB,
    STRIKE,
    Style,
)

if TYPE_CHECKING:
    from nagomi_tui.terminal.ghostty.native import Native

_STYLES_KEPT: Final = 8192
_CLUSTER: Final = 64
"""Code points of one cluster that are shown."""
_LINK_BYTES: Final = 4096
_FLAGS: Final = (
    ("bold", BOLD),
    ("faint", FAINT),
    ("italic", ITALIC),
    ("blink", BLINK),
    ("inverse", INVERSE),
    ("invisible", INVISIBLE),
    ("strikethrough", STRIKE),
    ("overline", OVERLINE),
)

_styles: dict[bytes, Style] = {}
"""Style by its native bytes, for all sessions: equal styles are one object."""


class RowLooks:
    """Answers for the row that `cells` was last set to; `y` is its place in the viewport."""

    def __init__(self, native: Native, terminal: Any) -> None:
        self._native, self._terminal = native, terminal
        ffi, lib = native.ffi, native.lib
        self.holder = ffi.new("GhosttyRenderStateRowCells *")
        if lib.ghostty_render_state_row_cells_new(ffi.NULL, self.holder):
            raise MemoryError("libghostty-vt has no memory for a row")
        self.y = 0
        self._select = lib.ghostty_render_state_row_cells_select
        self._get = lib.ghostty_render_state_row_cells_get
        self._style_data = lib.GHOSTTY_RENDER_STATE_ROW_CELLS_DATA_STYLE
        self._style = native.sized("GhosttyStyle")
        self._style_bytes = ffi.buffer(self._style)
        self._length = ffi.new("uint32_t *")
        self._codepoints = ffi.new("uint32_t[]", 4096)
        self._ref = native.sized("GhosttyGridRef")
        self._uri = ffi.new("uint8_t[]", _LINK_BYTES)
        self._uri_length = ffi.new("size_t *")

    def style(self, x: int) -> Style:
        """Return the style of cell `x`, its link left out."""
        cells = self.holder[0]
        self._select(cells, x)
        if self._get(cells, self._style_data, self._style):
            return PLAIN
        key = self._style_bytes[:]
        return _styles.get(key) or self._new_style(key)

    def cluster(self, x: int) -> str:
        """Return the code points of cell `x`."""
        lib = self._native.lib
        cells = self.holder[0]
        lib.ghostty_render_state_row_cells_select(cells, x)
        data = lib.GHOSTTY_RENDER_STATE_ROW_CELLS_DATA_GRAPHEMES_LEN
        if lib.ghostty_render_state_row_cells_get(cells, data, self._length):
            return " "
        if not 0 < self._length[0] <= 4096:
            return "\ufffd"
        data = lib.GHOSTTY_RENDER_STATE_ROW_CELLS_DATA_GRAPHEMES_BUF
        lib.ghostty_render_state_row_cells_get(cells, data, self._codepoints)
        found = self._codepoints[0 : min(self._length[0], _CLUSTER)]
        return "".join("\ufffd" if 0xD800 <= cp < 0xE000 else chr(cp) for cp in found)

    def link(self, x: int) -> str:
        """Return the link target of cell `x`, or nothing."""
        native = self._native
        lib = native.lib
        where = native.point(lib.GHOSTTY_POINT_TAG_VIEWPORT, x, self.y)
        if native.grid_ref(self._terminal, where, self._ref):
            return ""
        got = lib.ghostty_grid_ref_hyperlink_uri(
            self._ref, self._uri, _LINK_BYTES, self._uri_length
        )
        if got:
            return ""
        raw = bytes(native.ffi.buffer(self._uri, self._uri_length[0]))
        return raw.decode("utf-8", "replace")

    def close(self) -> None:
        """Free the native handle."""
        self._native.lib.ghostty_render_state_row_cells_free(self.holder[0])

    def _new_style(self, key: bytes) -> Style:
        native = self._style
        flags = sum(bit for name, bit in _FLAGS if getattr(native, name))
        style = Style(
            _colour(native.fg_color),
            _colour(native.bg_color),
            flags,
            native.underline,
            _colour(native.underline_color),
        )
        if len(_styles) >= _STYLES_KEPT:
            _styles.clear()
        style = PLAIN if style == PLAIN else style
        _styles[key] = style
        return style


def _colour(native: Any) -> int:
    """Return a native colour as the values of `core.screen` have it."""
    if native.tag == 1:
        return int(native.value.palette)
    if native.tag == 2:
        rgb = native.value.rgb
        return int(RGB | rgb.r << 16 | rgb.g << 8 | rgb.b)
    return DEFAULT
