"""Turns a session's output and screen into events for its judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

import msgspec

from nagomi_tui.judge.evidence import Event, Evidence, Says, Source, Stopped, Typed, View
from nagomi_tui.judge.line_rules import TAIL_LINES
from nagomi_tui.judge.senses.signals import ENDS_COMMAND, SignalReader, is_agents_own
from nagomi_tui.terminal.cuts import Piece
from nagomi_tui.text.rows import Cursor, Modes, Row, ScreenEvent, crop, is_bar, is_red, marked, tint

EVERY: Final = 0.1
"""Least seconds between two looks at the screen, and of silence before the next one, beside the
pauses in which its worker does not read."""

SHORTEST_FLOW: Final = 0.5
LONGEST_FLOW: Final = 4.0
"""Most seconds between two looks while output flows; they grow further apart."""

LITTLE_FLOW: Final = 0.7
"""Most seconds between two looks if little changes, as by a spinner: it may ask beside that."""

_LITTLE: Final = 1024
"""Bytes of one piece of output that count as little, if they scroll nothing."""

_AGAIN: Final = 3
"""Lines above the screen that are read again, to notice a reflow."""

QUESTION_LINES: Final = 4
"""Lines above the cursor in which an open question stands after a rebuild."""

_MANY: Final = 8
"""Most events of one piece of output that are all used."""

_MARKS: Final = 64
"""Most OSC 133 marks of one piece of output that are used: those of sixteen commands."""


class Senses(msgspec.Struct, frozen=True):
    """Which kinds of evidence are used; leaving one out shows its worth in a score."""

    hooks: bool = True
    titles: bool = True
    process: bool = True
    screen: bool = True
    shell_integration: bool = True


class Terminal(Protocol):
    """The part of a terminal that is read; `Engine` implements it."""

    def screen(self) -> Sequence[Row]: ...
    def lines(self, start: int, stop: int, *, plain: bool = False) -> list[Row]: ...
    @property
    def cols(self) -> int: ...
    @property
    def first_line(self) -> int: ...
    @property
    def screen_line(self) -> int: ...
    @property
    def cursor(self) -> Cursor: ...
    @property
    def modes(self) -> Modes: ...
    @property
    def title(self) -> str: ...
    @property
    def status(self) -> str: ...


_PROMPT_MARK: Final = b"\x1b]133;A"
_TALLEST_PROMPT: Final = 3
"""Lines that a prompt has above its last one at most; more are output of what reads there."""
_REDRAWN: Final = 3.0
"""Seconds after which a program has drawn itself for its new size."""


class Observer:
    """One session's output → events for its judge, in the order in which they happened.

    It only reads the terminal. Whoever feeds that cuts the output by `LineEditing`, and calls `hear`
    once the terminal shows a piece, since the lines of a turn begin where the cursor stands then.
    """

    def __init__(
        self, terminal: Terminal, tell: Callable[[Event], None], senses: Senses | None = None
    ) -> None:
        self.terminal = terminal
        self._tell = tell
        self._senses = senses or Senses()
        self._signals = SignalReader()
        self._start = 0
        self._command = ""
        self._seen: list[tuple[Row, str]] = []
        self._lit: dict[int, tuple[Row, str, bool, int, bool]] = {}
        self._width = self._drawn_for = terminal.cols
        """Columns now, and the fewest for which a program may have drawn what is there."""
        self._height = 0
        self._resized_at = float("-inf")
        self._above: tuple[tuple[int, int], tuple[tuple[str, bool], ...]] = ((0, 0), ())
        self._soon = float("inf")
        """When to look though its worker rests: a shell has come back from a command."""
        self._prompt_at: int | None = None
        """The line on which a line editor began to draw its prompt; None where that is not known."""
        self._entered: tuple[str, ...] = ()
        """The last row of the line that was entered, after the one above it, as they stood then."""
        self._looked_at = float("-inf")
        self._printed_at = float("-inf")
        self._flow = SHORTEST_FLOW
        self._steady = False
        self._much_at = float("-inf")
        self._told_lines: tuple[str, ...] = ()
        self.tail_lines = TAIL_LINES
        """How many of the turn's last lines are shown to the judge."""
        self.rest_seconds = 0.0
        """Seconds for which its worker does not read while the session prints little."""
        self.due: float | None = None
        """When to `peek`; None while nothing has changed."""

    def hear(self, piece: Piece, events: Sequence[ScreenEvent], at: float) -> None:
        """Process a piece that the terminal shows, with its events; call `settle` after the last."""
        if events:
            self._hear(events, at)
        if piece.editor:
            if piece.editor == "l":
                self._begin_lines()
            self._edited(piece, at)
        if self._senses.screen:
            self._printed_at = at
            if len(piece.data) > _LITTLE or b"\n" in piece.data:
                self._much_at = at

    def settle(self, at: float) -> None:
        """Look at the screen now, or plan to."""
        if self._senses.screen and self.due is None:
            self._arrange(at)
        if self.due is not None:
            self.due = min(self.due, self._soon)

    def _edited(self, piece: Piece, at: float) -> None:
        """Tell that a line editor has begun or ended reading; what stands there then is read soon."""
        if self._senses.screen:
            reads = piece.editor == "h"
            self._soon = at + EVERY if reads else float("inf")
            self._prompt_at = self._prompt_begins(piece.data) if reads else None
            self._editor(piece.editor, at)

    def _prompt_begins(self, data: bytes) -> int | None:
        """Return the line on which a prompt begins: behind this output or, as zsh has it, within it."""
        cursor = self.terminal.cursor
        line = self.terminal.screen_line + cursor.y
        if cursor.x == 0:
            return line
        _, mark, prompt = data.rpartition(_PROMPT_MARK)
        return line - prompt.count(b"\n") if mark else None

    def resume(self, at: float, marks: Sequence[ScreenEvent] = (), *, asked: bool = False) -> None:
        """Begin after a rebuild: lines that are there already belong to no turn.

        But where the session had `asked`, the last ones hold its question. `marks` are those by which
        the shell told last of a command that has perhaps ended meanwhile.
        """
        self._begin_lines()
        if asked:
            self._start -= QUESTION_LINES
        self._command = ""
        if self.terminal.modes.bracketed_paste:
            self._editor("h", at)
        if title := self.terminal.title:
            self._hear([ScreenEvent("title", title)], at)
        if status := self.terminal.status:
            self._hear([ScreenEvent("status", status)], at, begun=True)
        self._hear(list(marks), at)
        self.look(at)

    def typed(self, event: Typed | Stopped) -> None:
        """Process the user's input, or a stop of the session."""
        if isinstance(event, Typed) and event.key == "enter":
            self._begin_lines()
        self._tell(event)

    @property
    def is_current(self) -> bool:
        """Whether nothing was printed since the last look at the screen."""
        return self._looked_at >= self._printed_at

    def peek(self, at: float) -> None:
        """Look if the screen has been still for a moment, or the last look is long ago."""
        self.refresh(at)
        if self.due is not None:
            flow = self._looked_at + self._flow_at(at)
            self.due = min(self._printed_at + self._every, flow, self._soon)

    def refresh(self, at: float, *, last: bool = False) -> None:
        """Look now if anything has changed, before a decision is made."""
        if self.due is None:
            return
        if last or at >= min(self._printed_at + self._every, self._soon):
            self.look(at)
        elif at >= self._looked_at + self._flow_at(at):
            self._flow = min(self._flow * 2, LONGEST_FLOW)
            self._glance(at)

    @property
    def _every(self) -> float:
        return EVERY + self.rest_seconds

    def _flow_at(self, at: float) -> float:
        """Return the seconds between two looks while output flows."""
        little = self._steady or at >= self._much_at + LITTLE_FLOW
        return min(self._flow, LITTLE_FLOW) if little else self._flow

    def look(self, at: float) -> None:
        """Show the screen and the lines of the turn to the judge."""
        self.due, self._looked_at, self._soon = None, at, float("inf")
        self._flow = SHORTEST_FLOW
        self._tell(self.view(at))

    def _glance(self, at: float) -> None:
        """Show the screen alone, while output flows; reading lines above it costs more."""
        self._looked_at = at
        self.due = self._printed_at + self._every
        self._tell(self.view(at, whole=False))

    def view(self, at: float, *, whole: bool = True) -> View:
        """Return the screen as it is now, and the turn's lines as they are or were."""
        terminal, cursor = self.terminal, self.terminal.cursor
        screen, width = terminal.screen(), terminal.cols
        rows = self._texts(screen)
        self._note_size(width, len(screen), at)
        self._lit = {
            id(row): self._lit.get(id(row))
            or (row, marked(row, width), is_bar(row, self._drawn_for), tint(row), is_red(row))
            for row in screen
        }
        if whole:
            self._told_lines = self._lines(screen, rows, cursor.y)
        return View(
            at=at,
            rows=rows,
            cursor_x=_characters(screen, cursor),
            cursor_y=cursor.y,
            alt_screen=terminal.modes.alt_screen,
            title=terminal.title if self._senses.titles else "",
            lines=self._told_lines,
            command=self._command,
            lit=tuple(
                (at, text) for at, row in enumerate(screen) if (text := self._lit[id(row)][1])
            ),
            bars=frozenset(at for at, row in enumerate(screen) if self._lit[id(row)][2]),
            red=frozenset(at for at, row in enumerate(screen) if self._lit[id(row)][4]),
            tints=tuple(self._lit[id(row)][3] for row in screen),
            begun=_begun(screen, cursor.y),
            prompt_lines=self._prompt_lines(screen, cursor.y),
            resized=at < self._resized_at + _REDRAWN,
        )

    def _prompt_lines(self, screen: Sequence[Row], cursor_row: int) -> int:
        """Return how many lines of the prompt stand above the cursor's, as many shells have it."""
        if self._prompt_at is None:
            return 0
        first = max(0, self._prompt_at - self.terminal.screen_line)
        count = sum(not row.wrapped for row in screen[first:cursor_row])
        return count if count <= _TALLEST_PROMPT else 0

    def _note_size(self, width: int, height: int, at: float) -> None:
        """Note a resize: until the program has drawn anew, its bars are as wide as the screen was."""
        going_on = at < self._resized_at + _REDRAWN
        if width != self._width:
            self._drawn_for = min(width, self._drawn_for if going_on else self._width)
            self._prompt_at = None
        elif not going_on:
            self._drawn_for = width
        if (width, height) != (self._width, self._height or height):
            self._resized_at = at
        self._width, self._height = width, height

    def _texts(self, screen: Sequence[Row]) -> tuple[str, ...]:
        """Return the rows as text; only those that changed since the last look are read."""
        known = {id(row): text for row, text in self._seen}
        texts = tuple(known.get(id(row)) for row in screen)
        read = tuple(
            row.text if text is None else text for row, text in zip(screen, texts, strict=True)
        )
        moved = sum(old != new for (_, old), new in zip(self._seen, read, strict=False))
        self._steady = moved <= len(read) // 4
        self._seen = list(zip(screen, read, strict=True))
        return read

    def _lines(
        self, screen: Sequence[Row], rows: tuple[str, ...], cursor_row: int
    ) -> tuple[str, ...]:
        """Return the turn's last lines: those that have scrolled away, and those on screen.

        A line is whole, however many rows it takes.
        """
        top = self.terminal.screen_line
        if self._was_cleared(rows, top, cursor_row):
            self._start, self._entered = top, ()
        start = max(self._start, top + cursor_row - self.tail_lines, self.terminal.first_line)
        if (start, top) != self._above[0]:
            self._above = ((start, top), self._scrolled(start, top))
        here = slice(max(0, start - top), cursor_row + 1)
        shown = zip(rows[here], (row.wrapped for row in screen[here]), strict=True)
        return _whole((*self._above[1], *shown))

    def _was_cleared(self, rows: tuple[str, ...], top: int, cursor_row: int) -> bool:
        """Tell whether the screen was erased since the line was entered: it all belongs to the turn.

        The row of that line may grow, as the terminal echoes it after Enter was sent, or be drawn
        anew by its program; an erased screen leaves the row above it no more than this one.
        """
        if self.terminal.modes.alt_screen:
            return False
        entered = self._start - 1 - top
        if top + cursor_row < self._start - 1:
            return True
        if not any(self._entered[-1:]) or not 0 <= entered < len(rows):
            return False
        stood = enumerate(self._entered, entered + 1 - len(self._entered))
        return not any(text and at >= 0 and rows[at].startswith(text) for at, text in stood)

    def _scrolled(self, start: int, top: int) -> tuple[tuple[str, bool], ...]:
        """Return the lines from `start` up to the screen.

        Of those read before only the last are read again: after a reflow they are others.
        """
        (first, end), known = self._above
        again = end - _AGAIN
        if first <= start <= again and end <= top and len(known) == end - first:
            read = self._texts_of(again, top)
            if read[:_AGAIN] == known[-_AGAIN:]:
                return known[start - first : -_AGAIN] + read
        return self._texts_of(start, top)

    def _texts_of(self, start: int, stop: int) -> tuple[tuple[str, bool], ...]:
        rows = self.terminal.lines(start, stop, plain=True)
        return tuple((row.text, row.wrapped) for row in rows)

    def _begin_lines(self) -> None:
        """Begin the turn's lines below the line that was entered, without its echo (NB-6)."""
        cursor = self.terminal.cursor
        self._start = self.terminal.screen_line + cursor.y + (cursor.x > 0)
        rows = self.terminal.lines(max(self._start - 4, self.terminal.first_line), self._start)
        self._command = ""
        self._told_lines = ()
        self._entered = tuple(row.text.rstrip() for row in rows[-2:])
        for row in rows:
            self._command += row.text
            if not row.wrapped and row is not rows[-1]:
                self._command = ""

    def _hear(self, events: Sequence[ScreenEvent], at: float, *, begun: bool = False) -> None:
        for event in _telling(events):
            wanted = self._senses.titles if is_agents_own(event) else self._senses.shell_integration
            said = self._signals.read(event, at) if wanted else None
            if said is not None:
                if said.rule == ENDS_COMMAND and self._senses.screen:
                    # What it printed is read before it is told how it ended, however many wait.
                    self.look(at)
                self._tell(msgspec.structs.replace(said, begins=False) if begun else said)

    def _arrange(self, at: float) -> None:
        if at >= self._looked_at + self._every:
            self._glance(at)
        else:
            self.due = self._looked_at + self._every

    def _editor(self, letter: str, at: float) -> None:
        """Tell that a line is read now, or was entered."""
        says = Says.REST if letter == "h" else Says.RUNNING
        rule = "line-is-read" if letter == "h" else "line-was-entered"
        self._tell(Evidence(source=Source.EDITOR, says=says, at=at, rule=rule))


def _whole(rows: Iterable[tuple[str, bool]]) -> tuple[str, ...]:
    """Return lines from rows, of which each tells whether its line goes on in the next one."""
    lines, begun = list[str](), ""
    for text, wrapped in rows:
        begun += text
        if not wrapped:
            lines.append(begun)
            begun = ""
    return (*lines, begun) if begun else tuple(lines)


def _telling(events: Sequence[ScreenEvent]) -> list[ScreenEvent]:
    """Return the events to be used: of many in one piece, the last ones and the last marks."""
    if len(events) <= _MANY:
        return list(events)
    last = {event.kind: event for event in events}
    marks = [event for event in events if event.kind == "command"][-_MARKS:]
    heard = {id(event) for event in (*last.values(), *marks)}
    return [event for event in events if id(event) in heard]


def _characters(screen: Sequence[Row], cursor: Cursor) -> int:
    """Return the number of characters left of the cursor; wide ones take two cells."""
    if cursor.y >= len(screen):
        return 0
    left = crop(screen[cursor.y], 0, cursor.x)
    return sum(len(run.text) for run in left.runs) + max(0, cursor.x - left.cells)


def _begun(screen: Sequence[Row], cursor_row: int) -> str:
    """Return the rows above the cursor from which its line was wrapped, as one text."""
    top = min(cursor_row, len(screen))
    rows = list[str]()
    while top and screen[top - 1].wrapped:
        top -= 1
        rows.insert(0, "".join(run.text for run in screen[top].runs))
    return "".join(rows)
