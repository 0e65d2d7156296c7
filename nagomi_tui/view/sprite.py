"""The character beside the prompt, drawn in half blocks, or as one line where it is narrow."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from nagomi_tui.core.face import Face, settle, show
from nagomi_tui.core.session import Phase

if TYPE_CHECKING:
    from nagomi_tui.view.character import Character, Pixel


class Sprite(Widget):
    """One character with the face of a session (N-121)."""

    DEFAULT_CSS = """
    Sprite { width: auto; height: auto; background: $background; }
    """

    face: reactive[Face] = reactive(Face())
    """The phase it shows, and until when."""

    def __init__(self, character: Character | None = None) -> None:
        super().__init__()
        self.character = character
        self._session = ""
        self._phase = Phase.IDLE

    def follow(self, session_id: str, phase: Phase, character: Character | None) -> None:
        """Show a session's phase; another session starts with a fresh face."""
        if (session_id, character) != (self._session, self.character):
            self._session, self.character = session_id, character
            self.face = Face()
            self.refresh(layout=True)
        self._phase = phase
        self.face = show(self.face, phase, now=time.monotonic())
        if self.face.until:
            self.set_timer(self.face.until - time.monotonic(), self._rest)

    def _rest(self) -> None:
        self.face = settle(self.face, self._phase, now=time.monotonic())

    def get_content_width(self, container: object, viewport: object) -> int:
        """The picture's width in cells."""
        return self.character.width if self.character else 0

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """The picture's height in rows."""
        return self.character.height if self.character else 0

    def render_line(self, y: int) -> Strip:
        """Draw two rows of pixels as one row of half blocks."""
        if self.character is None or y >= self.character.height:
            return Strip.blank(self.size.width, self.rich_style)
        pixels = self.character.pictures[self.face.phase].pixels
        upper = pixels[2 * y]
        lower = pixels[2 * y + 1] if 2 * y + 1 < len(pixels) else (-1,) * len(upper)
        segments = [_half(top, low, self.rich_style) for top, low in zip(upper, lower, strict=True)]
        return Strip(segments, len(segments)).simplify()


def _half(top: Pixel, low: Pixel, base: Style) -> Segment:
    if top < 0 and low < 0:
        return Segment(" ", base)
    if top < 0:
        return Segment("▄", base + Style(color=_color(low)))
    if low < 0:
        return Segment("▀", base + Style(color=_color(top)))
    return Segment("▀", base + Style(color=_color(top), bgcolor=_color(low)))


def _color(pixel: Pixel) -> Color:
    return Color.from_rgb(pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255)
