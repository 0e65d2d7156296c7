"""What the worker needs of an operating system: terminals, children that end, process trees.

Everything that differs between POSIX and Windows is behind these three interfaces; `host.py` is
the one place that chooses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_worker.pty.activity import Activity
    from nagomi_worker.pty.command import Launch
    from nagomi_worker.wire.protocol import Left

READ_BYTES: Final = 4096
"""Linux gives no more than this in one read of a PTY."""


class Ended(NamedTuple):
    """A child is no more. Killed by a signal: `code` is 128 + `signal`."""

    pid: int
    code: int
    signal: int | None = None


class Wake(NamedTuple):
    """Why the host's descriptor was readable."""

    ended: Sequence[Ended]
    terminate: bool
    """Somebody asked the worker to end (SIGTERM)."""


class Pty(Protocol):
    """One terminal with the command that runs on it. Nothing here blocks."""

    pid: int

    def fileno(self) -> int:
        """Readable when there is output, or its end; writable when input is taken."""

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, none at the end.

        Raises:
            BlockingIOError: there is nothing at the moment.
        """

    def write(self, data: memoryview) -> int:
        """Return how many bytes were taken; a terminal that is gone takes all.

        Raises:
            BlockingIOError: none at the moment.
        """

    def resize(self, cols: int, rows: int) -> None:
        """Set the size in cells; the command is told."""

    def signal(self, name: str) -> None:
        """Send a signal such as `"INT"` to the foreground process group.

        Raises:
            ValueError: there is no such signal here.
        """

    def look(self) -> Activity | None:
        """Return what is in the foreground now; None where the system does not tell."""

    def reads_unseen(self) -> bool:
        """Tell whether a line is read now that the terminal does not show, such as a password."""

    def close(self) -> None:
        """Let go of the terminal."""


class Tree(Protocol):
    """All processes of one session."""

    def look(self) -> Sequence[Left]:
        """Find what is alive of it now."""

    def any_left(self) -> bool:
        """Whether some process of the last look is still alive; cheap."""

    def send(self, step: str) -> None:
        """Send `"HUP"`, `"TERM"` or `"KILL"` to what the last look found; waking what is stopped."""


class Host(Protocol):
    """The operating system."""

    def spawn(self, order: Launch) -> Pty:
        """Start a command on a terminal of its own.

        Raises:
            StartError: it could not be started.
        """

    def tree(self, session_id: str, pty: Pty) -> Tree:
        """Return the processes of a session by its leader."""

    def fileno(self) -> int:
        """Readable when `wake` has something to tell."""

    def wake(self) -> Wake:
        """Return, once, what has happened."""

    def end_all(self) -> None:
        """Kill every process that came from this worker and was not let go on purpose."""

    def close(self) -> None:
        """Give everything back."""
