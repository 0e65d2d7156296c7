"""The front end's connection to the orchestrator, made again when lost, with input kept meanwhile."""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import msgspec

from nagomi_tui.api import messages as m
from nagomi_tui.api.client import OTHER_VERSION
from nagomi_tui.system import paths
from nagomi_tui.view.common.io_thread import IoThread, LineSocket, Posts, connect
from nagomi_tui.view.common.translate import tr
from nagomi_worker.runtime.files import FileLock

KEEP_KEYS_SECONDS: Final = 5.0
"""Keys typed this long before a connection came back are still sent."""
KEEP_KEYS_BYTES: Final = 9 * 1024 * 1024


class KeptKeys:
    """Lines for the socket, in the order of typing: either all are sent, or all are dropped.

    The end of a command without its beginning would be another command. `on_dropped` is called
    with the number of lines that were dropped.
    """

    def __init__(self, on_dropped: Callable[[int], object]) -> None:
        self._on_dropped = on_dropped
        self._lines: deque[tuple[float, bytes]] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._lines)

    def keep(self, line: bytes) -> None:
        """Keep a line; if there are too many, they are dropped."""
        self._lines.append((time.monotonic(), line))
        self._bytes += len(line)
        if self._bytes > KEEP_KEYS_BYTES:
            self._drop()

    def take(self) -> list[bytes]:
        """Return the lines to be sent now, and forget them; if they are too old, they are dropped."""
        if self._lines and time.monotonic() - self._lines[0][0] > KEEP_KEYS_SECONDS:
            self._drop()
        lines = [line for _, line in self._lines]
        self._clear()
        return lines

    def _drop(self) -> None:
        dropped = len(self._lines)
        self._clear()
        self._on_dropped(dropped)

    def _clear(self) -> None:
        self._lines.clear()
        self._bytes = 0


LAUNCH_AFTER_SECONDS: Final = 0.3
_LAUNCH_AGAIN_SECONDS: Final = 10.0


class Launcher:
    """Starts the orchestrator in a thread, since that may take a second and keys must not wait.

    `on_failed` is called in that thread with the reason if it could not be started.
    """

    def __init__(
        self, launch: Callable[[], object] | None, on_failed: Callable[[Exception], object]
    ) -> None:
        self._launch = launch or _ensure_running
        self._on_failed = on_failed
        self._refused_since: float | None = None
        self._launching = False

    def answered(self) -> None:
        """Note that the orchestrator answers."""
        self._refused_since = None

    def refused(self) -> None:
        """Note that nobody answers; when that has lasted a while, start an orchestrator."""
        now = time.monotonic()
        if self._refused_since is None:
            self._refused_since = now
        elif now - self._refused_since > LAUNCH_AFTER_SECONDS and not self._launching:
            self._launching = True
            threading.Thread(target=self._run, name="nagomi-launch", daemon=True).start()

    def _run(self) -> None:
        pause = 0.0
        try:
            self._launch()
        except Exception as exc:
            pause = _LAUNCH_AGAIN_SECONDS
            self._on_failed(exc)
        finally:
            self._refused_since = time.monotonic() + pause
            self._launching = False


def _ensure_running() -> None:
    from nagomi_tui.api.launch import ensure_running  # rarely needed, and slow to import

    ensure_running()


Answered = TypeVar("Answered")
OnAnswer: TypeAlias = "Callable[[m.Done | m.Failed], object]"

COLORS_WITHIN_SECONDS: Final = 0.08
"""How long `hello` waits for the outer terminal to tell its colours."""
_RETRY_SECONDS: Final = 0.05
_TYPED: Final = (m.TypeText, m.Press, m.Paste)
_LOST_ID_CODE: Final = "disconnected"
_MISFIT_CODE: Final = "misfit"


class Link:
    """The front end's connection, and the IO thread that serves it.

    `on_message` gets every pushed message but frames, `on_connected` hears True and False, and
    `on_keys_dropped` how many keys were given up; all on the loop that called `start`. In the IO
    thread, `on_reload` is called when the front end is to be started anew.
    """

    def __init__(
        self,
        hello: m.Hello,
        *,
        address: Path | None = None,
        launch: Callable[[], object] | None = None,
    ) -> None:
        self.lock = threading.Lock()
        """Guards what the IO thread and Textual's loop both use of panes and of the terminal."""
        self.io = IoThread(self._failed)
        self.frame_writer: FrameOutput | None = None
        self.on_message: Callable[[m.ToClient], object] = lambda _message: None
        self.on_connected: Callable[[bool], object] = lambda _connected: None
        self.on_keys_dropped: Callable[[int], object] = lambda _count: None
        self.on_reload: Callable[[], object] = lambda: None
        self.on_error: Callable[[Exception], object] = _log
        self._hello = hello
        self._address = address
        self._launcher = Launcher(launch, self._launch_failed)
        self._posts = Posts(lambda error: self.on_error(error))
        self._socket: LineSocket | None = None
        self._welcomed = False
        self._resident = FileLock(paths.state_folder() / paths.ORCHESTRATOR_LOCK)
        self._stamped = (0, 0)
        """The stamp of the orchestrator's lock when it answered: a quit changes it."""
        self._leaving = False
        self._sinks: dict[int, FrameSink] = {}
        self._views = itertools.count(1)
        self._ids = itertools.count(1)
        self._answers: dict[int, OnAnswer] = {}
        self._kept = KeptKeys(self._dropped)
        self._focus = ""
        self._colors_until: float | None = None

    # --- life

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the IO thread; callbacks are made on `loop`, in the context of this call."""
        self._posts.open(loop)
        self.io.start()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Connect; callbacks are made on `loop`, in the context of this call."""
        self.open(loop)
        self.io.call(self._connect)

    def stop(self) -> None:
        """Close the connection and end the IO thread."""
        self._leaving = True
        self.io.call_and_wait(self._close)
        self.io.stop()

    def await_colors(self) -> None:
        """Hold `hello` back a moment: the outer terminal was asked for its colours."""
        self._colors_until = time.monotonic() + COLORS_WITHIN_SECONDS

    def have_colors(self) -> None:
        """Release `hello`: the terminal has told its colours, or will not. In the IO thread."""
        self._colors_until = None

    @property
    def background(self) -> int:
        """`0xRRGGBB` of the outer terminal's background, or -1 while it is not known."""
        return self._hello.background

    def set_colors(self, foreground: int, background: int) -> None:
        """Say what the outer terminal's colours are, in `hello` or later; in the IO thread."""
        before = self._hello.foreground, self._hello.background
        if self._socket is not None and before != (foreground, background):
            self._socket.send(m.encode(m.Colors(foreground=foreground, background=background)))
        self._hello = msgspec.structs.replace(
            self._hello, foreground=foreground, background=background
        )
        self.have_colors()

    def set_size(self, cols: int, rows: int) -> None:
        """Say in `hello` how large the outer terminal is."""
        self._hello = msgspec.structs.replace(self._hello, cols=cols, rows=rows)

    def post(self, work: Callable[[], object]) -> None:
        """Call `work` on Textual's loop soon, in the order of posting."""
        self._posts.post(work)

    def _failed(self, error: Exception) -> None:
        self.post(lambda: self.on_error(error))

    def fail_with(self, handler: Callable[[Exception], object]) -> None:
        """Call `handler` with errors in callbacks, unless another handler is set already."""
        if self.on_error is _log:
            self.on_error = handler

    # --- talking

    def send(self, message: m.Message) -> None:
        """Send a message, from any thread. What is typed is kept while there is no connection."""
        if self.io.inside:
            self._send(message)
        else:
            self.io.call(lambda: self._send(message))

    def send_taken(self, frames: Sequence[m.Taken]) -> None:
        """Acknowledge frames that were shown, all in one write; in the IO thread."""
        if frames and self._socket is not None and self._welcomed:
            self._socket.send(b"".join([m.encode(frame) for frame in frames]))

    def request(
        self, message: m.Request[Answered], on_done: Callable[[Answered | m.Failed], object]
    ) -> None:
        """Send a request under an id of our own; `on_done` gets its result on Textual's loop.

        Without a connection it gets `Failed` with the code `disconnected`.
        """
        numbered = msgspec.structs.replace(message, id=next(self._ids))

        def answered(answer: m.Done | m.Failed) -> None:
            result = _result(numbered, answer)
            self.post(lambda: on_done(result))

        self.io.call(lambda: self._ask(numbered, answered))

    def focus(self, session: str) -> None:
        """Say which session gets this front end's keys, or none."""
        self._focus = session
        self.send(m.Focus(session=session))

    def new_view(self) -> int:
        """Return a number for a view."""
        return next(self._views)

    def show(self, sink: FrameSink, view: int) -> None:
        """Give the frames of `view` to `sink`, and ask for them."""
        self._sinks[view] = sink
        if (wanted := sink.wanted()) is not None:
            self.send(wanted)

    def hide(self, view: int) -> None:
        """Ask for no more frames of `view`."""
        if self._sinks.pop(view, None) is not None:
            self.send(m.Unview(view=view))

    def _send(self, message: m.Message) -> None:
        if self._socket is not None and self._welcomed:
            self._socket.send(m.encode(message))
        elif isinstance(message, _TYPED):
            self._kept.keep(m.encode(message))
        elif (
            not isinstance(message, (m.View, m.Unview, m.Focus, m.Taken, m.Point)) and self._socket
        ):
            self._socket.send(m.encode(message))

    def _ask(self, message: m.Request[Any], answered: OnAnswer) -> None:
        if self._socket is None:
            answered(_lost(message.id))
            return
        self._answers[message.id] = answered
        self._socket.send(m.encode(message))

    # --- connecting

    def _connect(self) -> None:
        if self._leaving or self._socket is not None:
            return
        if self._colors_until is not None and time.monotonic() < self._colors_until:
            self.io.after(0.005, self._connect)
            return
        try:
            connection = connect(self._address)
        except OSError:
            self._launcher.refused()
            self.io.after(_RETRY_SECONDS, self._connect)
            return
        self._launcher.answered()
        self._stamped = self._resident.stamped()
        self._socket = LineSocket(
            connection, self.io, on_line=self._heard, on_closed=self._disconnected
        )
        self._socket.send(m.encode(self._hello))

    def _launch_failed(self, error: Exception) -> None:
        _log(error)
        told = (
            tr(error.sentence, **error.values)
            if isinstance(error, paths.PlaceError)
            else str(error)
        )
        notice = m.Notice(kind="error", text=told)
        self.post(lambda: self.on_message(notice))

    def _disconnected(self) -> None:
        self._socket = None
        was_up, self._welcomed = self._welcomed, False
        answers, self._answers = self._answers, {}
        for number, answered in answers.items():
            answered(_lost(number))
        if was_up:
            self.post(lambda: self.on_connected(False))
        if was_up and not self._leaving and self._resident.was_stamped(self._stamped):
            self._leaving = True  # it was quit, and its word did not come through
            self.post(lambda: self.on_message(m.Goodbye(reason="quit")))
        if not self._leaving:
            self._connect()

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    # --- listening

    def _heard(self, line: bytes) -> None:
        try:
            message = m.decode_to_client(line)
        except m.BadMessage as exc:
            _log(exc)  # an orchestrator of another version may say more than we know
            return
        if isinstance(message, m.Frame):
            self._framed(message)
        elif isinstance(message, (m.Done, m.Failed)):
            if (answered := self._answers.pop(message.id, None)) is not None:
                answered(message)
        else:
            if isinstance(message, m.Welcome):
                self._greeted()
            elif isinstance(message, m.Goodbye) and message.reason != "reload":
                self._leaving = True
            elif isinstance(message, m.Goodbye):
                self.on_reload()
            self._posts.post(lambda: self.on_message(message), instead=m.newest_key(message))

    def _greeted(self) -> None:
        """Ask again for everything that is on screen, then send what was typed meanwhile."""
        connection = self._socket
        if connection is None:
            return
        self._welcomed = True
        for sink in list(self._sinks.values()):
            if (wanted := sink.wanted()) is not None:
                connection.send(m.encode(wanted))
        if self._focus:
            connection.send(m.encode(m.Focus(session=self._focus)))
        for line in self._kept.take():
            connection.send(line)
        self.post(lambda: self.on_connected(True))

    def _dropped(self, count: int) -> None:
        self.post(lambda: self.on_keys_dropped(count))

    def _framed(self, frame: m.Frame) -> None:
        self.io.touch()
        sink = self._sinks.get(frame.view)
        if sink is not None and sink.take(frame):
            if self.frame_writer is not None and self.frame_writer.changed(sink, frame.frame):
                return
            sink.tell()
        self._send(m.Taken(view=frame.view, frame=frame.frame))


def _result(request: m.Request[Answered], answer: m.Done | m.Failed) -> Answered | m.Failed:
    """Return the answer to a request; one that has not the declared type counts as a failure."""
    if isinstance(answer, m.Failed):
        return answer
    try:
        return m.result_of(request, answer)
    except m.BadMessage as exc:
        _log(exc)
        return m.Failed(id=request.id, message=tr(OTHER_VERSION), code=_MISFIT_CODE)


def _lost(number: int) -> m.Failed:
    return m.Failed(
        id=number, message="The connection to nagomi's orchestrator was lost.", code=_LOST_ID_CODE
    )


def _log(error: Exception) -> None:
    logging.getLogger(__name__).error("the front end's link failed", exc_info=error)


class FrameSink(Protocol):
    """Receives the frames of one view, as a pane's buffer does."""

    @property
    def view(self) -> int:
        """The view's number on the socket."""

    def wanted(self) -> m.View | None:
        """Return the view as it is to be asked for, or None while it is not shown."""

    def take(self, frame: m.Frame) -> bool:
        """Apply a frame, in the IO thread; return False if it belongs to another session."""

    def tell(self) -> None:
        """Have Textual show what changed."""


class FrameOutput(Protocol):
    """Paints panes without Textual, as the frame writer does."""

    def changed(self, sink: FrameSink, frame: int) -> bool:
        """Note that a pane is to be painted; return False if Textual must do that."""

    def repaint(self, sink: FrameSink) -> bool:
        """Paint a pane whose marks have changed; return False if Textual must do that."""
