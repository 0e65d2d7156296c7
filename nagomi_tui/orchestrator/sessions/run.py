"""The state of one run of a session's command, and what is counted of its output."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import anyio
import msgspec

from nagomi_tui.judge import verdict
from nagomi_tui.judge.senses.processes import Sample
from nagomi_tui.orchestrator.sessions.screens import Screen
from nagomi_tui.orchestrator.workers.link import OutputBatch, WorkerLink, WorkerMessage
from nagomi_tui.terminal.cuts import LineEditing
from nagomi_tui.text.rows import ScreenEvent
from nagomi_tui.text.words import Said
from nagomi_worker.runtime.limits import HOT_SECONDS
from nagomi_worker.wire import protocol

MOST_PARTS: Final = 64
"""Pieces of texts whose names are remembered."""


class Inputs:
    """Numbers the input of a session, and keeps what may have been lost with a line."""

    def __init__(self) -> None:
        self._number = 0
        self._unsure: deque[protocol.SendInput] = deque()
        self.parts: deque[str] = deque(maxlen=MOST_PARTS)
        """Names of the pieces of texts that were typed already, of those that a client may send again."""

    @property
    def unsure(self) -> Iterable[protocol.SendInput]:
        """What must be sent again over a new line."""
        return tuple(self._unsure)

    def kept(self, session_id: str, text: str, part: str, *, raw: bool) -> protocol.SendInput:
        """Return the order to type this, which is kept until it was taken."""
        self._number += 1
        order = protocol.SendInput(
            session_id=session_id, text=text, number=self._number, part=part, raw=raw
        )
        self._unsure.append(order)
        return order

    def taken(self, number: int) -> None:
        """Note that the worker has taken the input up to this number."""
        self._number = max(self._number, number)
        while self._unsure and (self._unsure[0].number or 0) <= number:
            self._unsure.popleft()


class Replay(msgspec.Struct):
    """A terminal that is being rebuilt; nothing that it says is answered or rings."""

    attached: protocol.Attached
    parts: list[str]
    """The parts of the snapshot received so far, in base64."""
    replies: list[tuple[int, bytes]]
    """Answers to queries that are not answered yet, with the offsets of these queries."""
    marks: tuple[ScreenEvent, ...] = ()
    """The last marks by which a shell told of its commands (OSC 133)."""


class Run:
    """The state of one run. All of it is read for each piece of output, so these are plain fields.

    Times whose names end in `_at` are seconds since the epoch.
    """

    def __init__(self) -> None:
        self.worker = ""
        """Name of the worker that holds it, also while that is not connected."""
        self.link: WorkerLink | None = None
        self.screen: Screen | None = None
        self.agent_pid = 0
        """Process id of the agent whose hooks count; 0 if there is none."""
        self.agent_folder = ""
        """Where that agent was when its hook told something first; empty if it has no guard."""
        self.heard: bool | None = None
        """Whether the guard's hook of that agent has told anything; None where that is not known."""
        self.distrusted = False
        """Whether the native engine has crashed or hung with it: it gets pyte from now on."""
        self.snapshot_distrusted = False
        """Whether that was while restoring a checkpoint: the next rebuild does without."""

        self.backlog: deque[WorkerMessage] = deque()
        """What its worker said and nobody has taken in yet; `take_first` and `drop_backlog` shorten it."""
        self.waiting = 0
        """Bytes of output in the backlog."""
        self.plain = PlainRun()
        """Which end of the backlog is plain text."""
        self.is_read_ahead = False
        """Whether more of its output is read than is drawn at once."""
        self.most_together = 1
        """Most chunks of output that are applied at once."""
        self.editing = LineEditing()
        """Where its program reads lines, by which its output is cut."""
        self.tail = b""
        """Its last output, where that may be the beginning of a sequence that erases or draws over."""
        self.stood = False
        """Whether its screen had stood long enough to be read when that came."""
        self.scrolls_away = False
        """Whether margins keep the first row, so that lines scroll away without a look-back."""
        self.noted_at = 0.0
        """When its screen was last noted since it had stood there."""
        self.lent = True
        """Whether another program than its shell was last seen in the foreground, or may have been."""
        self.in_front: Sample | None = None
        """What was last seen in the foreground."""
        self.replay: Replay | None = None
        """The replay under way; None if its terminal is not being rebuilt."""
        self.rebuilt = anyio.Event()
        """Set when its screen is restored, or cannot be."""
        self.settled = anyio.Event()
        """Set when the worker has started the command, or has said why it cannot."""
        self.start_fault: Said | None = None
        """Why it could not be started; None if nothing was wrong so far."""
        self.strict_fault: Said | None = None
        """Why its project can be written in strict mode all the same; None if all is as it should be."""
        self.ended = anyio.Event()
        """Set when nothing of its process tree is left."""

        self.offset = 0
        """Bytes of its output that were fed to the terminal since it began."""
        self.acked = 0
        """Bytes of these that were acknowledged to the worker."""
        self.unsaved = 0
        """Bytes of output since the last checkpoint."""
        self.ledger = Ledger()
        self.light: protocol.Checkpoint | None = None
        """The last light checkpoint, to be sent again when an older one can be the base."""
        self.packing = False
        """Whether another thread reads its terminal for a checkpoint."""

        self.moved = 0.0
        """By how many seconds its start was moved along with a clock that was set."""
        self.stopped = False
        """Whether the user has ended it."""
        self.ended_with_worker = False
        """Whether its worker has ended it, which nobody here had asked to."""
        self.corrected: verdict.State | None = None
        """The state that the user has given after its end."""
        self.typed_at: float | None = None
        """When something was last typed."""
        self.composed_at: float | None = None
        """When something was last typed behind which no Enter was pressed yet."""
        self.output_at = 0.0
        """When it last printed."""
        self.called_at: float | None = None
        """When it last rang, unless Enter was pressed since."""
        self.noticed_at: float | None = None
        """When it last sent a notice, unless Enter was pressed since."""
        self.notice = ""
        """What that notice says, plain and masked."""
        self.seen_at = 0.0
        """When a user last looked at it."""
        self.hot_until = 0.0
        """Until when its output is handled first, on the monotonic clock."""
        self.inputs = Inputs()
        """What was typed on a line that may break."""
        self.typed_text = ""
        """What was typed last, so that its echo is not taken for output."""
        self.turn_line = 0
        """Number of the line that the cursor stood on when it was typed."""
        self.noted: object = None
        """The note that its worker keeps of it."""
        self.asked_size: tuple[int, int] | None = None
        """Columns and rows that its worker was asked for last."""
        self.rest_seconds: float | None = None
        """How long its worker was told to rest between reads."""

    def take_first(self) -> None:
        """Take the first message out of the backlog."""
        message = self.backlog.popleft()
        if isinstance(message, OutputBatch):
            self.waiting -= len(message.data)
        self.plain.taken()

    def drop_screen(self) -> None:
        """Free its terminal, if it has one."""
        if self.screen is not None:
            self.screen.close()
            self.screen = None

    def drop_backlog(self) -> None:
        """Throw away what nobody has taken in yet."""
        self.backlog.clear()
        self.waiting, self.plain = 0, PlainRun()

    @property
    def hot(self) -> bool:
        """Whether it was typed into a moment ago."""
        return time.monotonic() < self.hot_until

    def warm(self) -> None:
        """Note that it was typed into just now: its output is handled first for a moment."""
        self.hot_until = time.monotonic() + HOT_SECONDS


CHUNK_OVERHEAD: Final = 160
"""Bytes that the worker charges for each chunk beside its content."""
WHOLE_AFTER: Final = 6 * 1024 * 1024
"""Charge since the base from which on a checkpoint with history may be needed."""
_LOOK_AFTER: Final = 128 * 1024
_IN_TIME: Final = 7 * 1024 * 1024 + 256 * 1024
"""Charge up to which a light checkpoint that fills the history comes before the ring is full."""


class _Light(NamedTuple):
    offset: int
    line: int
    charge: int


class Ledger:
    """What a worker still keeps of the output: the base, and the light checkpoints after it.

    A light checkpoint can become the base once the lines that have scrolled by since then fill the
    history: replaying the output after it then restores the whole terminal.
    """

    def __init__(self) -> None:
        self.charge = 0
        """Charge of everything printed since the first base that was found."""
        self.needs_base = False
        """Whether the terminal cannot be restored from what the worker holds."""
        self._base = 0
        self._last = 0
        self._lights: deque[_Light] = deque()
        self._layout = 0
        self._looked = 0

    @property
    def since_base(self) -> int:
        """Charge since the base: about what the worker's ring holds."""
        return self.charge - self._base

    @property
    def since_last(self) -> int:
        """Charge since the last checkpoint of either kind."""
        return self.charge - self._last

    def add_output(self, size: int, chunks: int = 1) -> None:
        """Note that `chunks` chunks of `size` bytes together were applied."""
        self.charge += size + chunks * CHUNK_OVERHEAD

    def worth_a_look(self) -> bool:
        """Return now and then whether the newest light checkpoint may be good for a base by now."""
        if self.charge - self._looked < _LOOK_AFTER or not self._lights:
            return False
        self._looked = self.charge
        return True

    def skip(self) -> None:
        """Note that a checkpoint failed; the next one is due as if it had been taken."""
        self._last = self.charge

    def light(self, offset: int, *, line: int, layout: int) -> None:
        """Note a light checkpoint; `layout` changes when lines are renumbered."""
        if layout != self._layout or (self._lights and line < self._lights[-1].line):
            self._lights.clear()
        self._layout = layout
        self._lights.append(_Light(offset, line, self.charge))
        self._last = self.charge

    def rest(self, *, line: int, layout: int, reach: int) -> int | None:
        """Make the newest light checkpoint with `reach` lines after it the base; return its offset."""
        if layout != self._layout:
            return None
        found: _Light | None = None
        while self._lights and line - self._lights[0].line >= reach:
            found = self._lights.popleft()
        if found is None:
            return None
        self._base, self.needs_base = found.charge, False
        return found.offset

    def whole(self, charge: int) -> None:
        """Note a checkpoint with history, taken at this `charge`: it is the base now."""
        self._base, self.needs_base = charge, False
        self._last = max(self._last, charge)
        while self._lights and self._lights[0].charge <= charge:
            self._lights.popleft()

    def wants_whole(self, *, line: int, reach: int) -> bool:
        """Return whether no light checkpoint can become the base before the ring is full."""
        if self.needs_base or self.since_base < WHOLE_AFTER:
            return self.needs_base
        if not self._lights:
            return True
        oldest = self._lights[0]
        return (self.charge - oldest.charge) * reach > (line - oldest.line) * _IN_TIME


_TEXT: Final = bytes({*b"\t\r\x1b", *range(0x20, 0x100)} - {0x7F, 0xC2})
_DRAWS: Final = re.compile(rb"\x1b(?!\Z|\[[0-9;:]*(?:[mK]|\Z))")
"""The beginning of a sequence that is no colour, nor the beginning of one."""
_C1: Final = re.compile(rb"\xc2[\x80-\x9f]")
_OPEN: Final = re.compile(rb"\x1b(?:\[[0-9;:]*)?\Z")
"""A sequence whose end the next message brings."""
_ASKED: Final = 8
"""A terminal that tells no reach so many times does not just happen to be within a sequence."""
_PAUSE: Final = 32
"""Messages that are not looked at after one that was not plain."""


class PlainRun:
    """Which messages at the end of a backlog are plain: text, ends of lines and colours alone.

    Such output changes nothing but rows that scroll away and the colours of what follows. So what
    enough lines follow need not be drawn: nobody could see it any more.
    """

    def __init__(self) -> None:
        self.before = 0
        """Messages in the backlog before the first plain one."""
        self.reach: int | None = None
        """After how many lines what is drawn now is not kept; None where that is not known."""
        self._lines = deque[int]()
        """How many lines each plain message ends."""
        self._all_lines = 0
        self._open = b""
        self._asked = 0
        """How many times in vain the reach was asked for."""
        self._pause = 0

    def add(self, data: bytes, waiting: int) -> None:
        """Look at output that came last, `waiting` messages with it."""
        if self._pause:
            self._pause -= 1
            self.cut(waiting)
        elif (lines := plain_lines(joined := self._open + data)) is not None:
            last = joined.rfind(b"\x1b")
            found = _OPEN.match(joined, last) if last >= 0 else None
            self._open = found[0] if found else b""
            self._lines.append(lines)
            self._all_lines += lines
        else:
            self._rest(waiting)

    def ask(self, reach: Callable[[], int | None], waiting: int) -> None:
        """Ask for the reach; where a terminal does not tell it again and again, rest for a while."""
        if self.reach is None:
            self.reach = reach()
            self._asked += 1
        if self.reach is None and self._asked >= _ASKED:
            self._rest(waiting)

    def _rest(self, waiting: int) -> None:
        """Look at none of the next messages."""
        self.cut(waiting)
        self._pause = _PAUSE

    def cut(self, waiting: int) -> None:
        """Take all `waiting` messages for such that must be drawn."""
        self.before, self.reach, self._open = waiting, None, b""
        self._all_lines = self._asked = 0
        self._lines.clear()

    def taken(self) -> None:
        """Note that the first message was drawn or left out."""
        if self.before:
            self.before -= 1
        else:
            self._all_lines -= self._lines.popleft()

    def split(self, pieces: Iterable[bytes]) -> None:
        """Note that the first message has become several."""
        lines = [piece.count(b"\n") for piece in pieces]
        if self.before:
            self.before += len(lines) - 1
        else:
            self._lines.popleft()
            self._lines.extendleft(reversed(lines))

    @property
    def first_lines(self) -> int:
        """How many lines the first message ends, which is plain."""
        return self._lines[0]

    @property
    def hides_first(self) -> bool:
        """Whether so many lines follow the first message that nothing of it will be kept."""
        if self.before or self.reach is None or not self._lines:
            return False
        return self._all_lines - self._lines[0] > self.reach


def plain_lines(data: bytes) -> int | None:
    """Return how many lines plain data ends; None where it is not plain.

    Plain are text, TAB, CR and LF, SGR and EL, the last one also in part. There are no C1 controls,
    and a CR comes before the first LF, so that what was before it has no part in the second line.
    """
    controls = data.translate(None, _TEXT)
    others = controls.translate(None, b"\n")
    if others.strip(b"\xc2") or (others and _C1.search(data)):
        return None
    line = data.find(b"\n", 1)
    if line >= 0 and data.find(b"\r", 0, line) < 0:
        return None
    if _DRAWS.search(data):
        return None
    return len(controls) - len(others)
