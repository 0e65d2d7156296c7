"""What the judge is told: values with a source and a time, none of them a verdict.

Times are seconds of one clock, whichever it is; the judge has none of its own.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from nagomi_tui.core.judge.verdict import State


class Source(StrEnum):
    """Where a piece of evidence comes from, the strongest first."""

    EXIT = "exit"
    SHELL = "shell"
    """OSC 133 marks of the shell's integration."""
    HOOK = "hook"
    STATUS = "status"
    """OSC 7501, a program's own word on its status."""
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
    """It rang or notified, without saying what for."""


MESSAGE: Final = "message"
"""The rule by which a program told in its own words what it is about."""

AT_WORK = frozenset({Says.BUSY, Says.THINKING, Says.RUNNING})


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One source's word, until the same source says something else or it expires."""

    source: Source
    says: Says
    at: float
    rule: str = ""
    """Which rule read it, as `nagomi why` names it."""
    text: str = ""
    """The words that it was read from."""
    expires: float | None = None
    begins: bool = False
    """A turn begins by it."""
    kind: str = ""
    """What it waits for, where it says so: `permission`, `question` or `auth`."""


class Wait(StrEnum):
    """What the processes in the foreground are doing."""

    NOTHING = "nothing"
    """They compute, or sleep on something that is not the user."""
    READ = "read"
    """One sits in a read of the terminal."""
    KEYS = "keys"
    """The terminal is raw and they wait for some event; a key may be one."""


class Foreground(msgspec.Struct, frozen=True, kw_only=True):
    """The terminal's foreground process group, as the worker saw it."""

    at: float
    command: str
    leader: bool
    """It is the session's own first process: a shell at its prompt, or the program itself."""
    wait: Wait = Wait.NOTHING
    canonical: bool = True
    echo: bool = True
    busy: bool = False
    """It used the processor since the last look."""
    others: tuple[str, ...] = ()
    """All names in the group: an agent may sit behind the interpreter that started it."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The screen as text, and the lines of the turn, without the echo of what was typed."""

    at: float
    rows: tuple[str, ...]
    cursor_x: int = 0
    """Characters left of the cursor, which are fewer than cells where some are wide."""
    cursor_y: int = 0
    alt_screen: bool = False
    title: str = ""
    lines: tuple[str, ...] = ()
    """Lines since the turn began, oldest first (NB-5)."""
    command: str = ""
    """The line on which the turn's command was typed, with its prompt."""

    @property
    def cursor_line(self) -> str:
        """The text left of the cursor, with its trailing spaces."""
        row = self.rows[self.cursor_y] if self.cursor_y < len(self.rows) else ""
        return row[: self.cursor_x].ljust(self.cursor_x)


class Key(StrEnum):
    """What the user typed, as far as it matters here."""

    TEXT = "text"
    ENTER = "enter"
    INTERRUPT = "interrupt"
    ESCAPE = "escape"


class Typed(msgspec.Struct, frozen=True):
    """The user sent keys to the session."""

    at: float
    key: Key


class Stopped(msgspec.Struct, frozen=True):
    """We are ending the session because somebody asked."""

    at: float


class Ended(msgspec.Struct, frozen=True):
    """The session's command has ended; killed by a signal: `code` is 128 + `signal`."""

    at: float
    code: int
    signal: int | None = None


class Corrected(msgspec.Struct, frozen=True):
    """The user says how the session stands; it holds for the rest of the turn."""

    at: float
    state: State


Event: TypeAlias = Evidence | Foreground | View | Typed | Stopped | Ended | Corrected
