"""Records traces of sessions for the judge, masked and drawn again line by line.

Raw output cannot be masked safely: a secret may come in pieces, between colours and cursor moves.
So a trace is made of the rows that the output led to. The beginning of a token is not known for one
yet. So the line of the cursor is held back while it grows, and another one that grows where the
cursor is not. At rest it is shown, less a last word that may become a secret if it goes on.

A trace is an asciicast with processes and hooks in files beside it, as recordings are.
Of the user's input, only the kinds of keys are kept.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import IO, Any, Final, NamedTuple

import msgspec

from nagomi_tui.api.messages import TraceStanding
from nagomi_tui.judge.evidence import Key
from nagomi_tui.judge.senses.processes import key_of, sample_of
from nagomi_tui.masking import Masker, MaskState, covered, looks_like_key, mask, mask_growing
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.audience import Tell
from nagomi_tui.orchestrator.sessions.screens import Screen
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.table import naming
from nagomi_tui.system import files, paths
from nagomi_tui.text.cells import head
from nagomi_tui.text.rows import Row, ScreenEvent
from nagomi_tui.text.words import translatable

REST: Final = 0.5
"""Seconds without a change after which a line counts as resting."""
_FRAME: Final = " │┃|╮╯─"
"""Characters that may follow a text within a box."""


class _Line(NamedTuple):
    text: str
    since: float
    """When the line last changed, in monotonic seconds."""
    grows: bool
    """Whether that change only appended to it."""
    here: bool
    """Whether the cursor was in it."""
    drawn: tuple[str, ...]


class Held:
    """Keeps the lines of one screen as they were last drawn."""

    def __init__(self) -> None:
        self._lines: dict[int, _Line] = {}
        self.due = float("inf")
        """When a line that is held back will have rested."""

    def rows(
        self, rows: Sequence[Row], first: int, cursor: tuple[int, int], now: float, width: int
    ) -> list[str]:
        """Return rows as masked text, none wider than `width`; the first has the number `first`.

        The cursor is a line's number and a column. What is held back stands as it was drawn last.
        """
        masker, lines = Masker(width=width), dict[int, _Line]()
        self.due = float("inf")
        begun, drawn, start = list[str](), list[str](), first
        for number, row in enumerate(rows, first):
            begun.append("".join(run.text for run in row.runs))
            if not row.wrapped or number == first + len(rows) - 1:
                lines[start] = self._line(start, begun, cursor, now, masker)
                drawn += lines[start].drawn
                masker.cover(drawn, len(begun))
                begun, start = [], number + 1
        self._lines = lines
        return [head(covered(row) if looks_like_key(row) else row, width) for row in drawn]

    def _line(
        self, start: int, pieces: list[str], cursor: tuple[int, int], now: float, masker: Masker
    ) -> _Line:
        text, state = "".join(pieces), masker.state
        whole = masker.rows(pieces)
        row = cursor[0] - start
        here = 0 <= row < len(pieces)
        before = self._lines.get(start)
        changed = before is None or before.text != text
        since = now if before is None or changed else before.since
        grows = _grows(before, text, here=here)
        if grows and now - since < REST:
            self.due = min(self.due, since + REST)
            whole = [*(before.drawn if before else ()), *[""] * len(pieces)][: len(pieces)]
        elif here:
            whole = _open(pieces, row, len(head(pieces[row], cursor[1])), state)
        elif grows:
            whole = _open(pieces, -1, len(pieces[-1].rstrip(_FRAME)), state)
        return _Line(text, since, grows, here, tuple(whole))


def _grows(before: _Line | None, text: str, *, here: bool) -> bool:
    """Tell whether a line became longer by what came last, and may go on to."""
    if before is None or not before.text.strip():
        return here
    if before.here and not here:
        return False
    if before.text == text:
        return before.grows
    return text.startswith(before.text.rstrip(_FRAME))


def _open(pieces: list[str], row: int, column: int, state: MaskState) -> list[str]:
    """Return the rows of a line masked that may grow in that row, at that character."""
    row %= len(pieces)
    before = [*pieces[:row], pieces[row][:column]]
    masked = mask_growing(before, [pieces[row][column:], *pieces[row + 1 :]], state)
    return [*masked[:row], masked[row] + masked[row + 1], *masked[row + 2 :]]


_ABOVE: Final = 200
"""Lines above the screen that are read too, since a secret may begin there."""
_PASTE: Final = re.compile(rb"\x1b\[\?2004([hl])")
_SIGNS: Final = {
    "bell": "\x07",
    "title": "\x1b]0;{text}\x07",
    "notify": "\x1b]777;notify;{title};{text}\x07",
    "progress": "\x1b]9;4;{text}\x07",
    "command": "\x1b]133;{text}\x07",
    "status": "\x1b]7501;{text}\x07",
}


def sign(event: ScreenEvent) -> str:
    """Return the sequence of an event, masked; "" for one that no judge reads."""
    form = _SIGNS.get(event.kind, "")
    return form.format(text=_tame(event.text), title=_tame(event.title)) if form else ""


def paste_marks(data: bytes) -> tuple[str, str]:
    """Return how output switched bracketed paste: off before what it drew, on behind it."""
    switched = set(_PASTE.findall(data))
    return "\x1b[?2004l" * (b"l" in switched), "\x1b[?2004h" * (b"h" in switched)


class Repaint:
    """Draws a screen into another one that has the same size, change by change."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self._alternate = False
        self._top = screen.bounds[1]
        self._drawn: list[str] = []
        self._held = Held()

    @property
    def due(self) -> float:
        """When held-back lines will have rested; infinity if there are none."""
        return self._held.due

    def text(self, now: float, *, final: bool = False) -> str:
        """Return the text that draws the present screen over what was drawn before.

        A line that still grows is left as it was drawn, unless this is the `final` picture; see
        `due`. `now` is in monotonic seconds.
        """
        screen, parts = self.screen, [""]
        modes, (first, top, last) = screen.modes, screen.bounds
        if modes.alt_screen is not self._alternate:
            self._alternate = modes.alt_screen
            parts.append("\x1b[?1049h" if modes.alt_screen else "\x1b[?1049l")
            self._drawn, self._held = [], Held()
        begin, cursor = max(first, top - _ABOVE), screen.cursor
        rows = screen.lines(begin, last + 1)
        place = (-1, 0) if final else (top + cursor.y, cursor.x)
        masked = self._held.rows(rows, begin, place, now, screen.size[0])
        shown = masked[top - begin :]
        if top > self._top and not self._alternate:
            scrolled = masked[max(0, self._top - begin) :]
            parts.append("\x1b[H\x1b[2K" + "\r\n\x1b[2K".join(scrolled))
        else:
            drawn = [*self._drawn, *[None] * (len(shown) - len(self._drawn))]
            parts += [
                f"\x1b[{y};1H\x1b[2K{row}"
                for y, (row, before) in enumerate(zip(shown, drawn, strict=False), 1)
                if row != before
            ]
        self._top, self._drawn = top, shown
        return "".join(parts) + f"\x1b[{cursor.y + 1};{cursor.x + 1}H"


def _tame(text: str) -> str:
    """Return the text masked, without characters that could end the sequence around it."""
    return mask("".join(char for char in text if char.isprintable()))


_log = logging.getLogger(__name__)
EVERY: Final = 0.1
"""Least seconds between two pictures of a screen that keeps changing, as the judge looks."""
_LIMIT: Final = 64 * 1024 * 1024
_KEYS: Final = {Key.ENTER: "\r", Key.INTERRUPT: "\x03", Key.ESCAPE: "\x1b", Key.TEXT: "x"}
_UNFIT: Final = re.compile(r"[^\w.-]+")


class Trace:
    """The files of one trace; a fault in writing is passed to `on_fault`, which ends it."""

    def __init__(
        self, session: SessionRuntime, screen: Screen, on_fault: Callable[[str], None]
    ) -> None:
        self.session_id = session.session_id
        self._on_fault = on_fault
        self._began = time.monotonic()
        self._repaint = Repaint(screen)
        self._painted_at = float("-inf")
        self._signs: list[str] = []
        self._written = 0
        folder = paths.make_private(paths.state_folder() / "traces")
        name = _UNFIT.sub("-", mask(session.info.name)).strip("-.") or "session"
        self.path = files.unused(folder / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}.cast")
        self._cast = open(self.path, "xb")  # noqa: SIM115
        self._samples = self._beside("proc")
        self._hooks = self._beside("hooks")
        cols, rows = screen.size
        self._put(
            self._cast,
            {"version": 2, "width": cols, "height": rows, "timestamp": int(time.time()),
             "command": mask(session.info.cmd)},
        )  # fmt: skip
        title = f"\x1b]0;{mask(screen.title)}\x07" if screen.title.isprintable() else ""
        self._note("o", title + "\x1b[?2004h" * screen.modes.bracketed_paste)
        self.paint()

    @property
    def seconds(self) -> float:
        """Seconds since the trace began."""
        return time.monotonic() - self._began

    @property
    def due_in(self) -> float:
        """Seconds until the next picture may be taken."""
        return self._painted_at + EVERY - time.monotonic()

    @property
    def rests_in(self) -> float:
        """Seconds until what was held back of the last picture has rested; infinity without."""
        return self._repaint.due - time.monotonic()

    def add_output(self, data: bytes, events: Sequence[ScreenEvent]) -> None:
        """Note output of the session; `paint` is to follow when it is due."""
        before, behind = paste_marks(data)
        if before:
            self._note("o", before)
        self._signs += [*map(sign, events), behind]

    def paint(self, *, final: bool = False) -> None:
        """Record the screen, without lines that still grow, and the events."""
        self._painted_at = time.monotonic()
        drawn = self._repaint.text(self._painted_at, final=final)
        self._note("o", drawn + "".join(self._signs))
        self._signs.clear()

    def typed(self, text: str) -> None:
        """Record that the user has typed something."""
        self.paint()
        self._note("i", _KEYS[key_of(text)])

    def resized(self, cols: int, rows: int) -> None:
        """Record the new size of the screen."""
        self._note("r", f"{cols}x{rows}")
        self._repaint = Repaint(self._repaint.screen)
        self.paint()

    def activity(self, detail: str) -> None:
        """Record a report on processes."""
        sample = sample_of(detail, round(self.seconds, 3))
        if sample is not None:
            self._put(self._samples, msgspec.to_builtins(sample))

    def hook(self, payload: Mapping[str, Any]) -> None:
        """Record the JSON of an agent's hook."""
        called = {"t": round(self.seconds, 3), "event": payload.get("hook_event_name", "")}
        self._put(self._hooks, called | {"stdin": masked(payload)})

    def judged(self, state: str, rule: str) -> None:
        """Record a new state of the judge."""
        self._note("m", f"{state} {rule}")

    def ended(self, code: int) -> None:
        """Record the end of the command."""
        self.paint(final=True)
        self._note("x", str(code))

    def close(self) -> None:
        for file in (self._cast, self._samples, self._hooks):
            file.close()

    def _beside(self, kind: str) -> IO[bytes]:
        return open(self.path.with_suffix(f".{kind}.jsonl"), "xb")

    def _note(self, kind: str, text: str) -> None:
        if text:
            self._put(self._cast, [round(self.seconds, 4), kind, text])

    def _put(self, file: IO[bytes], value: object) -> None:
        line = msgspec.json.encode(value) + b"\n"
        self._written += len(line)
        try:
            file.write(line)
            file.flush()
        except (OSError, ValueError) as exc:
            self._on_fault(str(exc))
        if self._written > _LIMIT:
            self._on_fault(f"{_LIMIT // 1024 // 1024} MiB")


class Traces:
    """Begins and ends traces; a session has at most one, and each ends with the orchestrator."""

    def __init__(self, alarms: Alarms, tell: Tell) -> None:
        self._alarms = alarms
        self._tell = tell
        self._traces: dict[SessionRuntime, Trace] = {}

    def get(self, session: SessionRuntime) -> Trace | None:
        """Return a session's trace, or None if none is recorded."""
        return self._traces.get(session)

    def switch(self, session: SessionRuntime, action: str) -> TraceStanding:
        """Switch a session's trace on or off, and return whether it is recorded and where.

        Raises:
            Refusal: it cannot be written, or there is nothing to record.
        """
        trace = self._traces.get(session)
        if action == "on" and trace is None:
            trace = self._traces[session] = self._begin(session)
            self._come_back(session, trace)
        elif action == "off" and trace is not None:
            self.end(session)
        return TraceStanding(
            **naming(session),
            on=session in self._traces,
            path=str(trace.path) if trace else "",
            seconds=round(trace.seconds, 1) if trace else 0.0,
        )

    def record(self, session: SessionRuntime, data: bytes, events: Sequence[ScreenEvent]) -> None:
        trace = self._traces.get(session)
        if trace is None:
            return
        trace.add_output(data, events)
        delay = trace.due_in
        if delay <= 0:
            self._paint(session, trace)
        elif not self._alarms.pending((session, "trace")):
            self._alarms.after(delay, (session, "trace"), partial(self._paint, session, trace))

    def end(self, session: SessionRuntime) -> None:
        """End a session's trace, if there is one, since its screen is about to be freed."""
        for alarm in ("trace", "held"):
            self._alarms.cancel((session, alarm))
        if (trace := self._traces.pop(session, None)) is not None:
            trace.close()

    def _begin(self, session: SessionRuntime) -> Trace:
        if session.run.screen is None or not session.running:
            sentence = translatable("{name} does not run; there is nothing to record.")
            raise Refusal("refused", sentence, name=session.info.name)
        try:
            return Trace(session, session.run.screen, partial(self._failed, session))
        except OSError as exc:
            sentence = translatable("The trace cannot be written: {reason}.")
            raise Refusal("refused", sentence, reason=exc.strerror or exc) from exc

    def _paint(self, session: SessionRuntime, trace: Trace) -> None:
        if self._traces.get(session) is not trace:
            return
        try:
            trace.paint()
            self._come_back(session, trace)
        except Exception as exc:
            _log.exception("the trace of session %s", session.session_id)
            self._failed(session, type(exc).__name__)

    def _come_back(self, session: SessionRuntime, trace: Trace) -> None:
        """Record the screen again once the lines that were held back have rested."""
        if trace.rests_in < float("inf"):
            again = partial(self._paint, session, trace)
            self._alarms.after(max(EVERY, trace.rests_in), (session, "held"), again)

    def _failed(self, session: SessionRuntime, reason: str) -> None:
        if session not in self._traces:
            return
        self.end(session)
        sentence = translatable("The trace of {name} has ended: {reason}.")
        self._tell("error", sentence, name=session.info.name, reason=reason)


def masked(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a hook's JSON masked: as a whole text, or else value by value."""
    text = mask(msgspec.json.encode(payload).decode())
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        found = None
    plain: dict[str, Any] = _each(found if isinstance(found, dict) else payload)
    return plain


def _each(value: Any) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list | tuple):
        return [_each(item) for item in value]
    if isinstance(value, dict):
        return {mask(str(name)): _each(item) for name, item in value.items()}
    return value
