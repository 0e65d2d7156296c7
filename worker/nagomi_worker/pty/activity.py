"""What a session's foreground processes do at one moment.

As JSON, it is the `detail` of a `phase` message whose `phase` is `activity`.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

TICKS: Final = 5
"""Clock ticks of CPU time that a process must use between two samples to count as working."""

TTY_READ: Final = re.compile(r"wait_woken|n_tty_read|tty_read")
"""Kernel functions that a `read` of a terminal sleeps in."""
_READ_CALL: Final = re.compile(r"^0 0x[0-9a-f]{1,3}$")


class Task(msgspec.Struct, frozen=True):
    """What a thread beside a process's first one sleeps in; `sys` only of one that may read a terminal."""

    wchan: str = ""
    sys: str | None = None
    watches: bool = False
    """It waits until a file can be read, and the terminal is among those that it waits for."""

    @property
    def reads(self) -> bool:
        """Tell whether the thread waits in a `read` of the terminal."""
        return bool(TTY_READ.search(self.wchan) and _READ_CALL.match(self.sys or ""))


class Process(msgspec.Struct, frozen=True):
    """One process, as proc(5) has it.

    `comm` is its name, `st` its state (one letter), `cpu` its user and system time in clock ticks,
    `wchan` the kernel function that it sleeps in, and `sys` the number of its system call and the
    first argument of that; None where it may not be read, and of one that reads a socket.
    """

    pid: int
    comm: str
    st: str
    cpu: int = 0
    wchan: str = ""
    sys: str | None = None
    script: str = ""
    """What an interpreter runs: the path of a script, or the name of a module."""
    tasks: tuple[Task, ...] = ()
    """What its other threads sleep in, each kind once."""
    watches: bool = False
    """Its first thread waits until a file can be read, and the terminal is one of these."""

    @property
    def reads(self) -> bool:
        """Tell whether its first thread waits in a `read` of the terminal."""
        return bool(TTY_READ.search(self.wchan) and _READ_CALL.match(self.sys or ""))


class Activity(msgspec.Struct, frozen=True):
    """The foreground process group of a terminal, and two of the terminal's modes.

    `fg` is the id of the group, `shell` says that it is that of the session's first process, and
    `icanon` and `echo` are the termios flags of these names.
    """

    fg: int
    shell: bool
    icanon: bool
    echo: bool
    procs: tuple[Process, ...] = ()

    def same(self, other: Activity | None) -> bool:
        """Tell whether the other sample differs in CPU time and process states at most."""
        return other is not None and _still(self) == _still(other)

    def worked_since(self, before: Activity | None) -> bool:
        """Tell whether a process has used the processor since the sample `before`."""
        used = {one.pid: one.cpu for one in before.procs} if before else {}
        grown = (one.cpu - used.get(one.pid, one.cpu) for one in self.procs)
        return max(grown, default=0) >= TICKS or any(one.st == "R" for one in self.procs)

    @property
    def awaits_keys(self) -> bool:
        """Tell whether the program seems to wait for the user.

        A process reads the terminal, or the terminal is in raw mode.
        """
        return not self.icanon or any(one.reads for one in self.procs)


def _still(activity: Activity) -> tuple[object, ...]:
    group = (activity.fg, activity.shell, activity.icanon, activity.echo)
    reads = (
        tuple(task for task in one.tasks if task.reads or task.watches) for one in activity.procs
    )
    still = ((one.pid, one.comm, one.wchan, one.sys, one.watches) for one in activity.procs)
    return (*group, *still, *reads)
