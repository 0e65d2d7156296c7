"""One command on one PTY in the worker, from its start to its end."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from typing import Final

from nagomi_worker.confine.interface import Confinement
from nagomi_worker.pty.interface import READ_BYTES, Ended, Pty, Tree
from nagomi_worker.runtime.limits import Grace, WorkerFault
from nagomi_worker.runtime.loop import Loop, Timer
from nagomi_worker.sessions.reading_thread import ReadingThread
from nagomi_worker.sessions.ring import Ring
from nagomi_worker.wire.framing import Chunker
from nagomi_worker.wire.messages import SessionState
from nagomi_worker.wire.protocol import Checkpoint, Exit, SendInput

HALF_LIFE: Final = 0.05
"""Seconds after which output counts half."""


class Pace:
    """An exponentially decaying sum of bytes.

    The size of a single read says little: at first a flood, too, is read in small pieces, before
    its writer has filled the PTY's buffer.
    """

    def __init__(self) -> None:
        self._sum = 0.0
        self._at = float("-inf")

    def add(self, size: int, now: float) -> float:
        """Return the sum after `size` more bytes."""
        self._sum = self._sum * 0.5 ** ((now - self._at) / HALF_LIFE) + size
        self._at = now
        return self._sum


SLICE_READS: Final = 4
"""Reads of one PTY in a turn, before the next session has its own."""
ALONE_READS: Final = 32
"""Reads of one PTY in a turn while no other session prints, for fewer and larger messages."""
INPUT_LIMIT: Final = 64 * 1024 * 1024
"""Most bytes of input that wait for the command to read them: eight of the longest pastes."""
RESIZED_SECONDS: Final = 0.03
"""Seconds for which input waits behind a resize: told of both at once, less loses the key."""
CHECKPOINT_LIMIT: Final = 64 * 1024 * 1024
_SHORT_READ: Final = READ_BYTES // 2
_DRAIN: Final = 128 * 1024
"""Bytes read after the command's end that are more than the kernel buffers for a PTY."""


class TooMuch(WorkerFault):
    """Input or a checkpoint is larger than a session keeps."""


class Session:
    """State of one session; `Delivery` decides what is sent to whom."""

    def __init__(self, session_id: str, pty: Pty, tree: Tree, cols: int, rows: int) -> None:
        self.session_id = session_id
        self.cmd = ""
        self.cwd = ""
        """The folder that its command was started in."""
        self.note = ""
        self.pty: Pty | None = pty
        self.pid = pty.pid
        self.tree = tree
        self.cols, self.rows = cols, rows
        self.confined: Confinement | None = None
        """What the kernel holds of it."""
        self.ring = Ring(cols, rows)
        self.pace = Pace()
        self.rest_seconds = 0.0
        """Seconds between reads that are enough while it prints little and was not typed into."""
        self.last_rest = 0.0
        """How long it rested after the latest read."""
        self.typed_at = float("-inf")
        self.reply_offset = 0
        self.replies: list[SendInput] = []
        """Replies of the terminal that wait for their reader."""
        self.typed = 0
        """The number of the last input that had one."""
        self.parts: deque[str] = deque(maxlen=64)
        """Names of the last inputs that had one."""
        self.acked = 0
        self.unheard: int | None = None
        """What the last orchestrator had acknowledged when it went; None after another `ack`."""
        self.cursor: int | None = None
        """Number of the ring entry to send next; None if the peer has not attached."""
        self.ended: Ended | None = None
        self.exit: Exit | None = None
        """The message on the command's end, once all output was read; `exit_due`: not yet sent."""
        self.exit_due = False
        self.stop: Stop | None = None
        self.stopped = False
        """A stop has begun before its end was told."""
        self.packing: Timer | None = None
        """Timer that compresses the output when nothing follows it."""
        self._chunker = Chunker()
        self._input = bytearray()
        self.input_waits = False
        """The command is to learn of its size before it reads more."""
        self._parts: list[Checkpoint] = []
        self.hung_up = False
        """No process has the other side of the PTY open at the moment."""
        self._dry = False
        self._drained = 0
        self.thread: ReadingThread | None = None
        """Reads the PTY while it floods."""

    @property
    def caught_up(self) -> bool:
        """Tell whether a peer is attached and was sent everything in the ring."""
        return self.cursor is not None and self.cursor >= self.ring.end

    @property
    def settled(self) -> bool:
        """Tell whether nothing of it waits to be sent."""
        return self.caught_up and not self.exit_due

    @property
    def has_input(self) -> bool:
        """Tell whether input waits to be written to the PTY."""
        return bool(self._input) and not self.input_waits

    @property
    def all_in(self) -> bool:
        """Tell whether the command has ended and its output was read completely."""
        if self.ended is None or self.thread is not None:
            return False
        return self.pty is None or self.hung_up or self._dry or self._drained >= _DRAIN

    def state(self) -> SessionState:
        """Return the session as the message `sessions` lists it."""
        return SessionState(
            session_id=self.session_id,
            pid=self.pid,
            cols=self.cols,
            rows=self.rows,
            next_offset=self.ring.end_offset,
            exit_code=self.exit.exit_code if self.exit else None,
            signal=self.exit.signal if self.exit else None,
            cmd=self.cmd,
            note=self.note,
            writable=self.confined.report.writable if self.confined else None,
            typed=self.typed,
            parts=tuple(self.parts),
        )

    def read_slice(self, credit: int, now: float, reads: int) -> int:
        """Read at most `credit` bytes in at most `reads` reads; return how many there were.

        Each read is taken in before the next: the kernel fills its small buffer meanwhile, and the
        next read need not wait for that. What a thread has read is taken instead while there is one.
        """
        size = 0
        self._dry = False
        if self.thread is not None:
            if self.ended is not None:
                self.thread.end()
            is_over, piece = self.thread.over, self.thread.take(min(reads * READ_BYTES, credit))
            self._take_in(piece, now)
            if piece or not is_over:
                return len(piece)
            self.thread, self._drained = None, 0
        for _ in range(min(reads, credit // READ_BYTES)):
            piece = self._read()
            if not piece:
                break
            size += len(piece)
            self._take_in(piece, now)
            if len(piece) < _SHORT_READ and self.ended is None:
                break
        return size

    def read_in_a_thread(self) -> None:
        """Have a thread read the PTY for as long as it floods, where the system has such."""
        if sys.platform == "linux" and self.pty is not None and self.ended is None:
            self.thread = ReadingThread(self.pty)

    def give_up_character(self, now: float) -> None:
        """Put an incomplete character into the ring as it is."""
        if held := self._chunker.flush():
            self.ring.add(held, now)

    def type(self, data: bytes, now: float) -> None:
        """Queue input, and write at once what the PTY takes.

        Raises:
            TooMuch: the command does not read, and `INPUT_LIMIT` would be passed.
        """
        if len(self._input) + len(data) > INPUT_LIMIT:
            raise TooMuch("The command does not read its input. Stop it, or type less.")
        self.typed_at = now
        self._input += data
        self.write_input()

    def write_input(self) -> None:
        """Write as much of the queued input as the PTY takes, unless it is to wait."""
        while self.has_input and self.pty is not None:
            try:
                with memoryview(self._input) as view:
                    written = self.pty.write(view[:65536])
            except BlockingIOError:
                return
            del self._input[:written]
        if self.pty is None:
            self._input.clear()

    def resize(self, cols: int, rows: int, now: float) -> None:
        """Set the size of the PTY, in cells, and note it in the ring."""
        if self.pty is not None and (cols, rows) != (self.cols, self.rows):
            if self.thread is not None:
                self._take_in(self.thread.take(self.thread.held), now)
            self.pty.resize(cols, rows)
            self.cols, self.rows = cols, rows
            self.ring.resize(cols, rows)
            self.input_waits = True

    def save(self, part: Checkpoint) -> None:
        """Collect the parts of a checkpoint, and add it to the ring with the last one.

        Raises:
            BadCheckpoint: its offset is not the end of a chunk.
            TooMuch: it is larger than `CHECKPOINT_LIMIT`.
        """
        if self._parts and self._parts[0].offset != part.offset:
            self._parts.clear()
        self._parts.append(part)
        if sum(len(one.data) for one in self._parts) > CHECKPOINT_LIMIT:
            self._parts.clear()
            raise TooMuch("A checkpoint is too large to be kept; it was dropped.")
        if not part.more:
            parts, self._parts = tuple(self._parts), []
            self.ring.save(parts)

    def drop_parts(self) -> None:
        """Forget the parts of a checkpoint whose rest will not come."""
        self._parts.clear()

    def close(self) -> None:
        if self.pty is not None:
            if self.thread is not None:
                self.thread.join()
            self.pty.close()
            self.pty = None

    def _read(self) -> bytes:
        """Return a piece of output; `b""` if there is none now, or the terminal is gone."""
        if self.pty is None:
            return b""
        try:
            piece = self.pty.read(READ_BYTES - self._chunker.held)
        except BlockingIOError:
            self._dry = True
            return b""
        self.hung_up = not piece
        return piece

    def _take_in(self, data: bytes, now: float) -> None:
        if self.ended is not None:
            self._drained += len(data)
        for chunk in self._chunker.feed(data):
            self.ring.add(chunk, now)


_POLL: Final = 0.05
"""Seconds between checks for remaining processes: only children report their end by SIGCHLD."""


class Stop:
    """One stop in progress; `done` is called once, from the loop, when it is over."""

    def __init__(self, loop: Loop, tree: Tree, grace: Grace, done: Callable[[], None]) -> None:
        self._loop = loop
        self._tree = tree
        self._done = done
        self._steps = [("HUP", grace.hup), ("TERM", grace.term)]
        self._kill = ("KILL", grace.kill)
        self._give_up_at = loop.now() + grace.hup + grace.term + grace.give_up
        self._next_step_at = 0.0
        self._timer: Timer | None = None
        self._next_step()

    def check(self) -> None:
        """Finish if no process is left, else send the next signal if it is due.

        Called when a child has ended, and by a timer.
        """
        if self._timer is None:
            return
        self._timer.cancel()
        if not self._tree.any_left() and not self._tree.look():
            self._finish()
        elif self._loop.now() >= self._next_step_at:
            self._next_step()
        else:
            self._wait()

    def _next_step(self) -> None:
        if not self._tree.look() or self._loop.now() > self._give_up_at:
            self._finish()
            return
        step, grace = self._steps.pop(0) if self._steps else self._kill
        self._tree.send(step)
        self._next_step_at = self._loop.now() + grace
        self._wait()

    def _wait(self) -> None:
        left = max(0.0, self._next_step_at - self._loop.now())
        self._timer = self._loop.call_later(min(_POLL, left), self.check)

    def _finish(self) -> None:
        self._timer = None
        self._loop.call_later(0, self._done)
