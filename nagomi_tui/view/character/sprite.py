"""The widget that draws the character and its balloon beside the prompt."""

from __future__ import annotations

import random
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.reactive import reactive
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from nagomi_tui.sessions.session import Condition
from nagomi_tui.text.cells import cells, cut, pad, wrap
from nagomi_tui.view.character.character import CELLS, Character, Pixels, Size, cells_of, color
from nagomi_tui.view.common.widgets import part_style

BLINK_EVERY: Final = (3.0, 6.0)
"""Seconds between two blinks, at least and at most: two frames each, so under one a second."""
BLINK_SECONDS: Final = 0.18
BLINKS: Final = 40
"""Blinks after which an idle character keeps still: about three minutes."""
LIPS_SECONDS: Final = 0.25


class Sprite(Widget):
    """One character with a face (N-31, N-121)."""

    DEFAULT_CSS = """
    Sprite { width: auto; height: auto; background: $background; }
    """

    phase: reactive[Condition] = reactive(Condition.IDLE)
    """The phase that the face shows."""
    speaking: reactive[bool] = reactive(False)
    """Whether the lips move (N-47)."""
    still: reactive[bool] = reactive(False)
    """Whether nothing moves, since motion is reduced or the line is slow."""

    def __init__(self, character: Character | None = None) -> None:
        super().__init__()
        self.character = character
        self._wanted = Size.SMALL
        self._eyes_shut = False
        self._mouth_open = False
        self._blinks_left = BLINKS
        self._blink: Timer | None = None
        self._lips: Timer | None = None

    def follow(self, character: Character | None, phase: Condition, size: Size) -> None:
        """Show a character with a face, in a size."""
        if (character, size) != (self.character, self._wanted):
            self.character, self._wanted = character, size
            self.refresh(layout=True)
        self.phase = phase
        self._blinks_left = BLINKS
        self._live()

    # --- what moves

    def on_mount(self) -> None:
        """Blink only while the terminal has the focus."""
        self.watch(self.app, "app_focus", self._live, init=False)
        self._live()

    def on_show(self) -> None:
        self._live()

    def on_hide(self) -> None:
        self._rest()

    def on_unmount(self) -> None:
        self._rest()

    def watch_phase(self, before: Condition, now: Condition) -> None:
        self._redraw(before)

    def watch_speaking(self, speaking: bool) -> None:
        """Move the lips, or close them."""
        if self._lips is not None:
            self._lips.stop()
            self._lips = None
        if speaking and not self.still:
            self._move_lips()
            self._lips = self.set_interval(LIPS_SECONDS, self._move_lips)
        else:
            self._turn(mouth_open=speaking)

    def watch_still(self) -> None:
        self._live()

    @property
    def _lively(self) -> bool:
        return self.is_attached and self.display and self.app.app_focus and not self.still

    def _live(self) -> None:
        if not self._lively or self.character is None:
            self._rest()
        elif self._blink is None and self._blinks_left:
            self._blink = self.set_timer(random.uniform(*BLINK_EVERY), self._close_eyes)

    def _rest(self) -> None:
        if self._blink is not None:
            self._blink.stop()
            self._blink = None
        self._turn(eyes_shut=False)

    def _close_eyes(self) -> None:
        self._turn(eyes_shut=True)
        self._blink = self.set_timer(BLINK_SECONDS, self._open_eyes)

    def _open_eyes(self) -> None:
        self._turn(eyes_shut=False)
        self._blink = None
        self._blinks_left -= 1
        self._live()

    def _move_lips(self) -> None:
        self._turn(mouth_open=not self._mouth_open)

    def _turn(self, *, eyes_shut: bool | None = None, mouth_open: bool | None = None) -> None:
        before = self._picture(self.phase)
        self._eyes_shut = self._eyes_shut if eyes_shut is None else eyes_shut
        self._mouth_open = self._mouth_open if mouth_open is None else mouth_open
        self._refresh_rows(before, self._picture(self.phase))

    def _redraw(self, phase: Condition) -> None:
        self._refresh_rows(self._picture(phase), self._picture(self.phase))

    def _refresh_rows(self, before: Pixels, now: Pixels) -> None:
        """Draw only the rows of cells that differ: a blink is two or three."""
        if not self.is_attached:
            return
        differ = [y // 2 for y, (a, b) in enumerate(zip(before, now, strict=False)) if a != b]
        if differ:
            first, last = min(differ), max(differ)
            self.refresh(Region(0, first, self.size.width, last - first + 1))

    # --- drawing

    @property
    def drawn_size(self) -> Size:
        """The size of the picture: the wanted one, if the pack has it."""
        if self.character is not None and self._wanted not in self.character.pictures.drawings:
            return Size.LARGE
        return self._wanted

    def get_content_width(self, container: object, viewport: object) -> int:
        if self.character is None:
            return 0
        return max(
            self.character.pictures.drawings[self.drawn_size].width, CELLS[self.drawn_size][0]
        )

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return self.character.pictures.drawings[self.drawn_size].height if self.character else 0

    def _picture(self, phase: Condition) -> Pixels:
        if self.character is None:
            return ()
        return self.character.pictures.draw(
            self.drawn_size, phase, mouth_open=self._mouth_open, eyes_shut=self._eyes_shut
        )

    def render_line(self, y: int) -> Strip:
        """Draw two rows of pixels as one row of half blocks."""
        base = self.rich_style
        pixels = self._picture(self.phase)
        if 2 * y >= len(pixels):
            return Strip.blank(self.size.width, base)
        segments = []
        for sign, ink, paper in cells_of(pixels, y):
            style = Style(
                color=color(ink) if ink >= 0 else None, bgcolor=color(paper) if paper >= 0 else None
            )
            segments.append(Segment(sign, base + style))
        return Strip(segments, len(segments)).simplify().adjust_cell_length(self.size.width, base)


_FRAME: Final = 2
"""Rows of the frame."""
_SAID_AT_MOST: Final = 3
"""Lines of the character's own words, if the summary leaves so many."""
_MARGIN: Final = 4
"""Columns of the frame and its padding."""


class Balloon(Widget):
    """Draws the character's words, and the judge's summary below them, in the middle."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"balloon--frame", "balloon--said", "balloon--summary"}
    DEFAULT_CSS = """
    Balloon {
        height: 8; width: 1fr; background: $background;
        & > .balloon--frame { color: $frame; }
        & > .balloon--said { color: $foreground; }
        & > .balloon--summary { color: $muted; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._said = self._summary = ""

    def show_text(self, said: str, summary: str) -> None:
        """Say something; `summary` is the plain sentence on what happened."""
        if (said, summary) != (self._said, self._summary):
            self._said, self._summary = said, summary
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one row of the balloon, which stands at the bottom."""
        width, height = self.size
        lines = balloon_lines(self._said, self._summary, width - _MARGIN, height - _FRAME)
        return self._row(y - (height - len(lines) - _FRAME), lines, width)

    def _row(self, y: int, lines: list[tuple[str, str]], width: int) -> Strip:
        base = self.rich_style
        if not lines or not 0 <= y < len(lines) + _FRAME:
            return Strip.blank(width, base)
        inner = max(cells(text) for _, text in lines)
        frame = part_style(self, "balloon--frame")
        before = (width - inner - _MARGIN) // 2
        left = Segment(" " * before, base)
        right = Segment(" " * (width - inner - _MARGIN - before), base)
        if y == 0:
            return Strip([left, Segment(f"╭{'─' * (inner + 2)}╮", frame), right], width)
        if y == len(lines) + 1:
            # The balloon opens towards the character below it.
            half = (inner + 1) // 2
            edge = f"╰{'─' * half}┬{'─' * (inner + 1 - half)}╯"
            return Strip([left, Segment(edge, frame), right], width)
        kind, text = lines[y - 1]
        middle: list[tuple[str, Style]] = [
            ("│ ", frame),
            (pad(text, inner), part_style(self, f"balloon--{kind}")),
            (" │", frame),
        ]
        return Strip([left, *(Segment(*part) for part in middle), right], width)


def balloon_lines(said: str, summary: str, width: int, height: int) -> list[tuple[str, str]]:
    """Return the lines with their kinds, `said` or `summary`, as they fit.

    In one line the summary goes before the words, since the face says the rest.
    """
    if width < 4 or height < 1 or not (said or summary):
        return []
    if height == 1:
        both = f"{said}  {summary}" if said and summary else said or summary
        fits = cells(both) <= width
        return [("said", both if fits else cut(summary or said, width))]
    told = _wrapped(summary, width, height - 1 if said else height)
    words = _wrapped(said, width, min(_SAID_AT_MOST, height - len(told)))
    return [("said", line) for line in words] + [("summary", line) for line in told]


def _wrapped(text: str, width: int, most: int) -> list[str]:
    """Return the text in at most so many lines; the last one is cut."""
    lines = wrap(text, width) if text else []
    if len(lines) > most:
        lines = [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), width)]
    return lines
