"""The interface of every terminal engine, and what all of them do beside their terminal library.

Bytes go in, rows and events come out. An engine has no clock and does no I/O. One thread uses it at
a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, Self

from nagomi_tui.terminal import osc
from nagomi_tui.text.rows import Cursor, Modes, Row, ScreenEvent

HISTORY_LINES: Final = 20_000
"""Lines kept above the screen (N-36)."""

LEAST_COLUMNS: Final = 10
"""Least columns of a session; a narrower view shows a part of it.

In three columns, this release of libghostty-vt crashes on clusters that grow wide as their region
scrolls. Of 200 fuzz runs of 1 MB, three crash it without this bound, and none with it.
"""


class EngineError(RuntimeError):
    """The engine could not be loaded, or a snapshot is not one of its own."""


class Beside(Protocol):
    """Collects what a terminal library says beside the drawing."""

    replies: bytearray
    """Its answers to the child's queries that nobody has taken yet."""
    bells: int
    """How often it rang since that was asked last."""


FOREGROUND: Final = 0xD0D0D0
BACKGROUND: Final = 0x101010
ORIGIN: Final = 6
"""The private mode by which a cursor is placed within the scroll region (DECOM)."""


class Engine(Protocol):
    """One session's terminal, which carries out itself what its library does not know or does otherwise.

    Lines are numbered from the session's start: the oldest kept line is `first_line`, the
    screen's top row is `screen_line`, and a number stays with its line while output scrolls.
    A resize that reflows, and a cleared history, may renumber.
    """

    version: str
    """Engine and release, such as `"ghostty-0.1.3"`; a snapshot is read by the same one only."""

    cols: int
    rows: int

    keeps_history: bool
    """Whether lines above the screen outlive `CSI 3 J`, which `clear` and some agents send."""

    @classmethod
    def restore(cls, data: bytes, *, history: int = HISTORY_LINES) -> Self:
        """Return an engine as it was when `snapshot` returned `data`.

        Raises:
            EngineError: `data` is not a snapshot of this engine.
        """

    def feed(self, data: bytes) -> None:
        """Process output of the child; no content of `data` raises an exception."""

    def skim(self, data: bytes) -> None:
        """Process old output that will scroll away; a slow engine may keep its plain text only."""

    def lines_until_forgotten(self) -> int | None:
        """Return after how many lines of plain text nothing that is printed now is kept.

        None where that is not sure: behind the alternate screen, with a scroll region, or within a
        sequence. Plain is text with colours (SGR), parts of rows erased (EL), CR, LF and tabs.
        """

    def skip(self, data: bytes, lines: int) -> None:
        """Leave out plain text with so many LF, behind which more lines come than `lines_until_forgotten` says.

        Colours stay as it sets them.

        Its lines count as printed and as not kept, and so do all lines before it.
        """

    def resize(self, cols: int, rows: int) -> None:
        """Change the size in cells; lines that were wrapped are reflowed where possible.

        An engine may stay as wide as `LEAST_COLUMNS`.
        """

    def screen(self) -> Sequence[Row]:
        """Return the rows of the active screen; an unchanged row is the same object as before."""

    def lines(self, start: int, stop: int, *, plain: bool = False) -> list[Row]:
        """Return lines by number, history and screen alike; those not kept are left out.

        With `plain` nobody will look at styles; they may be missing, which is quicker.
        """

    @property
    def first_line(self) -> int:
        """Number of the oldest line kept; equal to `screen_line` where there is no history."""

    @property
    def screen_line(self) -> int:
        """Number of the screen's top row."""

    @property
    def cursor(self) -> Cursor:
        """Where the cursor stands on the screen."""

    @property
    def modes(self) -> Modes:
        """What the child has asked of its terminal."""

    def is_on(self, mode: int) -> bool:
        """Return whether the child has set a private mode, which `modes` may not tell."""

    def set_colors(self, foreground: int, background: int) -> bytes:
        """Set what OSC 10 and 11 answer, `0xRRGGBB` each.

        Return the report of a change between dark and light for a child that asked for it (2031).
        """

    def capture(self, *, history: bool = True) -> Callable[[], bytes]:
        """Return a function that makes the snapshot of this moment, which may run in a thread."""

    def compact(self, *, at_hand: bool = False) -> None:
        """Free memory of a quiet session; with `at_hand`, keep what drawing needs at once."""

    def close(self) -> None:
        """Free all resources; the engine must not be used again."""

    # --- what all engines do, by what is found in the output; see `osc.Stop`

    _scanner: osc.Scanner

    @property
    def _beside(self) -> Beside:
        """What the library says beside the drawing."""

    def _draw(self, data: bytes) -> None:
        """Have the library process output."""

    def _forget(self) -> None:
        """Read out anew what is asked next, where an engine remembers what it has read."""
        return

    def _scan(self, data: bytes) -> None:
        """Process output, and carry out what is found in it."""
        drawn = 0
        for stop in self._scanner.feed(data):
            drawn = self._stop(stop, data, drawn)
        self._draw(data[drawn:])

    def _stop(self, stop: osc.Stop, data: bytes, drawn: int) -> int:
        """Carry out what the library does not; return up to where the data is drawn."""
        replies = self._beside.replies
        if stop.does == "clear" and self.keeps_history:
            self._draw(data[drawn : max(drawn, stop.begin)])
            if stop.begin < 0:
                self._draw(osc.CAN)
            return stop.end
        if stop.does == "terminfo" and stop.begin > drawn:
            self._draw(data[drawn : stop.begin])
            drawn = stop.begin  # what was asked before has answers of its own
        before = len(replies)
        self._draw(data[drawn : stop.end])
        match stop.does:
            case "answer":
                replies += stop.data
            case "terminfo":
                replies[before:] = osc.terminfo(stop.data, bytes(replies[before:]))
            case "where":
                before = len(replies)
                self._draw(b"\x1b[6n")
                replies[before:] = b"\x1b[?" + replies[before + 2 : -1] + b";1R"
            case "prompt":
                self._end_modes(stop.data)
            case "reset":
                self._draw(osc.COLORS)
            case "soft":
                self._forget()
                self._reset(osc.SOFT)
        return stop.end

    def _end_modes(self, modes: bytes) -> None:
        """End by `modes` what a killed program has left, now that a shell shows its prompt."""
        self._forget()
        self._beside.replies.clear()  # who asked is gone
        alternate = self.modes.alt_screen
        lost = alternate and not self.is_on(osc.KEEPS_CURSOR)
        if alternate:
            self._draw(osc.LEAVE)
        self._reset(modes)
        self._forget()
        if lost:
            self._draw(osc.below(self.screen()))

    def _reset(self, modes: bytes) -> None:
        """End origin mode where the cursor stands, and the other modes by `modes`."""
        if self.is_on(ORIGIN):
            at = self.cursor
            self._draw(b"\x1b[?6l\x1b[%d;%dH" % (at.y + 1, at.x + 1))
        self._draw(modes)

    def take_replies(self) -> bytes:
        """Return the replies to the child's queries (DA, DSR, OSC 10 …) since the last call."""
        replies = bytes(self._beside.replies)
        self._beside.replies.clear()
        return replies

    def take_events(self) -> list[ScreenEvent]:
        """Return titles, notifications and the like since the last call; one bell however often it rang."""
        events = self._scanner.take()
        if self._beside.bells:
            self._beside.bells = 0
            events.append(ScreenEvent("bell"))
        return events

    @property
    def title(self) -> str:
        """The title that the child set last."""
        return self._scanner.title

    @property
    def status(self) -> str:
        """The body of the child's last OSC 7501; empty once the child or a shell has ended it."""
        return self._scanner.status

    def snapshot(self, *, history: bool = True) -> bytes:
        """Return everything needed to go on from here: both screens, history, modes.

        Without history it is quick and small; an engine restored from it has at most a few
        lines above its screen, and numbers all lines as before.
        """
        return self.capture(history=history)()
