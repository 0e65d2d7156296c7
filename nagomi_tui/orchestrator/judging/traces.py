"""Records what a session's judge sees, masked, for `nagomi judge replay`.

A trace is an asciicast with processes and hooks in files beside it, as recordings are.
Of the user's input, only the kinds of keys are kept.
"""

from __future__ import annotations

import logging
import re
import time
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Final

import msgspec

from nagomi_tui import paths
from nagomi_tui.api.messages import TraceStanding
from nagomi_tui.core.judge.evidence import Key
from nagomi_tui.core.masking import mask
from nagomi_tui.judging.keys import key_of
from nagomi_tui.judging.process import sample_of
from nagomi_tui.orchestrator.judging.repaint import Repaint, paste_marks, sign
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.orchestrator.sessions.naming import naming
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from nagomi_tui.core.text.screen import ScreenEvent
    from nagomi_tui.orchestrator.runtime.alarms import Alarms
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.roles import Named, Readable
    from nagomi_tui.orchestrator.terminals.readable import ReadableScreen

_log = logging.getLogger(__name__)
EVERY: Final = 0.1
"""Least seconds between two pictures of a screen that keeps changing, as the judge looks."""
_LIMIT: Final = 64 * 1024 * 1024
_KEYS: Final = {Key.ENTER: "\r", Key.INTERRUPT: "\x03", Key.ESCAPE: "\x1b", Key.TEXT: "x"}
_UNFIT: Final = re.compile(r"[^\w.-]+")


class Trace:
    """The files of one trace; a fault in writing is passed to `on_fault`, which ends it."""

    def __init__(
        self, session: Named, screen: ReadableScreen, on_fault: Callable[[str], None]
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
        self.path = _free(folder / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}.cast")
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
        """Close the files."""
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
        self._traces: dict[Named, Trace] = {}

    def get(self, session: Named) -> Trace | None:
        """Return a session's trace, or None if none is recorded."""
        return self._traces.get(session)

    def switch(self, session: Readable, action: str) -> TraceStanding:
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

    def record(self, session: Named, data: bytes, events: Sequence[ScreenEvent]) -> None:
        """Record output of a session, if it has a trace."""
        trace = self._traces.get(session)
        if trace is None:
            return
        trace.add_output(data, events)
        delay = trace.due_in
        if delay <= 0:
            self._paint(session, trace)
        elif not self._alarms.pending((session, "trace")):
            self._alarms.after(delay, (session, "trace"), partial(self._paint, session, trace))

    def end(self, session: Named) -> None:
        """End a session's trace, if there is one, since its screen is about to be freed."""
        for alarm in ("trace", "held"):
            self._alarms.cancel((session, alarm))
        if (trace := self._traces.pop(session, None)) is not None:
            trace.close()

    def _begin(self, session: Readable) -> Trace:
        if session.run.screen is None or not session.running:
            sentence = translatable("{name} does not run; there is nothing to record.")
            raise Refusal("refused", sentence, name=session.info.name)
        try:
            return Trace(session, session.run.screen, partial(self._failed, session))
        except OSError as exc:
            sentence = translatable("The trace cannot be written: {reason}.")
            raise Refusal("refused", sentence, reason=exc.strerror or exc) from exc

    def _paint(self, session: Named, trace: Trace) -> None:
        if self._traces.get(session) is not trace:
            return
        try:
            trace.paint()
            self._come_back(session, trace)
        except Exception as exc:
            _log.exception("the trace of session %s", session.session_id)
            self._failed(session, type(exc).__name__)

    def _come_back(self, session: Named, trace: Trace) -> None:
        """Record the screen again once the lines that were held back have rested."""
        if trace.rests_in < float("inf"):
            again = partial(self._paint, session, trace)
            self._alarms.after(max(EVERY, trace.rests_in), (session, "held"), again)

    def _failed(self, session: Named, reason: str) -> None:
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


def _free(path: Path) -> Path:
    """Return a path that does not exist yet."""
    number, tried = 2, path
    while tried.exists():
        tried = path.with_stem(f"{path.stem}-{number}")
        number += 1
    return tried
