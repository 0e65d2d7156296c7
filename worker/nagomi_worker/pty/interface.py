"""The interfaces to the operating system: a PTY, a process tree, and a host that makes both.

Everything that differs between POSIX and Windows is behind them; `host.py` alone chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from nagomi_worker.confine.interface import Confinement, Report
from nagomi_worker.pty.activity import Activity
from nagomi_worker.pty.command import Launch
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.wire.messages import Guard, Left

READ_BYTES: Final = 4096
"""Linux gives no more than this in one read of a PTY."""


class Ended(NamedTuple):
    """A child process has ended; if a signal killed it, `code` is 128 + `signal`."""

    pid: int
    code: int
    signal: int | None = None


class Wake(NamedTuple):
    """Why the host's descriptor was readable."""

    ended: Sequence[Ended]
    terminate: bool
    """The worker got SIGTERM."""


class Pty(Protocol):
    """The master side of a PTY, and the command on it. No method blocks."""

    pid: int

    def fileno(self) -> int:
        """Return a descriptor: readable for output or its end, writable when input is taken."""

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes of output; `b""` at its end.

        Raises:
            BlockingIOError: there is no output yet.
        """

    def write(self, data: memoryview) -> int:
        """Write input; return how many bytes were taken, all of them if the terminal is gone.

        Raises:
            BlockingIOError: nothing can be taken yet.
        """

    def resize(self, cols: int, rows: int) -> None:
        """Set the size in cells; the command gets SIGWINCH."""

    def signal(self, name: str) -> None:
        """Send a signal such as `"INT"` to the foreground process group.

        Raises:
            ValueError: there is no such signal here.
        """

    def look(self) -> Activity | None:
        """Sample the foreground processes; None where the system offers no way to."""

    def reads_unseen(self) -> bool:
        """Tell whether the terminal reads a line without echo, as for a password."""

    def takes_lines(self) -> bool:
        """Tell whether the terminal hands on whole lines, and not each character."""

    def close(self) -> None:
        """Close the master side."""


class Tree(Protocol):
    """All processes of one session; see `tree.py` for which these are."""

    def look(self) -> Sequence[Left]:
        """Search for the session's processes; return those that are alive."""

    def any_left(self) -> bool:
        """Tell whether a process that the last `look` found is still alive; cheap."""

    def send(self, step: str) -> None:
        """Send `"HUP"`, `"TERM"` or `"KILL"` to what the last `look` found.

        Stopped processes are continued, so that they can handle it.
        """


class Host(Protocol):
    """The operating system: starts commands and reports the ends of child processes."""

    def spawn(self, order: Launch) -> Pty:
        """Start a command on a terminal of its own.

        Raises:
            StartError: it could not be started.
        """

    def confine(
        self, loop: Loop, guard: Guard, env: Mapping[str, str], tell: Callable[[Report], None]
    ) -> Confinement:
        """Have the kernel hold a project, whose session has these variables; `tell` hears from the loop when something has changed.

        Raises:
            WorkerFault: the kernel does not let us.
        """

    def tree(self, session_id: str, pty: Pty) -> Tree:
        """Return the process tree of the session whose first process runs on `pty`."""

    def fileno(self) -> int:
        """Return a descriptor that is readable when `wake` has something to report."""

    def wake(self) -> Wake:
        """Return what has happened since the last call."""

    def end_all(self) -> None:
        """Kill every descendant of this worker but nagomi's own resident processes."""

    def close(self) -> None:
        """Release descriptors and signal handlers."""
