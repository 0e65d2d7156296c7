"""The terminal's bytes on their way in, cut into tokens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from nagomi_tui.view.connection.io_thread import READ
from nagomi_tui.view.driver.tokens import Tokenizer
from nagomi_tui.view.driver.wait import Patience

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.connection.io_thread import IoThread, Timer
    from nagomi_tui.view.driver.tokens import Token

_READ_BYTES: Final = 64 * 1024


class TerminalInput:
    """Reads a terminal in the IO thread, where `on_tokens` and `on_end` are called, too."""

    def __init__(
        self,
        fd: int,
        io: IoThread,
        *,
        on_tokens: Callable[[list[Token]], object],
        on_end: Callable[[], object],
    ) -> None:
        self.patience = Patience()
        self._fd = fd
        self._io = io
        self._on_tokens = on_tokens
        self._on_end = on_end
        self._tokens = Tokenizer()
        self._flush_timer: Timer | None = None
        self._reading = False
        self._cooked = 0

    def start(self, *, cooked: int = 0) -> None:
        """Read from now on; for any thread.

        The first `cooked` bytes came while the terminal made each carriage return a line feed.
        """
        self._reading = True
        self._cooked = cooked
        self._tokens.kitty = False
        self._io.call(lambda: self._io.watch(self._fd, READ, self._readable))

    def stop(self) -> bool:
        """Stop reading; return whether it was being read. For any thread."""
        reading, self._reading = self._reading, False
        if reading:
            self._io.call_and_wait(self._unwatch)
        return reading

    def leave_rest(self) -> None:
        """Read no more: what is typed from now on is for who reads next. In the IO thread."""
        self._reading = False
        self._unwatch()

    def _readable(self, _events: int) -> None:
        try:
            data = os.read(self._fd, _READ_BYTES)
        except OSError:
            data = b""
        if not data:
            self._unwatch()
            self._on_end()
            return
        self._io.touch()
        early, data = data[: self._cooked], data[self._cooked :]
        self._cooked -= len(early)
        self._on_tokens(self._tokens.feed(early.replace(b"\n", b"\r") + data))
        self._wait_for_rest()

    def _wait_for_rest(self) -> None:
        if self._flush_timer is not None:
            self._flush_timer.cancel()
            self._flush_timer = None
        seconds = self.patience.seconds(self._tokens.waiting)
        if seconds is not None:
            self._flush_timer = self._io.after(seconds, self._no_rest)

    def _no_rest(self) -> None:
        self._flush_timer = None
        self._on_tokens(self._tokens.flush())
        self._wait_for_rest()

    def _unwatch(self) -> None:
        self._io.unwatch(self._fd)
