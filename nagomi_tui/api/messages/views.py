"""Messages about views: what a front end shows, and what its user looks at."""

from __future__ import annotations

from typing import TypeAlias

from nagomi_tui.api.messages.base import Message
from nagomi_tui.text.rows import Cursor, Modes, Style

# --- from a client


class View(Message, frozen=True, kw_only=True, tag="view"):
    """Show a session in a view of this front end; frames of `view` follow until `unview`.

    A view smaller than the screen shows the part around the cursor, or from `left` and `top`.
    `line` fixes the first line shown by its number; without it the view follows the tail.
    `own_size` makes the session's PTY take the view's size once the layout has been still for half a
    second, while this front end is the one that was used last; without it, looking never resizes.
    `fps` bounds the frames a second; a view whose session was typed into is served at once.
    `kept` are cells, by line and column, to be found again when a resize has moved their text.
    `line` and `kept` are by the numbers of lines on a screen of `screen_cols` columns (0: not told), and
    are passed over where it has other ones by now.
    """

    view: int
    session: str
    cols: int
    rows: int
    line: int | None = None
    left: int | None = None
    top: int | None = None
    own_size: bool = False
    fps: int = 10
    kept: tuple[tuple[int, int], ...] = ()
    screen_cols: int = 0


class Unview(Message, frozen=True, kw_only=True, tag="unview"):
    """Stop the frames of a view."""

    view: int


class Taken(Message, frozen=True, kw_only=True, tag="taken"):
    """A frame was shown; at most two are on their way to a front end for each view."""

    view: int
    frame: int


class Seen(Message, frozen=True, kw_only=True, tag="seen"):
    """The user has looked at the session: it no longer waits."""

    session: str


class Looking(Message, frozen=True, kw_only=True, tag="looking"):
    """The session in front of this front end's user, or none while another window has the focus.

    `told` says that the terminal tells of its focus; without that one cannot be sure.
    """

    session: str = ""
    told: bool = False


class Used(Message, frozen=True, kw_only=True, tag="used"):
    """The user has given this front end a command of its own: its sizes count from now on.

    What is typed into a session says so by itself.
    """


class Composing(Message, frozen=True, kw_only=True, tag="composing"):
    """The user writes a text for the session, of which nothing was sent yet."""

    session: str


class Colors(Message, frozen=True, kw_only=True, tag="colors"):
    """The outer terminal has other colours now, `0xRRGGBB` each; what `hello` said is over."""

    foreground: int
    background: int


# --- to a client


class Frame(Message, frozen=True, kw_only=True, tag="frame"):
    """Rows of a view that changed since its last frame (all of them when `full`).

    A row is `[y, [[text, style, unit], …]]` with `style` an index into this frame's `styles`;
    cells after its last run are blank. The cursor is relative to the view; invisible outside it.
    `line` is the number of the view's first line, `first_line` and `last_line` bound what exists.
    After a resize, `kept` are the view's cells of that name, where their text is now; `kept_before` are
    these cells as they were before it.
    """

    view: int
    frame: int
    session: str
    rows: tuple[tuple[int, tuple[tuple[str, int, int], ...]], ...]
    styles: tuple[Style, ...]
    full: bool
    cursor: Cursor
    modes: Modes
    line: int
    first_line: int
    last_line: int
    left: int
    top: int
    cols: int
    """Size of the session's own screen."""
    screen_rows: int
    kept: tuple[tuple[int, int], ...] = ()
    kept_before: tuple[tuple[int, int], ...] = ()


ViewsFromClient: TypeAlias = View | Unview | Taken | Seen | Looking | Used | Composing | Colors
ViewsToClient: TypeAlias = Frame
