"""The native library, loaded once: its functions, and a check of the layouts that we read raw.

Its C API is declared unstable, and a row is read as packed words rather than call by call, so
a release that lays a cell out differently must be refused before it is fed anything.
"""

from __future__ import annotations

import errno
import functools
import importlib.util
import json
import os
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.terminal.engine import EngineError

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    def text(self, string: Any) -> bytes:
        """Copy a borrowed string."""
        return bytes(self.ffi.buffer(string.ptr, string.len)) if string.len else b""


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
    path = os.path.join(folder, f"libghostty-vt.{'dylib' if sys.platform == 'darwin' else 'so'}")
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
