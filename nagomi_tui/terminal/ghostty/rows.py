"""Turns one row of the native terminal into a `Row` of text, styles and links.

A row is taken as one big integer, so that masks and shifts work on all its cells at once; only
rows with clusters or links are looked at cell by cell. The bits are those that
`nagomi_tui/terminal/ghostty/native.py` has checked.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import compress, count, islice
from operator import ne
from typing import Any, Final

from nagomi_tui.terminal.ghostty.native import Native
from nagomi_tui.text import rows

_STYLE: Final = 0xFFFF << 26
_WIDE: Final = 1 << 42
_TAIL: Final = 1 << 43
_NO_ROOM: Final = _WIDE | _TAIL
"""The last cell of a row, where a wide character did not fit."""

_LINK: Final = 1 << 45
_CONTENT: Final = 0xFFFFFF << 2
_PALETTE_CELL: Final = 2


class _Masks:
    """Bit masks for all the cells of a row of some width."""

    def __init__(self, cells: int) -> None:
        self.one = sum(1 << (64 * at) for at in range(cells))
        self.codepoint = 0x1FFFFF * self.one
        self.beyond_latin = 0x1FFF00 * self.one
        self.meta = (_STYLE | _WIDE | _TAIL | _LINK | 3) * self.one
        self.tail = _TAIL * self.one
        self.more = (_WIDE | _TAIL | _LINK | 3) * self.one
        """All but styles."""
        self.whole = (1 << (64 * cells)) - 1


@functools.lru_cache(maxsize=16)
def _masks(cells: int) -> _Masks:
    return _Masks(cells)


def read_row(cells: bytes, wrapped: bool, looks: RowLooks, *, plain: bool) -> rows.Row:
    """Return the row whose packed cells these are; with `plain`, narrow text without styles."""
    count = len(cells) // 8
    packed = int.from_bytes(cells, "little")
    if wrapped and packed >> (64 * count - 64) & _NO_ROOM == _NO_ROOM:
        count -= 1
        packed &= (1 << (64 * count)) - 1
    masks = _masks(count)
    meta = packed & masks.meta
    codepoints = (packed >> 2) & masks.codepoint
    text = (
        _text(codepoints, count) if codepoints & masks.beyond_latin else _latin(codepoints, count)
    )
    narrow = not meta & masks.more
    if not meta or (plain and narrow):
        text = text if wrapped else text.rstrip(" ")
        return rows.Row((rows.Run(text, rows.PLAIN),) if text else (), wrapped)
    if narrow:
        return rows.Row(_trimmed(_styled(_words(meta, count), text, looks), wrapped), wrapped)
    keys = _keys(packed, meta, masks, count)
    return rows.Row(_trimmed(_merged(_runs(keys, text, looks)), wrapped), wrapped)


def _text(codepoints: int, count: int) -> str:
    """Return one character for each cell, blank cells as spaces."""
    raw = codepoints.to_bytes(count * 8, "little")
    text = memoryview(raw).cast("I")[::2].tobytes().decode("utf-32-le", "replace")
    if len(text) != count:  # a lone surrogate was replaced by more than one character
        text = "".join(_char(raw, at) for at in range(count))
    return text.replace("\0", " ")


def _latin(codepoints: int, count: int) -> str:
    """Return the text of codepoints that take one byte each, several times as fast as any other."""
    return codepoints.to_bytes(count * 8, "little")[::8].decode("latin-1").replace("\0", " ")


def _char(raw: bytes, at: int) -> str:
    value = int.from_bytes(raw[at * 8 : at * 8 + 4], "little")
    return "\ufffd" if 0xD800 <= value < 0xE000 or value > 0x10FFFF else chr(value)


def _keys(packed: int, meta: int, masks: _Masks, count: int) -> list[int]:
    """Return a number for each cell: equal neighbours belong to one run.

    The right half of a wide character gets the number of its left half, and a cell that is
    only a colour has that colour in its number.
    """
    tails = meta & masks.tail
    meta ^= tails | (tails >> 1)
    only_colour = (packed >> 1) & masks.one
    clusters = packed & masks.one & ~only_colour
    meta |= packed & (only_colour * _CONTENT)
    meta |= ((clusters * _WIDE & meta) >> 42 << 64) & masks.whole
    return _words(meta, count)


def _words(packed: int, count: int) -> list[int]:
    return memoryview(packed.to_bytes(count * 8, "little")).cast("Q").tolist()


def _ends(keys: list[int]) -> tuple[int, ...]:
    """Return where each stretch of equal keys ends."""
    return (*compress(count(1), map(ne, keys, islice(keys, 1, None))), len(keys))


def _styled(keys: list[int], text: str, looks: RowLooks) -> list[rows.Run]:
    """Return the runs of a row of narrow text, whose keys are its styles alone."""
    styles: dict[int, rows.Style] = {0: rows.PLAIN}
    runs: list[rows.Run] = []
    start = 0
    for end in _ends(keys):
        style = styles.get(keys[start])
        if style is None:
            style = styles[keys[start]] = looks.style(start)
        runs.append(rows.Run(text[start:end], style))
        start = end
    return runs


def _runs(keys: list[int], text: str, looks: RowLooks) -> Iterator[rows.Run]:
    styles: dict[int, rows.Style] = {}
    start = 0
    for end in _ends(keys):
        key = keys[start]
        style = _style(key, start, styles, looks)
        unit = 2 if key & _WIDE else 1
        tag = key & 3
        if key & _LINK or tag == 1:
            yield from _cell_by_cell(text, start, end, unit, tag, style, looks, bool(key & _LINK))
        elif tag:
            yield rows.Run(" " * (end - start), style)
        elif unit == 2:
            yield from _wide(text, start, end, style)
        else:
            yield rows.Run(text[start:end], style)
        start = end


def _style(key: int, x: int, styles: dict[int, rows.Style], looks: RowLooks) -> rows.Style:
    tag = key & 3
    if tag >= _PALETTE_CELL:
        return _only_colour(key)
    number = key & _STYLE
    if not number:
        return rows.PLAIN
    style = styles.get(number)
    if style is None:
        style = styles[number] = looks.style(x)
    return style


@functools.lru_cache(maxsize=1024)
def _only_colour(key: int) -> rows.Style:
    """Return the style of a blank cell that was erased with a background colour."""
    value = (key >> 2) & 0xFFFFFF
    if key & 3 == _PALETTE_CELL:
        return rows.Style(bg=value & 0xFF)
    red, green, blue = value & 0xFF, value >> 8 & 0xFF, value >> 16
    return rows.Style(bg=0x1000000 | red << 16 | green << 8 | blue)


def _wide(text: str, start: int, end: int, style: rows.Style) -> Iterator[rows.Run]:
    """Return a run of wide characters; half of one, at the row's end, becomes a space."""
    whole = start + (end - start) // 2 * 2
    if whole > start:
        yield rows.Run(text[start:whole:2], style, 2)
    if whole < end:
        yield rows.Run(" ", style)


def _cell_by_cell(
    text: str,
    start: int,
    end: int,
    unit: int,
    tag: int,
    style: rows.Style,
    looks: RowLooks,
    linked: bool,
) -> Iterator[rows.Run]:
    """Return a run for each cluster, and for each stretch of one link."""
    pieces: list[str] = []
    current = style
    for x in range(start, end - unit + 1, unit):
        look = _linked(style, looks.link(x)) if linked else style
        if pieces and (tag == 1 or look is not current):
            yield rows.Run("".join(pieces), current, unit)
            pieces = []
        current = look
        if tag == 1:
            yield rows.Run(looks.cluster(x), look, -unit)
        else:
            pieces.append(text[x])
    if pieces:
        yield rows.Run("".join(pieces), current, unit)
    if (end - start) % unit:
        yield rows.Run(" ", style)


@functools.lru_cache(maxsize=4096)
def _linked(style: rows.Style, link: str) -> rows.Style:
    if not link:
        return style
    return rows.Style(style.fg, style.bg, style.flags, style.underline, style.underline_color, link)


def _merged(runs: Iterator[rows.Run]) -> list[rows.Run]:
    """Return the runs; text and cells erased in its own background colour are one run."""
    merged: list[rows.Run] = []
    last = None
    for run in runs:
        if last is not None and run.style == last.style and run.unit == last.unit > 0:
            run = rows.Run(last.text + run.text, run.style, run.unit)
            merged.pop()
        merged.append(run)
        last = run
    return merged


def _trimmed(runs: list[rows.Run], wrapped: bool) -> tuple[rows.Run, ...]:
    """Return the runs without blanks at the end, unless the line goes on in the next row."""
    while runs and not wrapped and runs[-1].style is rows.PLAIN and runs[-1].unit == 1:
        text = runs[-1].text.rstrip(" ")
        if text:
            runs[-1] = rows.Run(text, rows.PLAIN)
            break
        runs.pop()
    return tuple(runs)


_STYLES_KEPT: Final = 8192
_CLUSTER: Final = 64
"""Code points of one cluster that are shown."""
_LINK_BYTES: Final = 4096
_FLAGS: Final = (
    ("bold", rows.BOLD),
    ("faint", rows.FAINT),
    ("italic", rows.ITALIC),
    ("blink", rows.BLINK),
    ("inverse", rows.INVERSE),
    ("invisible", rows.INVISIBLE),
    ("strikethrough", rows.STRIKE),
    ("overline", rows.OVERLINE),
)

_styles: dict[bytes, rows.Style] = {}
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

    def style(self, x: int) -> rows.Style:
        """Return the style of cell `x`, its link left out."""
        cells = self.holder[0]
        self._select(cells, x)
        if self._get(cells, self._style_data, self._style):
            return rows.PLAIN
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
        self._native.lib.ghostty_render_state_row_cells_free(self.holder[0])

    def _new_style(self, key: bytes) -> rows.Style:
        native = self._style
        flags = sum(bit for name, bit in _FLAGS if getattr(native, name))
        style = rows.Style(
            _colour(native.fg_color),
            _colour(native.bg_color),
            flags,
            native.underline,
            _colour(native.underline_color),
        )
        if len(_styles) >= _STYLES_KEPT:
            _styles.clear()
        style = rows.PLAIN if style == rows.PLAIN else style
        _styles[key] = style
        return style


def _colour(native: Any) -> int:
    """Return a native colour as the values of `nagomi_tui.text.rows` have it."""
    if native.tag == 1:
        return int(native.value.palette)
    if native.tag == 2:
        rgb = native.value.rgb
        return int(rows.RGB | rgb.r << 16 | rgb.g << 8 | rgb.b)
    return rows.DEFAULT
