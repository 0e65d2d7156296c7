"""Messages that type into a session, wait for it, and read what it has printed."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta

from nagomi_tui.api.messages.base import Message, Request, Result
from nagomi_tui.api.messages.sessions import SessionNamed
from nagomi_tui.sessions.session import Condition
from nagomi_tui.text import key_names

Key = Annotated[str, Meta(extra_json_schema={"pattern": key_names.pattern()})]
PASTE_LIMIT: Final = 8 * 1024 * 1024
"""Bytes of the longest paste in one message."""


class Sent(SessionNamed, frozen=True, kw_only=True):
    """What became of a text that was typed."""

    taken: bool | None
    """The program has taken it; null where nobody can tell."""
    hidden: bool
    """It was read as a password is, and is not to be kept."""


class Waited(Result, frozen=True, kw_only=True):
    """How a wait ended."""

    reason: Literal["exit", "silence", "output", "timeout", "attention", "done", "idle", "turn"]
    exit_code: int | None
    line: str
    """The line that matched."""
    condition: Condition = Condition.IDLE
    """How the session stands now, in one word, as in the list."""


class Send(Request[Sent], frozen=True, kw_only=True, tag="send"):
    """Type text as a user would (bracketed when the child asked for it), then Enter if asked.

    Refused while a question with choices stands open or a draft in the agent's own input, unless
    `force`. A text with the same `once` is typed once, however often it is sent: who got no answer
    sends it again.
    """

    session: str
    text: str
    enter: bool = True
    force: bool = False
    once: Annotated[str, Meta(max_length=64)] = ""


class Keys(Request[SessionNamed], frozen=True, kw_only=True, tag="keys"):
    """Press named keys one after the other, such as `ctrl+c` or `Enter`."""

    session: str
    keys: tuple[Key, ...]


class Wait(Request[Waited], frozen=True, kw_only=True, tag="wait"):
    """Answered when the session has ended, was silent, printed a line that matches, or stands so.

    `attention` is when it asks its user, `done` when its turn is over, `turn` for either, and `idle`
    when nothing goes on. With `new`, lines that were printed before do not count.

    Times are in seconds.
    """

    session: str
    until: Literal["exit", "silence", "output", "attention", "done", "idle", "turn"] = "exit"
    pattern: str = ""
    new: bool = False
    silence: float = 3.5
    timeout: float | None = None


class TypeText(Message, frozen=True, kw_only=True, tag="type_text"):
    """Send text to the child exactly as it is."""

    session: str
    text: str


class Press(Message, frozen=True, kw_only=True, tag="press"):
    """A key, to be encoded for the child's modes.

    `key` is a name in the style of `up`, `f5`, `enter`, `a`; `mods` adds shift 1, alt 2, ctrl 4,
    super 8 (kitty's bits); `text` is what the key types, and `base` what a US layout has at its
    place, where the terminal told it.
    """

    session: str
    key: str
    mods: int = 0
    text: str = ""
    action: Literal["press", "repeat", "release"] = "press"
    base: str = ""


class Paste(Message, frozen=True, kw_only=True, tag="paste"):
    """Pasted text: bracketed when the child asked for it, its end marks taken out."""

    session: str
    text: str


class Point(Message, frozen=True, kw_only=True, tag="point"):
    """The mouse over a session: cell from the screen's top left, encoded if the child asked.

    `button` is 0 left, 1 middle, 2 right, 4 to 7 wheel up, down, left, right, 3 none (motion).
    """

    session: str
    x: int
    y: int
    button: int
    action: Literal["press", "release", "move"]
    mods: int = 0


class Focus(Message, frozen=True, kw_only=True, tag="focus"):
    """The session that gets this front end's keys now, or none."""

    session: str = ""


class Captured(SessionNamed, frozen=True, kw_only=True):
    """A session's text."""

    text: str


class Matches(Result, frozen=True, kw_only=True):
    """Where a text stands, the newest place last."""

    matches: tuple[tuple[int, int, int], ...]
    """Line number, column and width in cells of the first row that each one touches."""
    cols: int = 0
    """Columns of the screen whose rows are counted: a reflow gives lines other numbers. 0: not told."""


class LineRows(Result, frozen=True, kw_only=True):
    """Lines by number, and which of them there are."""

    start: int
    """Number of the first of `rows`."""
    rows: tuple[tuple[bool, tuple[tuple[str, int], ...]], ...]
    """Whether the line goes on in the next row, and its runs: text and unit as in a frame."""
    first_line: int
    screen_line: int
    last_line: int
    cols: int = 0
    """As in `Matches`."""


class StoredLine(Result, frozen=True, kw_only=True):
    """A line that a session printed at some time, masked."""

    session_id: str
    session: str
    at: float
    """Seconds since the epoch."""
    line: str
    gap: int
    """So many lines before the next one were not kept; the text is empty then."""


class StoredLines(Result, frozen=True, kw_only=True):
    """Stored lines, oldest first."""

    lines: tuple[StoredLine, ...]


class Capture(Request[Captured], frozen=True, kw_only=True, tag="capture"):
    """Ask for a session's text."""

    session: str
    history: bool = False
    ansi: bool = False


class Search(Request[Matches], frozen=True, kw_only=True, tag="search"):
    """Find text in a session; the newest `limit` places are told."""

    session: str
    text: str
    limit: int = 1000


class Lines(Request[LineRows], frozen=True, kw_only=True, tag="lines"):
    """Ask for lines by number, at most 1000; those not kept are left out."""

    session: str
    start: int
    stop: int


class SearchHistory(Request[StoredLines], frozen=True, kw_only=True, tag="search_history"):
    """Find the newest lines that any session has printed, ended and removed ones too.

    Upper and lower case are one; without a text every line is meant. A session that is off the
    list is named by its id, name or the beginning of its id.
    """

    text: str = ""
    session: str = ""
    since: float = 0.0
    """Seconds since the epoch."""
    limit: Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": 10_000})] = 100
    """From 1 to 10,000."""


TalkFromClient: TypeAlias = (
    Capture
    | Search
    | Lines
    | SearchHistory
    | Send
    | Keys
    | Wait
    | TypeText
    | Press
    | Paste
    | Point
    | Focus
)
