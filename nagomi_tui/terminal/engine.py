"""The interface of every terminal engine: bytes in, rows and events out.

An engine has no clock and does no I/O. One thread uses it at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, Self

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


class Engine(Protocol):
    """One session's terminal.

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

    def take_replies(self) -> bytes:
        """Return the replies to the child's queries (DA, DSR, OSC 10 …) since the last call."""

    def take_events(self) -> list[ScreenEvent]:
        """Return the titles, bells, notifications and the like since the last call."""

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

    @property
    def title(self) -> str:
        """The title that the child set last."""

    @property
    def status(self) -> str:
        """The body of the child's last OSC 7501; empty once the child or a shell has ended it."""

    def set_colors(self, foreground: int, background: int) -> bytes:
        """Set what OSC 10 and 11 answer, `0xRRGGBB` each.

        Return the report of a change between dark and light for a child that asked for it (2031).
        """

    def snapshot(self, *, history: bool = True) -> bytes:
        """Return everything needed to go on from here: both screens, history, modes.

        Without history it is quick and small; an engine restored from it has at most a few
        lines above its screen, and numbers all lines as before.
        """

    def capture(self, *, history: bool = True) -> Callable[[], bytes]:
        """Return a function that makes the snapshot of this moment, which may run in a thread."""

    def compact(self, *, at_hand: bool = False) -> None:
        """Free memory of a quiet session; with `at_hand`, keep what drawing needs at once."""

    def close(self) -> None:
        """Free all resources; the engine must not be used again."""
