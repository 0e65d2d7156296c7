"""One byte stream through a real session and through tmux, and what each shows then."""

from __future__ import annotations

import os
import shlex
import socket
import struct
import subprocess
import sys
import uuid
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wcwidth import wcwidth

from nagomi_tui.api import messages
from tests.helpers.workplace import PATIENCE, create, plain, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.client import Connection

COLS, ROWS = 60, 16
FEEDER: Final = Path(__file__).with_name("feeder.py")
CLEAN: Final = b"\x18\x1b\\\x1b[?1049l\x1bc\x1b[H\x1b[2J\x1b[?1049h\x1b[?1049l\x1b7"
"""RIS leaves the cursors that tmux has saved, and their modes, so these are saved anew."""

Cells = tuple[str, ...]


class Shown(NamedTuple):
    """A screen: for each row its cells without blanks at the end, and the cursor from 1.

    The second cell of a wide character is empty; what joins a character is in its cell.
    """

    rows: tuple[Cells, ...]
    cursor: tuple[int, int]


class _Feed:
    """The socket to a feeder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / uuid.uuid4().hex[:8]
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(1)
        self._listener.settimeout(PATIENCE)

    @property
    def command(self) -> str:
        return shlex.join([sys.executable, str(FEEDER), str(self.path)])

    def accept(self) -> None:
        self._peer, _ = self._listener.accept()
        self._peer.settimeout(3 * PATIENCE)

    def send(self, data: bytes) -> None:
        self._peer.sendall(struct.pack("!I", len(data)) + data)

    def cursor(self) -> tuple[int, int]:
        answer = b""
        while len(answer) < 4:
            answer += self._peer.recv(4 - len(answer)) or b"\0" * 4
        row, col = struct.unpack("!HH", answer)
        assert row, "the terminal did not answer"
        return row, col

    def close(self) -> None:
        self._peer.close()
        self._listener.close()


class Ours:
    """A session of the workplace."""

    def __init__(self, connection: Connection, folder: Path) -> None:
        self._link = connection
        self.feed = _Feed(folder)
        self.session = create(connection, self.feed.command, cols=COLS, rows=ROWS)
        self.feed.accept()

    def rows(self) -> tuple[Cells, ...]:
        """Return the screen's cells, and hold that `capture` gives the same text."""
        top = self._lines(0, 0)["screen_line"]
        rows = self._lines(top, top + ROWS)["rows"]
        order = messages.Capture(id=0, session=self.session)
        captured = self._link.request(order, timeout=PATIENCE).text
        whole = "".join(
            "".join(text for text, _ in runs) + ("" if wrapped else "\n") for wrapped, runs in rows
        )
        assert [line.rstrip() for line in captured.rstrip().split("\n")] == [
            line.rstrip() for line in whole.rstrip().split("\n")
        ]
        return tuple(_trimmed([c for run in runs for c in _run(*run)]) for _, runs in rows)

    def _lines(self, start: int, stop: int) -> dict[str, Any]:
        order = messages.Lines(id=0, session=self.session, start=start, stop=stop)
        return plain(self._link.request(order, timeout=PATIENCE))


class Tmux:
    """A pane of a tmux server of its own."""

    def __init__(self, folder: Path) -> None:
        self.feed = _Feed(folder)
        self._label = f"ng-{uuid.uuid4().hex[:10]}"
        size = ("-x", str(COLS), "-y", str(ROWS))
        self._tmux("-f", "/dev/null", "-u", "new-session", "-d", *size, self.feed.command)
        self._tmux("set", "-g", "status", "off", ";", "resize-window", *size)
        self.feed.accept()

    def rows(self) -> tuple[Cells, ...]:
        """Return the pane's cells."""
        lines = self._tmux("capture-pane", "-p").split("\n")[:ROWS]
        return tuple(_trimmed(_spread(line)) for line in lines)

    def close(self) -> None:
        """End the server."""
        self.feed.close()
        self._tmux("kill-server", check=False)

    def _tmux(self, *arguments: str, check: bool = True) -> str:
        env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "TMUX_PANE")}
        done = subprocess.run(
            ["tmux", "-L", self._label, *arguments],
            capture_output=True, check=check, env=env | {"LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        return done.stdout.decode()


class Pair:
    """Both of them."""

    def __init__(self, ours: Ours, tmux: Tmux) -> None:
        self.ours, self.tmux = ours, tmux

    def show(self, data: bytes) -> tuple[Shown, Shown]:
        """Return what we show of `data` on a clean screen, and what tmux does."""
        for peer in (self.ours, self.tmux):
            peer.feed.send(CLEAN + data)
        cursors = [peer.feed.cursor() for peer in (self.ours, self.tmux)]
        return Shown(self.ours.rows(), cursors[0]), Shown(self.tmux.rows(), cursors[1])


@contextmanager
def pair() -> Iterator[Pair]:
    """Give both terminals, of the same size."""
    with ExitStack() as stack:
        place = stack.enter_context(workplace())
        connection = stack.enter_context(place.connect())
        tmux = Tmux(place.home)
        stack.callback(tmux.close)
        ours = Ours(connection, place.home)
        stack.callback(ours.feed.close)
        yield Pair(ours, tmux)


def inside(cursor: tuple[int, int]) -> tuple[int, int]:
    """Return the cursor as others report it: tmux counts a pending wrap as a column of its own."""
    return cursor[0], min(cursor[1], COLS)


def _run(text: str, unit: int) -> list[str]:
    if unit < 0:
        return [text, *[""] * (-unit - 1)]
    return [cell for char in text for cell in (char, *[""] * (unit - 1))]


def _spread(line: str) -> list[str]:
    """Return the cells of a line whose characters are as wide as everybody has them."""
    cells: list[str] = []
    for char in line:
        if (width := wcwidth(char)) > 0 or not cells:
            cells += [char, *[""] * (width - 1)]
        else:
            last = len(cells) - 1 if cells[-1] else len(cells) - 2
            cells[last] += char
    return cells


def _trimmed(cells: list[str]) -> Cells:
    while cells and cells[-1] == " ":
        cells.pop()
    return tuple(cells)
