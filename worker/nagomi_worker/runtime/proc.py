"""What Linux tells of a process in `/proc/PID/stat`: the one reader of it for every program of nagomi.

It imports next to nothing, since the supervisor and the guard's hook use it, too.
"""

from __future__ import annotations

import sys
from typing import NamedTuple


class Stat(NamedTuple):
    """A process, or a thread, as proc(5) has it."""

    name: str
    """The name that it has given itself, at most 15 bytes."""
    state: str
    """`R`, `S`, `D`, `T`, `Z` and the like."""
    parent: int
    group: int
    session: int
    terminal: int
    """The number of its controlling terminal; 0 if it has none."""
    foreground: int
    """The group in the foreground of that terminal."""
    ticks: int
    """Clock ticks for which it has run, in its own code and in the kernel."""
    threads: int
    began: str
    """When it began, in clock ticks since the machine's start."""


def is_service(pid: int) -> bool:
    """Tell whether a process has no terminal, as a service that several sessions share."""
    try:
        return sys.platform == "linux" and pid > 0 and read_stat(pid).terminal == 0
    except OSError:
        return False


def read_stat(pid: int) -> Stat:
    """Read a process.

    Raises:
        OSError: it has ended, or may not be looked at.
    """
    with open(f"/proc/{pid}/stat", "rb") as file:
        return parse_stat(file.read())


def parse_stat(data: bytes) -> Stat:
    """Return what the text of a `stat` file says; a name may hold blanks and brackets.

    Raises:
        ProcessLookupError: it is cut short, as of a process that is ending.
    """
    head, _, rest = data.rpartition(b")")
    fields = rest.decode("ascii", "replace").split()
    try:
        parent, group, session, terminal, foreground = map(int, fields[1:6])
        return Stat(
            name=head.partition(b"(")[2].decode("utf-8", "replace"),
            state=fields[0],
            parent=parent,
            group=group,
            session=session,
            terminal=terminal,
            foreground=foreground,
            ticks=int(fields[11]) + int(fields[12]),
            threads=int(fields[17]),
            began=fields[19],
        )
    except (ValueError, IndexError) as exc:
        raise ProcessLookupError(f"not a whole line of stat: {data[:40]!r}") from exc
