"""Feeds output to a pyte screen roughly but fast: plain text as history, and changes of modes.

pyte draws one or two megabytes a second. A replay after a crash can be eight, of which only the
end is still on the screen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from wcwidth import iter_graphemes, wcswidth

from nagomi_tui.core.text.screen import BLANK, PLAIN, Row, Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.terminal.pyte.screen import PyteScreen
    from nagomi_tui.terminal.pyte.stream import Stream

_SWITCH: Final = re.compile(r"(\x1b\[(?:\?[0-9;]+[hl]|[<=>][0-9;]*u|[0-9;]*r))")
"""Sequences whose effect lasts: private modes, kitty's key flags, the scroll region."""
_NOISE: Final = re.compile(
    r"\x1b\[[<-?]?[0-9:;]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x18\x1a\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_NARROW: Final = r"[ -~\xa1-\xac\xae-\u02ff]"
_WIDE: Final = r"[\u3001-\u3029\u3041-\u3096\u30a1-\u30fc\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]"
_SIMPLE: Final = rf"(?={_NARROW}|{_WIDE}|\Z)"
"""What does not join the character before it."""
_PIECE: Final = re.compile(
    rf"(?P<narrow>{_NARROW}+){_SIMPLE}|(?P<wide>{_WIDE}+){_SIMPLE}|(?P<cluster>.)"
)
_LONGEST: Final = 64 * 1024
"""Bytes without the end of a line that are kept to be drawn later."""


class Skim:
    """A stretch of output that is processed roughly; what follows it is drawn as usual."""

    def __init__(self, grid: PyteScreen, stream: Stream) -> None:
        self._grid = grid
        self._stream = stream
        self._cut = b""

    def feed(self, data: bytes) -> None:
        """Process whole lines; an unfinished last line waits for its end."""
        data = self._cut + data
        end = data.rfind(b"\n") + 1 or (len(data) if len(data) > _LONGEST else 0)
        self._cut = data[end:]
        pieces = _SWITCH.split(data[:end].decode("utf-8", "replace"))
        for number, piece in enumerate(pieces):
            if number % 2:
                self._stream.feed(piece.encode())
            elif not self._grid.alternate:
                self._keep(_NOISE.sub("", piece))

    def rest(self) -> bytes:
        """Return, once, the unfinished line at the end."""
        rest, self._cut = self._cut, b""
        return rest

    def _keep(self, text: str) -> None:
        if "\n" not in text and not text.strip():
            return
        self._scroll_out()
        for line in text.removesuffix("\n").split("\n"):
            for row in _rows(
                line.rstrip("\r").rpartition("\r")[2].expandtabs(), self._grid.columns
            ):
                self._grid.history.push(row)

    def _scroll_out(self) -> None:
        """Move what the screen shows to the history: what comes now is younger."""
        grid = self._grid
        shown = [row for row in range(grid.lines) if grid.row(row) != BLANK]
        if shown:
            lines = "\n" * (shown[-1] + 1)
            self._stream.feed(f"\x18\x1b[m\x1b[r\x1b[{grid.lines}H{lines}\x1b[H".encode())


def _rows(line: str, columns: int) -> Iterator[Row]:
    """Cut a line into rows of at most `columns` cells."""
    runs: list[Run] = []
    left = columns
    for text, unit in _units(line):
        while text:
            size = abs(unit)
            if left < size and runs:
                yield Row(tuple(runs), wrapped=True)
                runs, left = [], columns
            fits = max(1, left // size) if unit > 0 else len(text)
            run = Run(text[:fits], PLAIN, unit)
            runs.append(run)
            left -= run.cells
            text = text[fits:]
    yield Row(tuple(runs)) if runs else BLANK


def _units(line: str) -> Iterator[tuple[str, int]]:
    """Return the line's pieces and what a character of each takes; see `Run.unit`."""
    if line.isascii():
        yield line, 1
        return
    at = 0
    while found := _PIECE.match(line, at):
        text = found[0]
        at = found.end()
        if found.lastgroup == "cluster":
            text = next(iter_graphemes(line[found.start() : found.start() + 64]))
            at = found.start() + len(text)
            if (width := wcswidth(text)) > 0:
                yield text, width if len(text) == 1 else -min(width, 2)
        else:
            yield text, 1 if found.lastgroup == "narrow" else 2


__all__ = ["Skim"]
