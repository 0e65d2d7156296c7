"""A real terminal for `pane_app`: a PTY whose stream is replayed into our own engine."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import threading
from typing import TYPE_CHECKING, Any

from nagomi_tui.api.messages import Goodbye, Message, Notice, Seen, View
from nagomi_tui.terminal.ghostty.engine import GhosttyEngine
from nagomi_tui.text.rows import BLANK, PLAIN, Cursor, Modes, Row, Style, crop
from tests.helpers.front_socket import FrontSocket, frame_of
from tests.helpers.pane_app import SESSIONS
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def cells(row: Row, width: int) -> list[tuple[str, Style]]:
    """Return a row's cells; blanks look alike however they were written."""
    found: list[tuple[str, Style]] = []
    for run in crop(row, 0, width).runs:
        texts = [run.text] if run.unit < 0 else list(run.text)
        size = -run.unit if run.unit < 0 else run.unit
        for text in texts:
            found += [(text, run.style), *[("", run.style)] * (size - 1)]
    return found + [(" ", PLAIN)] * (width - len(found))


class PaneTerminal:
    """The app, its terminal, and its orchestrator."""

    def __init__(
        self,
        repository: Path,
        *,
        painter: str = "direct",
        cols: int = 100,
        rows: int = 31,
        env: dict[str, str] | None = None,
    ) -> None:
        self.front = FrontSocket()
        self.engine = GhosttyEngine(cols, rows)
        self.stream = bytearray()
        self.cols, self.rows = cols, rows
        self.rows_of: dict[str, dict[int, Row]] = {session: {} for session in SESSIONS}
        self.modes: dict[str, Modes] = {}
        self.cursors: dict[str, Cursor] = {}
        self.reports: list[list[Any]] = []
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._screens = threading.Lock()
        """Held while a screen is changed and sent, or a view is answered: newest goes last."""
        self._paused = threading.Event()
        self.mute = False
        """The terminal answers nothing."""
        self.front.on_heard = self._heard
        self.master, slave = pty.openpty()
        self._set_size()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.helpers.pane_app", str(self.front.address), painter],
            cwd=repository,
            env=os.environ
            | {"COLORTERM": "truecolor", "PYTHONPATH": str(repository)}
            | (env or {}),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self._pump = threading.Thread(target=self._run, daemon=True)
        self._pump.start()

    def __enter__(self) -> PaneTerminal:
        until(lambda: len(self.front.views) == 4, "four views")
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._pump.join(timeout=5)
        os.close(self.master)
        self.front.__exit__()

    def start_over(self) -> None:
        """Forget what was heard, and leave the keys with Textual."""
        for session in SESSIONS:
            self.show(session, [], cursor=Cursor(), modes=Modes())
        self.do("keys ")
        until(lambda: self.said("keys", ""), "keys for Textual")
        self.look()
        self.reports.clear()
        self.front.heard.clear()
        with self._lock:
            self.stream.clear()

    # --- the terminal

    def type(self, data: bytes) -> None:
        """Type bytes, all of them."""
        while data:
            select.select([], [self.master], [], 5)
            data = data[os.write(self.master, data[:4096]) :]

    def resize(self, cols: int, rows: int) -> None:
        """Give the terminal another size, as a window does."""
        self.cols, self.rows = cols, rows
        with self._lock:
            self.engine.resize(cols, rows)
        self._set_size()

    def pause(self) -> None:
        """Take nothing from the app until `go_on`."""
        self._paused.set()

    def go_on(self) -> None:
        """Take everything again."""
        self._paused.clear()

    def screen(self) -> list[Row]:
        """Return what the terminal shows."""
        with self._lock:
            return list(self.engine.screen())

    def _set_size(self) -> None:
        fcntl.ioctl(
            self.master, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.cols, 0, 0)
        )

    def _run(self) -> None:
        while True:
            if self._paused.is_set():
                if self.process.poll() is not None:
                    return
                select.select([], [], [], 0.01)
                continue
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            if not data:
                return
            with self._lock:
                self.stream += data
                # Without autowrap, libghostty joins a combining mark to what was in the last column
                # before, where its own character stands in the last but one.
                self.engine.feed(data.replace(b"\x1b[?7l", b""))
                replies = self.engine.take_replies()
            if replies and not self.mute:
                with contextlib.suppress(OSError):
                    os.write(self.master, replies)

    # --- the orchestrator

    def do(self, command: str) -> None:
        """Have the app do something."""
        self.front.send(Notice(kind="info", text=command))

    def quit(self) -> int:
        """Have the app end, and return its exit code."""
        self.front.send(Goodbye(reason="quit"))
        return self.process.wait(30)

    def show(
        self,
        session: str,
        rows: Sequence[tuple[int, Row]],
        *,
        cursor: Cursor | None = None,
        modes: Modes | None = None,
    ) -> None:
        """Change rows of a session, and send them."""
        with self._screens:
            self.rows_of[session] |= dict(rows)
            self.cursors[session] = cursor or self.cursors.get(session, Cursor())
            self.modes[session] = modes or self.modes.get(session, Modes())
            view = self.view(session)
            if view is not None:
                self._send(view, [(y, row) for y, row in rows if y < view.rows], full=False)

    def view(self, session: str) -> View | None:
        """Return the app's view of a session."""
        return next((v for v in list(self.front.views.values()) if v.session == session), None)

    def said(self, *beginning: object) -> list[list[Any]]:
        """Return the reports that begin so."""
        size = len(beginning)
        return [report for report in list(self.reports) if report[:size] == list(beginning)]

    def look(self) -> tuple[list[str], list[list[Any]], int]:
        """Return Textual's own picture of the screen, the panes' places, and frames painted."""
        tag = f"look {next(self._numbers)}"
        self.do(f"look {tag}")
        until(lambda: self.said("look", tag), tag)
        _, _, text, places, frames = self.said("look", tag)[0]
        return text, places, frames

    def _heard(self, message: Message) -> None:
        if isinstance(message, Seen):
            self.reports.append(json.loads(message.session))
        elif isinstance(message, View) and message.session in self.rows_of:
            with self._screens:
                self._send(message, list(self.rows_of[message.session].items()), full=True)

    def _send(self, view: View, rows: Sequence[tuple[int, Row]], *, full: bool) -> None:
        self.front.send(
            frame_of(
                view,
                [(y, crop(row, 0, view.cols)) for y, row in rows if y < view.rows],
                number=next(self._numbers),
                full=full,
                cursor=self.cursors.get(view.session),
                modes=self.modes.get(view.session),
            )
        )

    # --- comparing

    def differences(self) -> list[str]:
        """Return where the terminal shows something else than it should, cell for cell."""
        text, places, _ = self.look()
        shown = [cells(row, self.cols) for row in self.screen()]
        if len(text) != len(shown):
            return [f"{len(text)} lines instead of {len(shown)}"]
        wrong = []
        for y, line in enumerate(text):
            is_text = "".join(char for char, _ in shown[y])
            if is_text != line:
                wrong.append(f"line {y}: {is_text!r} instead of {line!r}")
        if not self.covered(text):
            wrong += self._wrong_panes(shown, places)
        return wrong

    def covered(self, text: list[str]) -> bool:
        """Whether something lies over the panes, whose own cells are then not compared."""
        return any("a dialog" in line or "toasted" in line for line in text)

    def _wrong_panes(
        self, shown: list[list[tuple[str, Style]]], places: list[list[Any]]
    ) -> list[str]:
        wrong = []
        for session, x, y, width, height, _ in places:
            for line in range(height):
                want = cells(self.rows_of[session].get(line, BLANK), width)
                have = shown[y + line][x : x + width]
                wrong += [
                    f"pane {session} {line}:{at}: {have[at]!r} instead of {want[at]!r}"
                    for at in range(width)
                    if have[at] != want[at]
                ]
        return wrong

    def settled(self, what: str) -> None:
        """Wait until the terminal shows what it should.

        Raises:
            AssertionError: it never did; the message tells where.
        """
        wrong: list[str] = []

        def same() -> bool:
            nonlocal wrong
            wrong = self.differences()
            return not wrong

        try:
            until(same)
        except TimeoutError:
            raise AssertionError(f"{what}: {len(wrong)} differences: {wrong[:12]}") from None
