"""The unfinished piece at the end of the output, shown as plain text until it is final."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wcwidth import iter_graphemes, wcswidth

from nagomi_tui.core.text.plain import printable_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    Size = Callable[[], tuple[int, int]]

_TOGETHER: Final = "\x1b[?2026h{}\x1b[?2026l"
"""Synchronized output: the terminal shows this text at once, or ignores the sequences."""
_UNWRAPPED: Final = "\x1b[?7l{}\x1b[?7h"
"""Autowrap off: lines are broken here, even if the terminal counts a character as wider."""


class Live:
    """Writes plain text, and takes it away again.

    A piece that became too tall, or met a change of the terminal's width, stays as it is: nobody
    knows then where it begins.
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
        """Tell whether the piece leaves no room for another row."""
        return self._row >= self._size()[1] - 2

    def more(self, text: str) -> None:
        """Write text behind what stands there."""
        if not text:
            return
        columns = self._size()[0]
        if self._width not in (0, columns):
            self.stays = True
        self._width = columns
        self._write(_UNWRAPPED.format("".join(self._broken(printable_lines(text), columns))))

    def replace(self, rendered: str) -> None:
        """Write what is final in the place of the piece, and begin another below it."""
        if self.stays or (self._width and self._size()[0] != self._width):
            self._write("\r\n" if self._column else "")
        else:
            self._write(_TOGETHER.format(self._erasing() + rendered.replace("\n", "\r\n")))
        self.begin()

    def begin(self, *, stays: bool = False) -> None:
        """Begin a piece at the cursor's row."""
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
