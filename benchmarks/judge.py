"""What the judge costs: the same output through 16 terminals, with a judge at each and without.

Sessions' time is simulated, so that the figure is CPU time for each second of theirs and does not
depend on what else the machine does. The worker's looks at processes are timed on a real shell.
"""

from __future__ import annotations

import functools
import os
import time
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.judge import loading
from nagomi_tui.judge.judge import Judge
from nagomi_tui.orchestrator.judging.session_judge import SessionJudge
from nagomi_tui.terminal.choose import open_engine
from nagomi_tui.terminal.cuts import LineEditing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nagomi_tui.judge.known import Rulebook
    from nagomi_tui.text.rows import ScreenEvent

_LOOK: Final = (
    '{"fg":7,"shell":false,"icanon":true,"echo":true,"procs":['
    '{"pid":7,"comm":"make","st":"S","cpu":%d,"wchan":"do_wait","sys":"61 0x1"},'
    '{"pid":8,"comm":"cc1","st":"R","cpu":%d,"wchan":"0","sys":"running"}]}'
)
_DIFFERENT: Final = 240
"""So many pieces of output differ."""
LOADS: Final = ("log", "agent", "redraw", "flood")


class _Terminal:
    """An engine as the judge is given it in the orchestrator."""

    def __init__(self) -> None:
        self._engine = open_engine(120, 40)

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)

    def feed(self, data: bytes) -> tuple[bytes, list[ScreenEvent]]:
        self._engine.feed(data)
        return self._engine.take_replies(), list(self._engine.take_events())


def main(arguments: list[str]) -> None:
    """Run `judge [LOAD…] [sessions=16] [seconds=20]`."""
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    loads = [a for a in arguments if "=" not in a] or list(LOADS)
    sessions, seconds = int(options.get("sessions", "16")), float(options.get("seconds", "20"))
    book = loading.load().book
    _cpu("log", 1, 1.0, book)  # Libraries and patterns are loaded once.
    for load in loads:
        with_judge = _cpu(load, sessions, seconds, book)
        without = _cpu(load, sessions, seconds, None)
        share = (with_judge - without) / seconds * 100
        print(
            f"{load:8} {sessions} sessions: the judge {share:.2f} % of a core, "
            f"the terminals alone {without / seconds * 100:.2f} %",
            flush=True,
        )
    each = _look_seconds()
    print(f"a look at the processes: {each * 1e6:.0f} µs, with {sessions} busy sessions "
          f"one a second each: {each * sessions * 100:.2f} % of a core")  # fmt: skip


def _cpu(load: str, sessions: int, seconds: float, book: Rulebook | None) -> float:
    """Return the CPU seconds that so many sessions take for so many seconds of theirs."""
    terminals = [_Terminal() for _ in range(sessions)]
    began = time.process_time()
    for number, terminal in enumerate(terminals):
        feed = terminal.feed if book is None else _judged(terminal, load, book)
        for at, data in _output(load, seconds, number):
            feed(data) if book is None else feed(data, at)  # type: ignore[call-arg]
    return time.process_time() - began


def _judged(terminal: _Terminal, load: str, book: Rulebook) -> Callable[[bytes, float], None]:
    command = "claude" if load == "agent" else "make"
    judged = SessionJudge(Judge(command, book, at=0.0), terminal, lambda change: None)  # type: ignore[arg-type]
    looked, judged.rings_at, editing = 0.0, judged.wake_at, LineEditing()

    def feed(data: bytes, at: float) -> None:
        nonlocal looked
        while judged.rings_at <= at:
            judged.pass_time(judged.rings_at)
            judged.rings_at = judged.wake_at
        for piece in editing.pieces(data):
            _, events = terminal.feed(piece.data)
            judged.hear(piece, events, at)
        if judged.settle(at):
            judged.rings_at = judged.wake_at
        if at >= looked + 1.0:
            looked = at
            judged.activity(_LOOK % (int(at), int(at * 90)), at)

    return feed


def _output(load: str, seconds: float, number: int) -> Iterator[tuple[float, bytes]]:
    """Yield pieces of output with their times, as they come out of a worker."""
    at = number / 100
    step = 0
    while at < seconds:
        yield at, _piece(load, step % _DIFFERENT)
        at += 0.002 if load == "flood" else 0.02 if load == "log" else 0.08
        step += 1


@functools.cache
def _piece(load: str, step: int) -> bytes:
    """Return a piece of output; making it must not count."""
    return _PIECES[load](step)


def _log(step: int) -> bytes:
    head = f"\x1b[32m{step % 60:02}:{step % 59:02}\x1b[0m \x1b[36mINFO\x1b[0m request {step}"
    line = f"{head} took {step % 97} ms, 0 errors, client 10.0.{step % 250}.7\r\n"
    return (line * 2).encode()


def _agent(step: int) -> bytes:
    frame = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"[step % 10]
    return (
        f"\x1b]0;{frame} thinking\x07\x1b[38;1H\x1b[2K✻ Pondering… ({step // 12}s · esc to interrupt)"
        f"\x1b[39;1H╭{'─' * 100}╮\x1b[40;1H│ > "
    ).encode()


def _redraw(step: int) -> bytes:
    rows = (f"\x1b[{row};1H{row:3} {'█' * ((step + row) % 90)}\x1b[K" for row in range(1, 41))
    return "".join(rows).encode()


def _flood(step: int) -> bytes:
    return b"".join(b"n%09d\r\n" % (step * 300 + line) for line in range(300))


_PIECES: Final = {"log": _log, "agent": _agent, "redraw": _redraw, "flood": _flood}


def _look_seconds() -> float:
    """Return what one look at a shell's job of three processes takes."""
    import pty

    from nagomi_worker.pty.activity_linux import look

    pid, fd = pty.fork()
    if pid == 0:
        os.execvp("bash", ["bash", "--norc", "-i"])
    try:
        time.sleep(0.5)
        os.write(fd, b"sleep 60 | cat | cat\n")
        time.sleep(0.5)
        rounds = 300
        began = time.process_time()
        for _ in range(rounds):
            msgspec.json.encode(look(fd, pid))
        return (time.process_time() - began) / rounds
    finally:
        os.close(fd)
        os.waitpid(pid, 0)


__all__ = ["LOADS", "main"]
