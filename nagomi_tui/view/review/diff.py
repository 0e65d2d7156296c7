"""The widget that shows changed files, one below the other; only rows that are seen are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from nagomi_tui.review.comments import Comment, Notes, is_seen
from nagomi_tui.review.model import FileChange, Hunk, shown_path
from nagomi_tui.text.cells import cells, cut, cut_left, printable
from nagomi_tui.text.words import translatable
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.common.widgets import TakesDrags
from nagomi_tui.view.review import paint

_COLOR_SECONDS: Final = 0.004
"""How long colours are worked out at a time, so that no frame is late by it."""
_COLOR_EVERY: Final = 0.012
_STRIPS: Final = 600
_BOTH_NUMBERS: Final = 100
"""Columns from which both numbers of a line are shown."""
STANDING: Final = {
    "draft": translatable("not sent"),
    "open": translatable("open"),
    "touched": translatable("touched"),
    "lost": translatable("its lines are gone"),
}
_STANDING_COLOR: Final = {"draft": "note", "open": "heading", "touched": "good", "lost": "bad"}


class DiffView(ScrollView, TakesDrags, can_focus=True, inherit_bindings=False):
    """Files, hunks and lines, with a cursor that moves through them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup,b", "page(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("home,g", "end(-1)", show=False),
        Binding("end,G", "end(1)", show=False),
        Binding("left,h", "sideways(-8)", show=False),
        Binding("right,l", "sideways(8)", show=False),
        Binding("n", "jump_hunk(1)", show=False),
        Binding("p", "jump_hunk(-1)", show=False),
        Binding("N", "jump_file(1)", show=False),
        Binding("P", "jump_file(-1)", show=False),
        Binding("enter,z", "fold", show=False),
        Binding("Z", "fold_all", show=False),
        Binding("v", "select", show=False),
    ]
    DEFAULT_CSS = """
    DiffView {
        width: 1fr; height: 1fr; background: $background; overflow-x: hidden;
        scrollbar-size-vertical: 1;
    }
    """

    class Moved(Message):
        """The cursor is on another row."""

    @dataclass
    class Wanted(Message):
        """The content of a file is to be shown that was not read."""

        one: FileChange

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.files: Sequence[FileChange] = ()
        self.comments: Sequence[Comment] = ()
        self.cursor = 0
        self.selected_from: int | None = None
        """The row at which a selection began; None while nothing is selected."""
        self._notes: Notes | None = None
        self._rows: list[paint.Row] = []
        self._folded: dict[bytes, bool] = {}
        self._painter = paint.Painter()
        self._palette: paint.Palette | None = None
        self._strips: dict[tuple[int, int, int, int], Strip] = {}
        self._digits = 1
        self._left = 0
        self._coloring = False
        self._pressed = self._dragged = False
        self._numbered: tuple[Hunk | None, list[tuple[int, int]]] = (None, [])
        self._headings: Mapping[int, str] = {}
        self.needle = ""
        """What is searched for, in lower case."""

    # --- what is shown

    def show(
        self,
        files: Sequence[FileChange],
        notes: Notes | None = None,
        *,
        headings: Mapping[int, str] | None = None,
    ) -> None:
        """Show these files and comments; the cursor stays on its line, if that is still there.

        `headings` stand above files, by their numbers.
        """
        self._headings = headings or {}
        kept = self._named(self.cursor)
        if files is not self.files:
            self._painter.forget()
            # The first frame does not wait for the languages.
            names = [one.name for one in files[:500]]
            self.set_timer(_COLOR_EVERY, lambda: self._painter.prepare(names))
        self.files, self._notes = files, notes
        self.comments = notes.comments if notes else ()
        lasts = (
            max(h.old + h.old_count, h.new + h.new_count) for one in files for h in one.hunks[-1:]
        )
        self._digits = len(str(max(lasts, default=1)))
        self._lay_out()
        self._go(self._found(kept), keep=True)

    def _lay_out(self) -> None:
        self._rows = paint.rows(
            self.files, self._folded, self.comments, self.size.width - 8,
            more=len(self.files) in self._headings,
        )  # fmt: skip
        self._strips.clear()
        self.selected_from = None
        self.cursor = min(self.cursor, max(0, len(self._rows) - 1))
        self.virtual_size = Size(self.size.width, len(self._rows))
        self.refresh()

    def _named(self, at: int) -> tuple[bytes, paint.Row] | None:
        """Return what tells a row again after other changes are shown."""
        if at >= len(self._rows) or self._rows[at].file < 0:
            return None
        return self.files[self._rows[at].file].path, self._rows[at]

    def _found(self, kept: tuple[bytes, paint.Row] | None) -> int:
        if kept is None:
            return self.cursor
        path, row = kept
        first = -1
        for at, one in enumerate(self._rows):
            if one.file < 0 or self.files[one.file].path != path:
                continue
            first = at if first < 0 else first
            if (one.kind, one.hunk, one.line) == (row.kind, row.hunk, row.line):
                return at
        return first if first >= 0 else min(self.cursor, max(0, len(self._rows) - 1))

    @property
    def row(self) -> paint.Row | None:
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    @property
    def file(self) -> FileChange | None:
        row = self.row
        return self.files[row.file] if row is not None and row.file >= 0 else None

    @property
    def comment(self) -> Comment | None:
        row = self.row
        return (
            self.comments[row.hunk] if row is not None and row.kind is paint.Kind.COMMENT else None
        )

    def selection(self) -> tuple[int, int, range] | None:
        """Return file, hunk and lines that are selected, or the line with the cursor; None elsewhere.

        With the cursor on a hunk's head it is what the hunk adds, or all that it removes.
        """
        row = self.row
        if row is not None and row.kind is paint.Kind.HUNK:
            return self._changed(row.file, row.hunk)
        if row is None or row.kind is not paint.Kind.LINE:
            return None
        first, last = sorted(
            (self.cursor, self.cursor if self.selected_from is None else self.selected_from)
        )
        lines = [
            one.line
            for one in self._rows[first : last + 1]
            if one.kind is paint.Kind.LINE and (one.file, one.hunk) == (row.file, row.hunk)
        ]
        return row.file, row.hunk, range(min(lines), max(lines) + 1)

    def commented(self) -> tuple[int, int, range] | None:
        """Return the lines that a comment is about: on a file's head, those of its first hunk."""
        row = self.row
        if row is not None and row.kind is paint.Kind.FILE and self.files[row.file].hunks:
            return self._changed(row.file, 0)
        return self.selection()

    def _changed(self, file: int, hunk: int) -> tuple[int, int, range]:
        signs = [line[:1] for line in self.files[file].hunks[hunk].lines]
        changed = [at for at, sign in enumerate(signs) if sign == ("+" if "+" in signs else "-")]
        return file, hunk, range(changed[0], changed[-1] + 1)

    def line_number(self) -> int:
        """Return the number of the line with the cursor in the file as it is now."""
        row = self.row
        if row is None or row.file < 0:
            return 1
        hunks = self.files[row.file].hunks
        if row.kind is paint.Kind.COMMENT:
            return self.comments[row.hunk].first
        if not hunks or row.hunk < 0:
            return hunks[0].new if hunks else 1
        hunk = hunks[row.hunk]
        numbers = [new for _, new in list(hunk.numbers())[max(0, row.line) :] if new]
        return numbers[0] if numbers else max(1, hunk.new)

    # --- moving

    def _go(self, at: int, *, keep: bool = False, top: bool = False) -> None:
        at = max(0, min(at, len(self._rows) - 1))
        moved = at != self.cursor
        self.cursor = at
        height = self.size.height
        if height:
            y = self.scroll_offset.y
            if top:
                y = max(0, at - 2)
            elif at < y or at >= y + height:
                y = at - height // 2 if keep else (at if at < y else at - height + 1)
            self.scroll_to(y=y, animate=False, force=True, immediate=True)
        self.refresh()
        if moved or keep:
            self.post_message(self.Moved())

    def action_move(self, by: int) -> None:
        at = self.cursor + by
        while 0 < at < len(self._rows) - 1 and self._rows[at].kind is paint.Kind.GAP:
            at += 1 if by > 0 else -1
        self._go(at)

    def action_page(self, by: int) -> None:
        step = max(1, self.size.height - 2)
        self.scroll_to(
            y=self.scroll_offset.y + by * step, animate=False, force=True, immediate=True
        )
        self._go(self.cursor + by * step)

    def action_end(self, to: int) -> None:
        self._go(0 if to < 0 else len(self._rows) - 1)

    def action_sideways(self, by: int) -> None:
        self._left = max(0, self._left + by)
        self._strips.clear()
        self.refresh()

    def action_jump_hunk(self, by: int) -> None:
        self._jump({paint.Kind.HUNK}, by)

    def action_jump_file(self, by: int) -> None:
        self._jump({paint.Kind.FILE}, by)

    def _jump(self, kinds: set[paint.Kind], by: int) -> None:
        at = self.cursor + by
        while 0 <= at < len(self._rows):
            if self._rows[at].kind in kinds:
                self._go(at, top=True)
                return
            at += by

    def go_to_file(self, number: int) -> None:
        for at, row in enumerate(self._rows):
            if row.kind is paint.Kind.FILE and row.file == number:
                self._go(at, top=True)
                return

    def action_select(self) -> None:
        """Begin to select lines, or end that."""
        row = self.row
        self.selected_from = (
            self.cursor
            if self.selected_from is None and row and row.kind is paint.Kind.LINE
            else None
        )
        self.refresh()

    # --- folding

    def action_fold(self) -> None:
        """Fold the file with the cursor, or show what it holds."""
        one = self.file
        if one is None or self.comment is not None:
            return
        folded = self._folded.get(one.path, one.folds)
        if folded and (one.kind == "large" or not one.loaded):
            self.post_message(self.Wanted(one))
            return
        self._fold({one.path: not folded})

    def unfold(self, one: FileChange) -> None:
        self._fold({one.path: False})

    def action_fold_all(self) -> None:
        """Fold all files, or show all again."""
        all_folded = all(self._folded.get(one.path, one.folds) for one in self.files)
        self._fold({one.path: one.folds if all_folded else True for one in self.files})

    def _fold(self, wanted: dict[bytes, bool]) -> None:
        row = self.row
        self._folded |= wanted
        self._lay_out()
        if row is not None and row.file >= 0:
            self.go_to_file(row.file)

    # --- searching

    def search(self, needle: str, by: int = 1, *, here: bool = False) -> bool:
        """Go to the next row that holds a text, in folded files too; tell whether there is one."""
        self.needle = needle.lower()
        self._strips.clear()
        self.refresh()
        if not self.needle:
            return True
        start = self.cursor + by if by > 0 and not here or by < 0 else self.cursor
        count = len(self._rows)
        for step in range(count):
            at = (start + step * by) % count
            if self.needle in self._text(self._rows[at]).lower():
                self._go(at, keep=True)
                return True
        return self._search_folded()

    def _search_folded(self) -> bool:
        for one in self.files:
            if self._folded.get(one.path, one.folds) and one.loaded:
                lines = (line for hunk in one.hunks for line in hunk.lines)
                if any(self.needle in line.lower() for line in lines):
                    self.unfold(one)
                    return self.search(self.needle, here=True)
        return False

    def _text(self, row: paint.Row) -> str:
        if row.kind is paint.Kind.LINE:
            return self.files[row.file].hunks[row.hunk].lines[row.line][1:]
        if row.kind is paint.Kind.FILE:
            return self.files[row.file].name
        if row.kind is paint.Kind.COMMENT:
            return self.comments[row.hunk].text if row.line == -1 else ""
        return ""

    # --- the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Put the cursor there, and begin to select."""
        at = self.scroll_offset.y + event.y
        if event.button != 1 or at >= len(self._rows):
            return
        self.focus()
        self.selected_from, self._pressed, self._dragged = None, True, False
        self._go(at)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select as far as the pointer is."""
        if not self._pressed or not event.button:
            return
        at = max(0, min(self.scroll_offset.y + event.y, len(self._rows) - 1))
        row = self.row
        if at != self.cursor and row is not None:
            if self.selected_from is None and row.kind is paint.Kind.LINE:
                self.selected_from = self.cursor
            self._dragged = True
            self._go(at)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """A click on a header folds its file."""
        if not self._pressed:
            return
        self._pressed = False
        row = self.row
        if not self._dragged and row is not None and row.kind in (paint.Kind.FILE, paint.Kind.NOTE):
            self.action_fold()

    def on_mouse_release(self) -> None:
        """Select no further: something else has the mouse."""
        self._pressed = False

    # --- drawing

    def on_resize(self) -> None:
        """Fold comments for the new width."""
        if self.virtual_size.width != self.size.width:
            kept = self._named(self.cursor)
            self._lay_out()
            self._go(self._found(kept), keep=True)

    def notify_style_update(self) -> None:
        """Take the colours of another theme."""
        super().notify_style_update()
        self._palette = None
        self._strips.clear()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw some rows, past what Textual does for borders and filters: there is nothing of either.

        What a file holds is made plain before.
        """
        if self._palette is None:
            self._palette = paint.palette(self.app.theme_variables, self.app.theme)
        base, right = self._palette.base, crop.right
        drawn = [self.render_line(y) for y in range(crop.y, crop.bottom)]
        return [
            strip if not crop.x and strip.cell_length == right
            else strip.crop_extend(crop.x, right, base)
            for strip in drawn
        ]  # fmt: skip

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        at = self.scroll_offset.y + y
        if self._palette is None:
            self._palette = paint.palette(self.app.theme_variables, self.app.theme)
        if at >= len(self._rows):
            return Strip.blank(width, self._palette.base)
        state = self._state(at)
        key = (at, width, self._left, state)
        if (found := self._strips.get(key)) is not None:
            return found
        before = self._painter.has_work
        made = Strip(self._draw(self._rows[at], width, self._palette))
        made = self._with_cursor(made.adjust_cell_length(width, self._palette.base), state)
        if self._painter.has_work and not self._has_colors(self._rows[at]):
            if not before:
                self._color_soon()
            return made
        if len(self._strips) > _STRIPS:
            self._strips.clear()
        self._strips[key] = made
        return made

    def _state(self, at: int) -> int:
        """Return 2 for the row with the cursor, 1 for one that is selected, 0 for all others."""
        if at == self.cursor:
            return 2
        if self.selected_from is not None and min(self.selected_from, self.cursor) <= at <= max(
            self.selected_from, self.cursor
        ):
            return 1
        return 0

    def _with_cursor(self, strip: Strip, state: int) -> Strip:
        assert self._palette is not None
        if state == 1:
            over = Style(bgcolor=self._palette.selected)
            return Strip([Segment(text, (style or over) + over) for text, style, _ in strip])
        if state == 2:
            mark = Segment("▌", self._palette.accent + Style(bgcolor=self._palette.cursor))
            return Strip([mark, *strip.crop(1)])
        return strip

    def _has_colors(self, row: paint.Row) -> bool:
        if row.kind is not paint.Kind.LINE:
            return True
        one = self.files[row.file]
        return self._painter.knows(one.hunks[row.hunk], row.line)

    def _color_soon(self) -> None:
        if not self._coloring:
            self._coloring = True
            self.set_timer(_COLOR_EVERY, self._color)

    def _color(self) -> None:
        """Work out some of the colours that are missing, the last drawn first."""
        self._coloring = False
        if self._painter.work(_COLOR_SECONDS):
            self.refresh()
        if self._painter.has_work:
            self._color_soon()

    def _draw(self, row: paint.Row, width: int, look: paint.Palette) -> list[Segment]:
        if row.kind is paint.Kind.GAP:
            return [Segment(f" {self._headings.get(row.file, '')}", look.base + look.muted)]
        if row.kind is paint.Kind.COMMENT:
            return self._draw_comment(row, width, look)
        one = self.files[row.file]
        if row.kind is paint.Kind.FILE:
            return self._draw_file(one, width, look)
        if row.kind is paint.Kind.NOTE:
            return [Segment("   " + paint.note(one), look.base + look.muted)]
        hunk = one.hunks[row.hunk]
        if row.kind is paint.Kind.HUNK:
            head = f" @@ -{hunk.old},{hunk.old_count} +{hunk.new},{hunk.new_count} @@"
            return [
                Segment(head, look.base + look.muted),
                Segment(f" {printable(hunk.heading)}", look.base + look.heading),
            ]
        return self._draw_line(row, width, look)

    def _draw_file(self, one: FileChange, width: int, look: paint.Palette) -> list[Segment]:
        folded = self._folded.get(one.path, one.folds)
        seen = self._notes is not None and is_seen(self._notes, one)
        counts = [Segment(f" +{one.added}", look.header + look.good)] if one.added else []
        counts += [Segment(f" −{one.removed}", look.header + look.bad)] if one.removed else []
        if seen:
            counts.append(Segment(f" ✓ {tr('seen')}", look.header + look.muted))
        if one.mode_change:
            counts.append(Segment(f" {one.mode_change}", look.header + look.muted))
        name = one.name
        if one.path != one.old_path:
            name = f"{shown_path(one.old_path)} → {name}"
        head = f" {'▸' if folded else '▾'} {one.status} "
        room = width - cells(head) - sum(cells(part.text) for part in counts) - 1
        name = cut_left(name, max(4, room))
        line = [Segment(head, look.header + look.muted), Segment(name, look.header), *counts]
        used = sum(cells(part.text) for part in line)
        return [*line, Segment(" " * max(0, width - used), look.header)]

    def _draw_line(self, row: paint.Row, width: int, look: paint.Palette) -> list[Segment]:
        hunk = self.files[row.file].hunks[row.hunk]
        line = hunk.lines[row.line]
        sign, text = line[:1], line[1:]
        old, new = self._numbers(row)
        if width >= _BOTH_NUMBERS:
            gutter = f" {old or '':>{self._digits}} {new or '':>{self._digits}} "
        else:
            gutter = f" {new or old or '':>{self._digits}} "
        style, mark, number = look.base, look.added_word, look.base + look.number
        if sign in "+-":
            over = look.added if sign == "+" else look.removed
            style, number = look.base + over, look.base + look.number + over
            mark = look.added_word if sign == "+" else look.removed_word
        if sign == "\\":
            return [
                Segment(gutter, number),
                Segment(f" {printable(text.strip())}", look.base + look.muted),
            ]
        if text.endswith("\r"):
            text = text[:-1] + ("␍" if sign in "+-" else "")
        name = self.files[row.file].name
        marks = self._painter.marks(hunk, row.line)
        spans = self._painter.spans(hunk, row.line, name)
        if self.needle and (found := paint.hits(text, self.needle)):
            marks, mark = found, Style(reverse=True)
        parts = Strip(paint.segments(text, style, spans, marks, mark, look.syntax))
        room = width - len(gutter) - 1
        if self._left or parts.cell_length > room:
            long = parts.cell_length > self._left + room
            parts = parts.crop(self._left, self._left + room - long)
            if long:
                parts = Strip([*parts, Segment("…", style + look.muted)])
        sign_style = style + (look.good if sign == "+" else look.bad if sign == "-" else look.muted)
        fill = Segment(" " * max(0, room - parts.cell_length), style)
        return [Segment(gutter, number), Segment(sign, sign_style), *parts, fill]

    def _numbers(self, row: paint.Row) -> tuple[int, int]:
        hunk = self.files[row.file].hunks[row.hunk]
        if self._numbered[0] is not hunk:
            self._numbered = hunk, list(hunk.numbers())
        return self._numbered[1][row.line]

    def _draw_comment(self, row: paint.Row, width: int, look: paint.Palette) -> list[Segment]:
        comment = self.comments[row.hunk]
        bar = Segment("   ┃ ", look.base + look.note)
        if row.line >= 0:
            shown = paint.comment_lines(comment, self.size.width - 8)
            return [bar, Segment(printable(shown[row.line]), look.base)]
        color: Style = getattr(look, _STANDING_COLOR[comment.standing])
        told = tr(STANDING[comment.standing])
        if comment.sent_to and comment.sent_at:
            told = f"{told} · {comment.sent_to}"
        place = cut(comment.place, max(8, width - 12 - cells(told)))
        quoted = ""
        if comment.standing in ("lost", "touched") and comment.lines:
            quoted = f"  ({printable(comment.lines[0].strip())})"
        return [
            bar,
            Segment(place, look.base + Style(bold=True)),
            Segment(f"  {told}", look.base + color),
            Segment(quoted, look.base + look.muted),
        ]
