"""Textual's driver over our own input and output layers.

Input: the IO thread reads the terminal's bytes. While a session has the keys they go straight to
the orchestrator; otherwise they become Textual's events. Output: Textual's frames and the
frame writer's go through one terminal writer, whole frames at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import gc
import os
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from textual import events
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Offset, Size
from textual.message import Message as TextualMessage
from textual.messages import TerminalSupportsSynchronizedOutput

from nagomi_tui.alerts.outer_terminal import CLICKED
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.driver import modes, starter
from nagomi_tui.view.driver.frame_writer import FrameWriter, LayoutReader
from nagomi_tui.view.driver.routed_input import RoutedInput
from nagomi_tui.view.driver.terminal_writer import FramePace, TerminalWriter
from nagomi_tui.view.driver.tokens import Kind, Patience, TerminalInput, Token

assert not WINDOWS

_FINISH_SECONDS: Final = 1.0
"""How long leaving waits for a terminal that takes nothing."""


class NagomiDriver(LinuxDriver):
    """Drives an app that has a `link`; `App(driver_class=NagomiDriver)`."""

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        textual_private.draw_as_nagomi()
        link: Link = app.link  # type: ignore[attr-defined]
        self.link = link
        self._near = False
        """Motion of the mouse is reported always, which costs little on this line."""
        self.farewell = ""
        """What is written, besides, when the terminal is given back."""
        self.frame_writer: FrameWriter | None = None
        self._terminal: TerminalWriter | None = None
        self._layout = LayoutReader(app)
        self._input = TerminalInput(
            self.fileno, link.io, on_tokens=self._route, on_end=lambda: self._exit(signal.SIGHUP)
        )
        self.routed = RoutedInput(link, self.process_message, lambda: self.frame_writer)
        self.replies = TerminalReplies(
            link, self.process_message, lambda: self.frame_writer, self._input.patience
        )
        self._router = self.routed.router
        self._frame: list[str] | None = None
        self._requested = modes.requested(None)
        self._collector: QuietCollector | None = None
        self._painting = True

    # --- for screens

    def watch_motion(self, near: bool) -> None:
        """Have every mouse motion reported if the terminal is `near`, that is, not remote."""
        self._near = near
        self.link.io.call(self._request_modes)

    def keys_to(self, session_id: str | None) -> None:
        """Give the keys to a session, or back to Textual."""
        session = session_id or ""
        self._router.session = session
        if self.frame_writer is not None:
            self.frame_writer.give_cursor(session)
        self.link.focus(session)
        self.link.io.call(self._request_modes)

    def set_painter(self, name: str) -> None:
        """Paint by ourselves (`direct`), or leave it to Textual (`textual`)."""
        self._painting = name != "textual"
        if self.frame_writer is not None:
            self.frame_writer.enabled = self._painting

    def to_terminal(self, data: str) -> bool:
        """Write something that is not drawn, such as for the clipboard; from any thread."""
        frame_writer = self.frame_writer
        if frame_writer is not None:
            frame_writer.write(data)
        return frame_writer is not None

    # --- Textual's side: output

    def write(self, data: str) -> None:
        """Take in what Textual writes; its frames are written whole, with the frame writer's."""
        frame_writer = self.frame_writer
        if frame_writer is None:
            return
        if data == textual_private.SYNC_START:
            self._frame = [data]
            if (cell := frame_writer.cursor_cell()) is not None:
                self._app.cursor_position = Offset(*cell)
            return
        if self._frame is not None:
            self._frame.append(data)
            if data != textual_private.SYNC_END:
                return
            data, self._frame = "".join(self._frame), None
        frame_writer.commit(data, self._layout.look())

    def flush(self) -> None:
        """Nothing waits here."""

    # --- life

    def start_application_mode(self) -> None:
        """Take the terminal over."""
        self._own_signals()
        loop = asyncio.get_running_loop()
        self.link.open(loop)
        self.link.fail_with(lambda error: textual_private.fail(self._app, error))
        self.link.on_reload = self._input.leave_rest
        self._terminal = TerminalWriter(
            self._file.fileno() if self._file else self.fileno, self.link
        )
        far = "SSH_CONNECTION" in os.environ
        self.frame_writer = FrameWriter(
            self.link,
            self._terminal,
            truecolor=self._app.console.color_system == "truecolor",
            pace=FramePace() if far else None,
        )
        self.frame_writer.enabled = self._painting
        self.frame_writer.give_cursor(self._router.session)
        self._requested = modes.requested(None)
        self.link.frame_writer = self.frame_writer
        self._send_size()
        self._raw()
        self.frame_writer.write(modes.enter(mouse=self._mouse))
        self.replies.await_colors()
        self.link.io.on_turn += [self.frame_writer.turn, self._follow_modes]
        self.link.io.call(self._request_modes)
        self._input.start(cooked=self._typed_early())
        self._collector = QuietCollector(loop, lambda: self.link.io.last_activity)
        if self._must_signal_resume:
            self._must_signal_resume = False
            self.send_message(self.SignalResume())

    def disable_input(self) -> None:
        if self._input.stop():
            with contextlib.suppress(termios.error):
                termios.tcflush(self.fileno, termios.TCIFLUSH)

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was."""
        if self.frame_writer is None or self._terminal is None:
            return
        self.disable_input()
        if self._collector is not None:
            self._collector.stop()
        self.link.frame_writer = None
        self.link.io.call_and_wait(self._stop_painting)
        with self.link.lock:
            self._terminal.write((self.farewell + modes.leave(mouse=self._mouse)).encode())
            self._terminal.finish(_FINISH_SECONDS)
            self._terminal.close()
        self.frame_writer = self._terminal = None
        if self.attrs_before is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)

    def close(self) -> None:
        """Nothing is left to be closed."""

    def _raw(self) -> None:
        """Have the terminal hand over every byte as it comes."""
        try:
            self.attrs_before = termios.tcgetattr(self.fileno)
            attrs = termios.tcgetattr(self.fileno)
        except termios.error:
            self.attrs_before = None
            return
        erase = attrs[tty.CC][termios.VERASE]
        self._router.erase = 8 if erase == b"\x08" else 127
        attrs[tty.LFLAG] = self._patch_lflag(attrs[tty.LFLAG])
        attrs[tty.IFLAG] = self._patch_iflag(attrs[tty.IFLAG])
        attrs[tty.CC][termios.VMIN] = 1
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self.fileno, termios.TCSANOW, attrs)

    def _typed_early(self) -> int:
        """Return how many bytes were typed while Enter still meant a line feed."""
        if self.attrs_before is None or not self.attrs_before[tty.IFLAG] & termios.ICRNL:
            return 0
        with contextlib.suppress(OSError):
            return int.from_bytes(
                fcntl.ioctl(self.fileno, termios.FIONREAD, bytes(4)), sys.byteorder
            )
        return 0

    def _own_signals(self) -> None:
        """Handle signals on the loop, where no lock is held."""
        loop = asyncio.get_running_loop()
        for number, work in (
            (signal.SIGWINCH, self._send_size),
            (signal.SIGTERM, lambda: self._exit(signal.SIGTERM)),
            (signal.SIGHUP, lambda: self._exit(signal.SIGHUP)),
            (signal.SIGTSTP, self._sigtstp_application),
            (signal.SIGCONT, self._continued),
        ):
            with contextlib.suppress(ValueError, RuntimeError):
                loop.add_signal_handler(number, work)

    def _exit(self, number: signal.Signals) -> None:
        """End as one does whom this signal has ended; for any thread."""
        self.link.post(lambda: self._app.exit(return_code=128 + number))

    def _sigtstp_application(self, *_: object) -> None:
        """Stop, as Textual does; another process may have to do so in our place."""
        if self._auto_restart:
            self.suspend_application_mode()
            self._must_signal_resume = True
        starter.current.stop()

    def _continued(self) -> None:
        if self.frame_writer is None:
            self._sigcont_application()
            self._app.refresh(layout=True)

    def _send_size(self) -> None:
        width, height = self._get_terminal_size()
        self.link.set_size(width, height)
        size = Size(width, height)
        self.send_message(events.Resize(size, size))

    def send_message(self, message: TextualMessage) -> None:
        """Give the app a message, in order with everything else that the IO thread posts."""
        self.link.post(lambda: self._app.post_message(message))

    # --- the IO thread

    def _stop_painting(self) -> None:
        self.link.io.on_turn.clear()
        if self._terminal is not None:
            self._terminal.unwatch()

    def _route(self, tokens: list[Token]) -> None:
        for token in tokens:
            if token.kind is Kind.REPLY:
                self.replies.take(token.data)
            elif token.kind is Kind.FOCUS:
                self._focused(token.data.endswith(b"I"))
            else:
                self._router.take(token)

    def _focused(self, focused: bool) -> None:
        self.replies.focus(focused=focused)
        if self._router.session:
            self.link.focus(self._router.session if focused else "")

    def _follow_modes(self) -> None:
        """See whether the child that has the keys has asked for other modes than before."""
        if self.frame_writer is not None and self.frame_writer.modes_changed:
            self.frame_writer.modes_changed = False
            self._request_modes()

    def _request_modes(self) -> None:
        """Ask the terminal for what the child that has the keys has asked of its own."""
        frame_writer = self.frame_writer
        if frame_writer is None:
            return
        pane = frame_writer.watched(self._router.session)
        now = modes.requested(pane.modes if pane else None, near=self._near)
        if now != self._requested:
            frame_writer.write(modes.requests(self._requested, now))
            self._requested = now


def driver_of(app: App[Any]) -> NagomiDriver | None:
    """Return the app's driver, or None where it runs without a terminal of its own."""
    driver = textual_private.driver_of(app)
    return driver if isinstance(driver, NagomiDriver) else None


_QUIET_SECONDS: Final = 1.0
_CALM_SECONDS: Final = 6.0
"""Seconds between two checks, once there was no activity for as long."""
_MOST_SECONDS: Final = 60.0
"""Seconds after which garbage is collected even under activity; Textual leaves reference cycles."""
_SHARE: Final = 0.02
"""Most of the time that collecting may take: it is long where there are a thousand sessions."""
_THRESHOLDS: Final = (50_000, 50, 50)
_SWITCH_SECONDS: Final = 0.0005
"""Seconds for which a busy loop may keep the IO thread from running."""


def settle() -> None:
    """Exempt all that is loaded from collection; to be called once everything is mounted."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


class QuietCollector:
    """Collects when there was no input and no output for a second, and there is something to do."""

    def __init__(self, loop: asyncio.AbstractEventLoop, last_activity: Callable[[], float]) -> None:
        self._loop = loop
        self._last_activity = last_activity
        self._collected = time.monotonic()
        self._handle = loop.call_later(_QUIET_SECONDS, self._first)

    def stop(self) -> None:
        """Stop collecting, and restore the interpreter's own settings."""
        self._handle.cancel()
        gc.unfreeze()
        gc.set_threshold(700, 10, 10)

    def _first(self) -> None:
        settle()
        self._again(_QUIET_SECONDS)

    def _again(self, pause: float) -> None:
        self._handle = self._loop.call_later(pause, self._look)

    def _look(self) -> None:
        now = time.monotonic()
        silence = now - self._last_activity()
        quiet = silence > _QUIET_SECONDS
        spent = 0.0
        if sum(gc.get_count()) > 2_000 and (quiet or now - self._collected > _MOST_SECONDS):
            gc.collect()
            self._collected = now
            spent = time.monotonic() - now
        pause = _CALM_SECONDS if silence > _CALM_SECONDS else _QUIET_SECONDS
        self._again(max(pause, spent / _SHARE))


_STATUS: Final = b"\x1b[0n"
_SCHEME: Final = b"\x1b[?997;"


@dataclass(eq=False)
class TerminalReplies:
    """Takes replies in the IO thread, and hands each to those whom it concerns."""

    link: Link
    to_textual: Callable[[TextualMessage], object]
    frame_writer: Callable[[], FrameWriter | None]
    patience: Patience

    def __post_init__(self) -> None:
        self.on_told: Callable[[str, str], object] = lambda _kind, _text: None
        """Hears, on Textual's loop, of the terminal's `focus` and `version`, of what was `clicked`,
        with its text, and of other `colors`."""
        self._colors: dict[int, int] = {}
        self._entering = False
        """Whether the queries sent at the start are unanswered."""

    def await_colors(self) -> None:
        """The terminal was asked for what it can, and for its status behind that."""
        self._entering = True
        self.link.await_colors()

    def focus(self, *, focused: bool) -> None:
        """Tell that the terminal has the keyboard's focus, or no longer."""
        self.to_textual(events.AppFocus() if focused else events.AppBlur())
        self._tell("focus", "in" if focused else "")

    def take(self, data: bytes) -> None:
        """Handle a reply; one that nobody asked for is ignored."""
        if data == _STATUS:
            self._status()
        elif data.startswith(b"\x1b[?2026;") and data[-3:-2] in b"123":
            if (frame_writer := self.frame_writer()) is not None:
                frame_writer.synchronized = True
            self.to_textual(TerminalSupportsSynchronizedOutput())
        elif data.startswith(_SCHEME):
            self._colors.clear()
            if (frame_writer := self.frame_writer()) is not None:
                frame_writer.write(modes.COLORS_QUERY)
        elif name := modes.name_reply(data):
            self._tell("version", name)
        elif click := CLICKED.match(data):
            self._tell("clicked", click[1].decode())
        elif (color := modes.color_reply(data)) is not None:
            self._colors[color[0]] = color[1]
            if len(self._colors) == 2:
                self.link.set_colors(self._colors[10], self._colors[11])
                if not self._entering:
                    self._tell("colors", "")

    def _status(self) -> None:
        """The first one ends the replies of the beginning; the others end a frame each."""
        if self._entering:
            self._entering = False
            self.link.have_colors()
            return
        frame_writer = self.frame_writer()
        if frame_writer is not None and (trip := frame_writer.answered()) is not None:
            self.patience.measured(trip)

    def _tell(self, kind: str, text: str) -> None:
        self.link.post(lambda: self.on_told(kind, text))
