"""Shows the unfinished piece of an answer as plain text, until its rendering replaces it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wcwidth import iter_graphemes, wcswidth

from nagomi_tui.core.text.plain import printable_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    Size = Callable[[], tuple[int, int]]

_TOGETHER: Final = "\x1b[?2026h{}\x1b[?2026l"
"""Synchronized output (DEC mode 2026): terminals that know it show the text in one step."""
_UNWRAPPED: Final = "\x1b[?7l{}\x1b[?7h"
"""Autowrap off (DECAWM): `Live` breaks lines, also where the terminal's widths differ."""


class Live:
    """Writes a piece as plain text, and erases it again when its rendering is ready.

    A piece is not erased if it is too tall for the screen, or if the terminal's width changed since
    it was begun: then the row of its beginning is not known. `fixed` means that no piece is erased,
    since the terminal cannot move its cursor.
    """

    def __init__(self, write: Callable[[str], None], size: Size, *, fixed: bool = False) -> None:
        self._write = write
        self._size = size
        self._fixed = fixed
        self._row = 0
        self._column = 0
        self._width = 0
        self.stays = fixed

    @property
    def is_tall(self) -> bool:
        """Tell whether the piece fills the screen up to its last rows."""
        return self._row >= self._size()[1] - 2

    def more(self, text: str) -> None:
        """Write text at the end of the piece."""
        if not text:
            return
        columns = self._size()[0]
        if self._width not in (0, columns):
            self.stays = True
        self._width = columns
        self._write(_UNWRAPPED.format("".join(self._broken(printable_lines(text), columns))))

    def replace(self, rendered: str) -> None:
        """Write `rendered` in the place of the piece, and begin another piece below it.

        A piece that cannot be erased stays, and `rendered` is not written.
        """
        if self.stays or (self._width and self._size()[0] != self._width):
            self._write("\r\n" if self._column else "")
        else:
            self._write(_TOGETHER.format(self._erasing() + rendered.replace("\n", "\r\n")))
        self.begin()

    def begin(self, *, stays: bool = False) -> None:
        """Begin a piece at the cursor's row; with `stays` it is not to be erased."""
        self._row = self._column = self._width = 0
        self.stays = stays or self._fixed

    def _erasing(self) -> str:
        up = f"\x1b[{self._row}A" if self._row else ""
        return f"\r{up}\x1b[J" if self._width else ""

    def _broken(self, text: str, columns: int) -> list[str]:
        out = []
        for cluster in iter_graphemes(text.expandtabs(4)):
            if cluster in ("\n", "\r\n"):
                out.append(self._next_row())
                continue
            width = max(0, wcswidth(cluster))
            if self._column + width > columns:
                out.append(self._next_row())
            self._column += width
            out.append(cluster)
        return out

    def _next_row(self) -> str:
        self._row += 1
        self._column = 0
        return "\r\n"
