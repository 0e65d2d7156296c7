"""What a session's processes do at a moment: as JSON, the detail of the phase `activity`."""

from __future__ import annotations

import re
from typing import Final

import msgspec

TICKS: Final = 5
"""Clock ticks of CPU time between two looks that count as work."""

_TTY_READ: Final = re.compile(r"wait_woken|n_tty_read|tty_read")
_READ_CALL: Final = re.compile(r"^0 0x[0-9a-f]$")


class Process(msgspec.Struct, frozen=True):
    """One process: name, state, CPU ticks, what it sleeps in, its system call and first argument."""

    pid: int
    comm: str
    st: str
    cpu: int = 0
    wchan: str = ""
    sys: str | None = None

    @property
    def reads(self) -> bool:
        """It sits in a read of the terminal."""
        return bool(_TTY_READ.search(self.wchan) and _READ_CALL.match(self.sys or ""))


class Activity(msgspec.Struct, frozen=True):
    """The foreground process group: whether it is the session's own, and the line's modes."""

    fg: int
    shell: bool
    icanon: bool
    echo: bool
    procs: tuple[Process, ...] = ()

    def same(self, other: Activity | None) -> bool:
        """Tell whether nothing but CPU time differs."""
        return other is not None and _still(self) == _still(other)

    def worked_since(self, before: Activity | None) -> bool:
        """Tell whether a process used the processor after another look."""
        used = {one.pid: one.cpu for one in before.procs} if before else {}
        grown = (one.cpu - used.get(one.pid, one.cpu) for one in self.procs)
        return max(grown, default=0) >= TICKS or any(one.st == "R" for one in self.procs)

    @property
    def awaits_keys(self) -> bool:
        """Only the user can make it go on: a process reads the terminal, or it is raw."""
        return not self.icanon or any(one.reads for one in self.procs)


def _still(activity: Activity) -> tuple[object, ...]:
    group = (activity.fg, activity.shell, activity.icanon, activity.echo)
    return (*group, *((one.pid, one.comm, one.wchan, one.sys) for one in activity.procs))
