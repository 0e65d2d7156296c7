"""What a screen shows now, as terminal text that is masked and can be replayed (N-86, NB-4).

Raw output cannot be masked safely: a secret may come in pieces, between colours and cursor moves.
So a trace is made of the rows that it led to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking import mask
from nagomi_tui.orchestrator.judging.held import Held

if TYPE_CHECKING:
    from nagomi_tui.core.text.screen import ScreenEvent
    from nagomi_tui.orchestrator.terminals.readable import ReadableScreen

_ABOVE: Final = 200
"""Lines above the screen that are read too, since a secret may begin there."""
_PASTE: Final = re.compile(rb"\x1b\[\?2004([hl])")
_SIGNS: Final = {
    "bell": "\x07",
    "title": "\x1b]0;{text}\x07",
    "notify": "\x1b]777;notify;{title};{text}\x07",
    "progress": "\x1b]9;4;{text}\x07",
    "command": "\x1b]133;{text}\x07",
    "status": "\x1b]7501;{text}\x07",
}


def sign(event: ScreenEvent) -> str:
    """Return the sequence of an event, masked; "" for one that no judge reads."""
    form = _SIGNS.get(event.kind, "")
    return form.format(text=_tame(event.text), title=_tame(event.title)) if form else ""


def paste_marks(data: bytes) -> tuple[str, str]:
    """Return how output switched bracketed paste: off before what it drew, on behind it."""
    switched = set(_PASTE.findall(data))
    return "\x1b[?2004l" * (b"l" in switched), "\x1b[?2004h" * (b"h" in switched)


class Repaint:
    """Draws a screen into another one that has the same size, change by change."""

    def __init__(self, screen: ReadableScreen) -> None:
        self.screen = screen
        self._alternate = False
        self._top = screen.bounds[1]
        self._drawn: list[str] = []
        self._held = Held()

    @property
    def due(self) -> float:
        """When held-back lines will have rested; infinity if there are none."""
        return self._held.due

    def text(self, now: float, *, final: bool = False) -> str:
        """Return the text that draws the present screen over what was drawn before.

        A line that still grows is left as it was drawn, unless this is the `final` picture; see
        `due`. `now` is in monotonic seconds.
        """
        screen, parts = self.screen, [""]
        modes, (first, top, last) = screen.modes, screen.bounds
        if modes.alt_screen is not self._alternate:
            self._alternate = modes.alt_screen
            parts.append("\x1b[?1049h" if modes.alt_screen else "\x1b[?1049l")
            self._drawn, self._held = [], Held()
        begin, cursor = max(first, top - _ABOVE), screen.cursor
        rows = screen.lines(begin, last + 1)
        place = (-1, 0) if final else (top + cursor.y, cursor.x)
        masked = self._held.rows(rows, begin, place, now, screen.size[0])
        shown = masked[top - begin :]
        if top > self._top and not self._alternate:
            scrolled = masked[max(0, self._top - begin) :]
            parts.append("\x1b[H\x1b[2K" + "\r\n\x1b[2K".join(scrolled))
        else:
            drawn = [*self._drawn, *[None] * (len(shown) - len(self._drawn))]
            parts += [
                f"\x1b[{y};1H\x1b[2K{row}"
                for y, (row, before) in enumerate(zip(shown, drawn, strict=False), 1)
                if row != before
            ]
        self._top, self._drawn = top, shown
        return "".join(parts) + f"\x1b[{cursor.y + 1};{cursor.x + 1}H"


def _tame(text: str) -> str:
    """Return the text masked, without characters that could end the sequence around it."""
    return mask("".join(char for char in text if char.isprintable()))
