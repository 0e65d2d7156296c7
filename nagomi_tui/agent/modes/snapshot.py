"""The tracking snapshot: sessions and tasks when the mode left autonomous for reserved (M-17)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.text.cells import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nagomi_tui.agent.modes.mode import AgentMode

MOST_TASKS: Final = 20
LINE_LENGTH: Final = 200
"""Most characters of a line of the snapshot."""
NONE: Final = "（無）"
UNKNOWN: Final = "（不明）"
"""Written where something could not be found out; `NONE` is written where there is nothing."""

_TASK: Final = re.compile(r"- \[[^xX]\]")

_SNAPSHOT: Final = """\
# Tracking Snapshot

Captured: {captured}
Previous mode: {previous}

## Active Threads
{threads}

## In-progress Tasks
{tasks}
"""


class Thread(msgspec.Struct, frozen=True):
    """A session, as the agent's prompts and snapshots describe it."""

    name: str
    phase: str
    summary: str = ""
    number: int = 0
    state: str = "running"
    waits: bool = False
    """The session needs the user, or has ended and the user has not looked at it since."""
    is_open: bool = True
    """The session's command is running."""


class Awareness(msgspec.Struct, frozen=True):
    """The sessions that the agent follows, the same for questions and for snapshots (X-3)."""

    threads: tuple[Thread, ...] = ()
    """All sessions, in the workplace's order."""

    @property
    def active(self) -> tuple[Thread, ...]:
        """The sessions whose command is running, which a snapshot lists (F-13)."""
        return tuple(thread for thread in self.threads if thread.is_open)


def in_progress(next_steps: str) -> tuple[str, ...]:
    """Return the first 20 lines of `NEXT.md` with a checkbox that is not ticked, such as `- [ ]` (M-18)."""
    lines = (line.strip() for line in next_steps.splitlines() if _TASK.search(line))
    return tuple(lines)[:MOST_TASKS]


def thread_lines(awareness: Awareness) -> tuple[str, ...]:
    """Return a line for each active thread."""
    return tuple(
        f"- {thread.name} ({thread.phase})" + (f": {thread.summary}" if thread.summary else "")
        for thread in awareness.active
    )


def snapshot(
    threads: tuple[str, ...] | None,
    tasks: tuple[str, ...] | None,
    *,
    captured: float,
    previous: AgentMode,
) -> str:
    """Return the text of the tracking notes; None for threads or tasks means unknown.

    `captured` is in seconds since the epoch.
    """
    return _SNAPSHOT.format(
        captured=datetime.fromtimestamp(captured, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        previous=previous,
        threads=_section(threads),
        tasks=_section(tasks),
    )


def _section(lines: Iterable[str] | None) -> str:
    if lines is None:
        return UNKNOWN
    return "\n".join(_line(line) for line in lines) or NONE


def _line(text: str) -> str:
    """Return the text as one line, so that a session's summary cannot add a heading."""
    line = " ".join(printable(text).split())
    return line if len(line) <= LINE_LENGTH else line[: LINE_LENGTH - 1] + "…"
