"""Every private name of Textual that the front end uses, in one place.

Textual is pinned to its minor version, and `tests/view/test_driver.py` looks whether all are there.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final
from uuid import uuid4

from rich.cells import cell_len
from rich.segment import Segment
from textual import content, events, keys
from textual._compositor import Compositor
from textual.app import App
from textual.color import Color
from textual.content import Content
from textual.css.stylesheet import Stylesheet
from textual.driver import Driver
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.notifications import Notification
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets._toast import Toast, ToastHolder

from nagomi_tui.text.cells import HIDDEN, line_starts

SYNC_START: Final = "\x1b[?2026h"
SYNC_END: Final = "\x1b[?2026l"


def draw_as_nagomi() -> None:
    """Have Textual lay out, break and show text as nagomi needs it; once for the whole process."""
    keep_layouts_apart()
    keep_wide_characters_whole()
    break_lines_as_japanese()
    show_strings_as_they_are()


@cache
def keep_layouts_apart() -> None:
    """Have each layout compare with the layout before it; once for the whole process.

    Between two layouts Textual may arrange all anew, only because something asks where a widget
    is after a new one has come. The next layout would then find nothing changed: what lay there
    before would stay on the terminal, and widgets would not hear of their new size.
    """
    compositor: Any = Compositor
    arranged, reflow = compositor.full_map.fget, compositor.reflow

    def full_map(self: Any) -> Any:
        laid_out = self._full_map
        found = arranged(self)
        if found is not laid_out:
            self.__dict__.setdefault("nagomi_laid_out", laid_out)
        return found

    def compared(self: Any, parent: Widget, size: Size) -> Any:
        self._full_map = self.__dict__.pop("nagomi_laid_out", self._full_map)
        return reflow(self, parent, size)

    compositor.full_map, compositor.reflow = property(full_map), compared


@cache
def keep_wide_characters_whole() -> None:
    """Have edges cut only what lies in front of nothing there; once for the whole process.

    Textual cuts each line at the edges of all widgets, hidden ones too: in a menu over other
    widgets every wide character on such an edge would become two blanks.
    """
    compositor: Any = Compositor
    before = compositor.cuts.fget

    def cuts(self: Any) -> Any:
        if self._cuts is None and any(_lies_over(widget) for widget in self.visible_widgets):
            self._cuts = _seen_edges(self.visible_widgets.values(), *self.size)
        return before(self)

    compositor.cuts, compositor._render_chops = property(cuts), _render_chops


@cache
def draw_nothing_within_a_batch() -> None:
    """Draw what changes within a batch when it is over; once for the whole process.

    Textual would draw all of it in vain.
    """
    screen: Any = Screen
    before = screen._compositor_refresh

    def refresh(self: Any) -> None:
        if not self.app._batch_count:
            before(self)

    screen._compositor_refresh = refresh


@cache
def share_parsed_css() -> None:
    """Keep parsed stylesheets for the whole process, and for what it forks; once.

    Textual forgets them each time that it parses anew, which is thrice in a start.
    """
    lines_of: Any = Stylesheet
    before = lines_of._parse_rules
    known: dict[Any, Any] = {}

    def parse(self: Any, css: str, *place: Any, **named: Any) -> Any:
        variables = self.__dict__.get("nagomi_variables", (None, None))
        if variables[0] is not self._variables:
            variables = self._variables, frozenset(self._variables.items())
            self.nagomi_variables = variables
        key = (css, place, tuple(named.items()), variables[1])
        if (rules := known.get(key)) is None:
            rules = known[key] = before(self, css, *place, **named)
        return rules

    lines_of._parse_rules = parse


async def run_binding(app: App[Any], key: str) -> bool:
    """Do what a key is bound to where the keys go, as Textual's own handler does; tell if it is bound."""
    return await app._check_bindings(key)


@cache
def break_lines_as_japanese() -> None:
    """Break lines beside kanji and kana too; Textual would do it at spaces alone."""
    there: Any = content
    broken = there.divide_line

    def divide_line(text: str, width: int, fold: bool = True) -> list[int]:
        return broken(text, width, fold) if text.isascii() else line_starts(text, max(1, width))

    there.divide_line = divide_line


@cache
def show_strings_as_they_are() -> None:
    """Take no string for markup that names no variables for it; once for the whole process.

    Textual takes what stands in brackets for markup wherever a string is shown, and ends the app at
    `[/x]`; names, titles, paths and questions may hold it.
    """
    there: Any = Content
    before = there.from_markup

    def from_markup(markup: str | Content, **variables: object) -> Any:
        if isinstance(markup, str) and not variables:
            return Content(markup)
        return before(markup, **variables)

    there.from_markup = staticmethod(from_markup)


def _lies_over(widget: Widget) -> bool:
    return isinstance(widget, Toast) or widget.layer == "over"


def _seen_edges(
    placed: Iterable[tuple[Region, Region]], width: int, height: int
) -> list[list[int]]:
    """Return for each line the edges of widgets, given front to back, that nothing covers."""
    edges = [{0, width} for _ in range(height)]
    covered: list[list[tuple[int, int]]] = [[] for _ in range(height)]
    for region, clip in placed:
        seen = region.intersection(clip)
        if not seen.area:
            continue
        left, right = seen.column_span
        for y in range(seen.y, min(seen.bottom, height)):
            for edge in (left, right):
                if not any(start < edge < end for start, end in covered[y]):
                    edges[y].add(edge)
            covered[y].append((left, right))
    return [sorted(line) for line in edges]


def _render_chops(
    self: Any, crop: Region, is_rendered_line: Callable[[int], bool]
) -> list[dict[int, Strip | None]]:
    """Return each line's pieces by where they begin, as Textual's own does, for these edges.

    Lines of a widget that lie behind others are not rendered at all.
    """
    cuts = self.cuts
    chops: list[dict[int, Strip | None]] = [dict.fromkeys(line[:-1]) for line in cuts]
    for widget, (region, clip) in self.visible_widgets.items():
        seen = region.intersection(clip)
        left, right = seen.column_span
        wanted: list[tuple[int, list[int]]] = []
        for y in seen.line_range if crop.overlaps(clip) else ():
            if is_rendered_line(y):
                starts = [left, *(cut for cut in cuts[y] if left < cut < right)]
                if any(chops[y].get(start, self) is None for start in starts):
                    wanted.append((y, starts))
        if not wanted:
            continue
        first, last = wanted[0][0], wanted[-1][0]
        part = Region(seen.x - region.x, first - region.y, seen.width, last - first + 1)
        strips = widget.render_lines(part)
        for y, starts in wanted:
            line = chops[y]
            pieces = strips[y - first].divide([cut - left for cut in (*starts[1:], right)])
            for start, piece in zip(starts, pieces, strict=False):
                if line.get(start, piece) is None:
                    line[start] = piece
    return chops


def visible_widgets(screen: Screen[Any]) -> dict[Widget, tuple[Region, Region]]:
    """Return what a screen shows, front to back, with region and clip; a new map for a new layout."""
    return screen._compositor.visible_widgets


def placed(widget: Widget) -> Region:
    """Return where the last layout has put a widget; `Widget.region` may arrange all anew."""
    found = visible_widgets(widget.screen).get(widget) if widget.is_attached else None
    return found[0] if found else Region()


def top_screen(app: App[Any]) -> Screen[Any] | None:
    """Return the screen on top, or None while there is none."""
    try:
        stack = app._screen_stack
    except Exception:
        return None
    return stack[-1] if stack else None


def driver_of(app: App[Any]) -> Driver | None:
    """Return the app's driver, if it runs."""
    return app._driver


def fail(app: App[Any], error: Exception) -> None:
    """End the app with an error, as one in its own code does."""
    try:
        raise error  # Textual tells the one that is handled just now
    except Exception:
        app._handle_exception(error)


def character_key(char: str) -> str:
    """Return Textual's name of a character's key."""
    return keys._character_to_key(char)


def mouse_event(
    kind: type[events.MouseEvent], x: int, y: int, button: int, bits: int, delta: tuple[int, int]
) -> events.MouseEvent:
    """Return a mouse event; `bits` are the modifiers as in an SGR report."""
    return kind(
        None, x, y, delta[0], delta[1], button,
        bool(bits & 4), bool(bits & 8), bool(bits & 16), screen_x=x, screen_y=y,
    )  # fmt: skip


def show_toast(app: App[Any], toast: Notification) -> None:
    """Show a toast, from now on for its whole time, even if it was shown and dropped before."""
    toast.raised_at, toast.identity = time.time(), str(uuid4())
    app._notifications.add(toast)
    app._refresh_notifications()


def drop_toast(app: App[Any], toast: Notification) -> None:
    """Take a toast away before its time, on the screens below the one in front, too."""
    app._unnotify(toast)
    for screen in app.screen_stack:
        for holder in screen.query(ToastHolder):
            if toast in map(toast_of, holder.children):
                holder.remove()


def toasts(app: App[Any]) -> list[Notification]:
    """Return the toasts that are shown, the oldest first."""
    return list(app._notifications)


def toast_of(widget: Widget | None) -> Notification | None:
    """Return what a widget shows if it is a toast."""
    return widget._notification if isinstance(widget, Toast) else None


class PlainFilter(LineFilter):
    """Blanks control and direction characters, and leaves every width as it is."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line without such characters."""
        return [_plain(segment) for segment in segments]


def _plain(segment: Segment) -> Segment:
    text, style, control = segment
    if text.isascii() and text.isprintable() or not HIDDEN.search(text):
        return segment
    return Segment(HIDDEN.sub(_blank, text), style, control)


def _blank(found: re.Match[str]) -> str:
    return " " * cell_len(found[0])
