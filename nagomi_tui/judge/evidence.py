"""The judge's input: events and evidence with their times, gathered into a turn.

Times are seconds on one clock, which the caller chooses; the judge has none of its own.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from nagomi_tui.judge.verdict import State
from nagomi_tui.text.words import translatable


class Source(StrEnum):
    """Where a piece of evidence comes from, the strongest first."""

    EXIT = "exit"
    SHELL = "shell"
    """OSC 133 marks of the shell's integration."""
    HOOK = "hook"
    STATUS = "status"
    """OSC 7501, a program's own report of its status."""
    TITLE = "title"
    PROGRESS = "progress"
    """OSC 9;4."""
    NOTICE = "notice"
    """OSC 9, 777 and 99, and the bell."""
    EDITOR = "editor"
    """Bracketed paste: a line editor has begun or ended reading a line."""
    PROCESS = "process"
    SCREEN = "screen"
    TEXT = "text"
    SILENCE = "silence"
    USER = "user"


SOURCES: Final[dict[str, str]] = {
    "exit": translatable("exit code"), "shell": translatable("shell"), "hook": translatable("hook"),
    "status": translatable("its own word"), "title": translatable("title"), "progress": translatable("progress"),
    "notice": translatable("notice"), "editor": translatable("line editor"), "process": translatable("process"),
    "screen": translatable("screen"), "text": translatable("output"), "silence": translatable("silence"),
    "user": translatable("you"), "llm": translatable("model"), "guard": translatable("guard"),
}  # fmt: skip
"""What each source is called."""


class Says(StrEnum):
    """What a piece of evidence says of the session."""

    BUSY = "busy"
    THINKING = "thinking"
    RUNNING = "running"
    WAITS = "waits"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    REST = "rest"
    INTERRUPTED = "interrupted"
    CALLS = "calls"
    """It rang the bell or sent a notification, without a reason."""


MESSAGE: Final = "message"
"""The rule of evidence that holds a program's own words for what it does."""

DENIED: Final = "denied"
"""The rule of evidence that the guard has denied what an agent wanted to do."""

ANSWER: Final = "answer"
TOOL: Final = "tool"
"""Kinds of work that a program reports: on its answer, or with a tool. One that tells these apart
reports what it asks, too, so that a question in its text is none."""
WORK_LEFT: Final = "work-left"
"""The kind of an end of a turn while what was started in it goes on by itself, such as a server."""

AT_WORK = frozenset({Says.BUSY, Says.THINKING, Says.RUNNING})


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One report of a source; it counts until that source reports anew, or it expires."""

    source: Source
    says: Says
    at: float
    rule: str = ""
    """The rule that it was found by, as `nagomi why` names it."""
    text: str = ""
    """The text that it was read from."""
    expires: float | None = None
    begins: bool = False
    """A turn begins with it."""
    kind: str = ""
    """What the session waits for: `permission`, `question`, `auth`, or empty if unknown."""


class Wait(StrEnum):
    """What the processes in the foreground are doing."""

    NOTHING = "nothing"
    """They compute, or wait for something other than the user."""
    READ = "read"
    """One waits in a `read` of the terminal."""
    KEYS = "keys"
    """The terminal is in raw mode, and they wait for some event, perhaps a key."""


class Foreground(msgspec.Struct, frozen=True, kw_only=True):
    """The terminal's foreground process group, as the worker saw it."""

    at: float
    command: str
    leader: bool
    """It is the session's first process: a shell at its prompt, or the program itself."""
    wait: Wait = Wait.NOTHING
    canonical: bool = True
    echo: bool = True
    busy: bool = False
    """It used the processor since the last look."""
    aside: bool = False
    """Another thread than a process's first one reads the terminal: perhaps beside its work."""
    sleeps: bool = False
    """A process sleeps for a time, as one does that looks for a key now and then."""
    polls: bool = False
    """A process waits for any of several files, of which the terminal may be one."""
    watches: bool = False
    """A process waits until the terminal, or one of several files with it, can be read.

    A runtime, such as Erlang's, does so in a thread of its own all the time: where whole lines are
    read, only a process's first thread counts."""
    others: tuple[str, ...] = ()
    """All names in the group, and the scripts that interpreters run: an agent may be any of them."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The screen as text, and the lines of the turn, without the echo of what was typed."""

    at: float
    rows: tuple[str, ...]
    cursor_x: int = 0
    """Characters (not cells) left of the cursor."""
    cursor_y: int = 0
    alt_screen: bool = False
    title: str = ""
    lines: tuple[str, ...] = ()
    """Lines since the turn began, oldest first, each whole though it takes several rows (NB-5)."""
    command: str = ""
    """The line on which the turn's command was typed, its prompt included."""
    lit: tuple[tuple[int, str], ...] = ()
    """Rows of which a part is lit, as `core/text/lit.py` draws them, each with its number."""
    bars: frozenset[int] = frozenset()
    """Rows that are lit as a whole."""
    red: frozenset[int] = frozenset()
    """Rows whose first word is written in red."""
    prompt: str = ""
    """The words that this program was seen to write before what is typed, where no shape tells."""
    sent: str = ""
    """What stood last in an agent's field, and is what the user has asked unless it was taken out."""
    label: str = ""
    """What stands above an agent's field at all times, such as `What shall I do?`."""
    tints: tuple[int, ...] = ()
    """A number for each row that is another one where its letters have other colours."""
    begun: str = ""
    """The text of the rows above the cursor from which its line was wrapped."""
    prompt_lines: int = 0
    """Lines of a line editor's prompt above the one that the cursor stands on."""
    resized: bool = False
    """The program may still be drawing for another size: what stood elsewhere was not typed there."""

    @property
    def output(self) -> tuple[str, ...]:
        """The turn's lines without those of the prompt that stands below them, but for its last."""
        above, last = self.lines_above, self.lines[len(self.lines_above) :]
        return (*above[: max(0, len(above) - self.prompt_lines)], *last)

    @property
    def lines_above(self) -> tuple[str, ...]:
        """The turn's lines without the one that the cursor stands on."""
        row = self.rows[self.cursor_y] if self.cursor_y < len(self.rows) else ""
        last = self.lines[-1] if self.lines else None
        return self.lines[:-1] if last in (row, self.begun + row) else self.lines

    @property
    def cursor_line(self) -> str:
        """The cursor's line left of it, however many rows it takes, with its trailing spaces."""
        row = self.rows[self.cursor_y] if self.cursor_y < len(self.rows) else ""
        return self.begun + row[: self.cursor_x].ljust(self.cursor_x)


class Key(StrEnum):
    """What the user typed, as far as it matters here."""

    TEXT = "text"
    ENTER = "enter"
    INTERRUPT = "interrupt"
    ESCAPE = "escape"


class Typed(msgspec.Struct, frozen=True):
    """The user sent keys to the session, so many characters of text at once."""

    at: float
    key: Key
    count: int = 1


class Stopped(msgspec.Struct, frozen=True):
    """nagomi ends the session because a user asked for it."""

    at: float


class Ended(msgspec.Struct, frozen=True):
    """The session's command has ended; if a signal killed it, `code` is 128 + `signal`."""

    at: float
    code: int
    signal: int | None = None


class Corrected(msgspec.Struct, frozen=True):
    """The user has corrected the state, which holds for the rest of the turn."""

    at: float
    state: State


Event: TypeAlias = Evidence | Foreground | View | Typed | Stopped | Ended | Corrected

ECHO: Final = 0.5
"""Seconds within which reports of several sources count as the same beginning."""


class Turn(msgspec.Struct, frozen=True):
    """The turn under way, or the one that ended last. Number 0 is before the first."""

    number: int = 0
    started_at: float = 0.0
    worked_at: float | None = None
    """When a process was last seen at work in this turn; None if none was."""
    command_at: float | None = None
    """When the shell's latest command began; it may take several turns of input."""
    interrupted_at: float | None = None
    interrupted_by: Key | None = None
    halted_at: float | None = None
    """When Ctrl-C or Escape last came while an agent's title said that it works; None if never.

    It outlives its turn: until the next one is seen at work, what is shown is the end of the last.
    """

    def next(self, at: float, *, over: bool = False) -> Turn:
        """Begin another turn; Enter and the program's own word on it are one and the same.

        A turn that is `over` already had both.
        """
        if self.number and at - self.started_at < ECHO and not over:
            return self
        return msgspec.structs.replace(self, **_FRESH, number=self.number + 1, started_at=at)

    def entered(self, at: float, *, over: bool = False) -> Turn:
        """A command was entered at a shell's prompt."""
        return msgspec.structs.replace(self.next(at, over=over), command_at=at)

    def ran(self, at: float) -> Turn:
        """A command was seen in the foreground, whether or not its start was heard."""
        begun = at if self.command_at is None else self.command_at
        return msgspec.structs.replace(self, command_at=begun, worked_at=at)

    def worked(self, at: float) -> Turn:
        """Something was at work."""
        return msgspec.structs.replace(self, worked_at=at)

    def broken(self, at: float, key: Key, *, at_work: bool = False) -> Turn:
        """The user pressed Ctrl-C or Escape: an end that follows is no failure (NB-18)."""
        halted = at if at_work else self.halted_at
        return msgspec.structs.replace(
            self, interrupted_at=at, interrupted_by=key, halted_at=halted
        )


_FRESH: Final[dict[str, None]] = {
    "worked_at": None,
    "interrupted_at": None,
    "interrupted_by": None,
}
