"""How right the judge is live: real programs in a workplace, and what was shown against the truth.

The truth is what each program does by its making: when it asks, works, rests and ends. As with
recordings, the half second after each change is not counted.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui import __version__
from nagomi_tui.api import messages as m
from nagomi_tui.api.client import Connection, open_socket
from nagomi_tui.api.launch import ensure_running

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLE: Final = 0.25
GRACE: Final = 0.5
TOGETHER: Final = 4
"""Programs at a time: more would measure the machine."""

_SHELL: Final = "bash --norc --noprofile -i"
_FILES: Final = {
    "test_good.py": "import time\ndef test_it():\n    time.sleep(2)\n",
    "test_bad.py": "import time\ndef test_it():\n    time.sleep(2)\n    assert False\n",
    "bad.c": "int main(void) { return x; }\n",
    "burn.py": "import time\nend = time.time() + 8\nwhile time.time() < end: pass\n",
    "crash.py": "import ctypes, time\ntime.sleep(2)\nctypes.string_at(0)\n",
    "secret.py": "import getpass, time\ntime.sleep(1)\ngetpass.getpass()\ntime.sleep(1)\n",
}


class Case(msgspec.Struct, frozen=True):
    """A program: what is typed and when, and from which second on which phases are true.

    A truth at `END` begins when the command has ended.
    """

    name: str
    cmd: str
    truth: tuple[tuple[float, str], ...]
    typed: tuple[tuple[float, str], ...] = ()
    seconds: float = 6.0


END: Final = -1.0
CASES: Final = (
    Case("pytest passes", f"{sys.executable} -m pytest -q test_good.py", ((0, "running"), (END, "success")), seconds=8),
    Case("pytest fails", f"{sys.executable} -m pytest -q test_bad.py", ((0, "running"), (END, "error")), seconds=8),
    Case("gcc error", "sh -c 'sleep 1; cc bad.c'", ((0, "running"), (END, "error"))),
    Case("quiet compile", "python3 burn.py", ((0, "running"), (END, "success")), seconds=11),
    Case("sleep 8", _SHELL, ((0.5, "idle"), (1.5, "running"), (9.5, "success")), ((1.5, "sleep 8\r"),), 12),
    Case("yes or no", "bash -c 'sleep 1; read -p \"Go on? [y/N] \" x; sleep 2'",
         ((0, "running"), (1, "attention"), (4, "running"), (END, "success")), ((4, "y\r"),), 8),
    Case("password", "bash -c 'sleep 1; read -s -p \"Password: \" x; sleep 2'",
         ((0, "running"), (1, "attention"), (4, "running"), (END, "success")), ((4, "x\r"),), 8),
    Case("getpass", "python3 secret.py", ((0, "running"), (1.2, "attention"), (4, "running"), (END, "success")),
         ((4, "x\r"),), 7),
    Case("python REPL", "python3 -q -i", ((0.7, "idle"), (3, "running"), (5.1, "idle")),
         ((3, "import time; time.sleep(2)\r"),), 8),
    Case("vim", "vim -u NONE test_good.py", ((1, "idle"),)),
    Case("less", "less test_good.py", ((0.7, "idle"),)),
    Case("log without errors", "sh -c 'while :; do echo 0 errors, 0 failed; sleep 1; done'", ((0, "running"),), seconds=8),
    Case("quiet after a log", "sh -c 'echo 0 errors, 0 failed; sleep 60'", ((0, "running"),), seconds=8),
    Case("dev server", "python3 -u -m http.server 0 --bind 127.0.0.1", ((0, "running"),), seconds=8),
    Case("crash", "python3 crash.py", ((0, "running"), (END, "error"))),
    Case("Ctrl-C", _SHELL, ((0.5, "idle"), (1.5, "running"), (4, "idle")), ((1.5, "sleep 60\r"), (4, "\x03")), 7),
)  # fmt: skip
"""Coding agents need a server of their own; cases for them are added here."""


class Told(msgspec.Struct):
    """What was told of one session; times are seconds since it began."""

    case: Case
    began: float
    phases: list[tuple[float, str]]
    ended: float | None = None
    typed: int = 0


def main(arguments: list[str]) -> None:
    """Run `judge_live [NAME…]`."""
    cases = [case for case in CASES if not arguments or case.name in arguments]
    cases = [case for case in cases if shutil.which(case.cmd.split()[0])]
    home = tempfile.mkdtemp(prefix="nb")
    os.environ["NAGOMI_HOME"] = home
    folder = Path(home) / "work"
    folder.mkdir()
    for name, text in _FILES.items():
        (folder / name).write_text(text)
    ensure_running()
    hello = m.Hello(version=__version__, front_end=True, env=dict(os.environ))
    with Connection(open_socket(), hello=hello) as connection:
        try:
            _run(connection, [Case("warm up", "true", (), seconds=1)], str(folder))
            done = [
                told
                for at in range(0, len(cases), TOGETHER)
                for told in _run(connection, cases[at : at + TOGETHER], str(folder))
            ]
        finally:
            connection.request(m.Quit(id=0), timeout=30)
    shutil.rmtree(home, ignore_errors=True)
    _report(done)


def _run(connection: Connection, cases: list[Case], folder: str) -> list[Told]:
    told: dict[str, Told] = {}
    for case in cases:
        order = m.Create(id=0, cmd=case.cmd, cwd=folder)
        session_id = connection.request(order, timeout=30)["session_id"]
        told[session_id] = Told(case, time.monotonic(), [])
    while any(time.monotonic() - one.began < one.case.seconds for one in told.values()):
        for session_id, one in told.items():
            _type(connection, session_id, one)
        for message in connection.pushed(0.02):
            if isinstance(message, m.SessionChanged):
                _note(told, message)
    for session_id in told:
        connection.request(m.Stop(id=0, session=session_id), timeout=30)
    return list(told.values())


def _type(connection: Connection, session_id: str, one: Told) -> None:
    left = one.case.typed[one.typed :]
    if left and time.monotonic() - one.began >= left[0][0]:
        connection.send(m.TypeText(session=session_id, text=left[0][1]))
        one.typed += 1


def _note(told: dict[str, Told], message: m.SessionChanged) -> None:
    session = message.session
    if (one := told.get(session.session_id)) is None:
        return
    now = time.monotonic() - one.began
    one.phases.append((now, session.phase.value))
    if session.ended_at is not None and one.ended is None:
        one.ended = now - max(0.0, time.time() - session.ended_at)


def _truth(one: Told) -> Iterator[tuple[float, float, str]]:
    """Yield from when to when which phase is true; what the end did not reach is left out."""
    ended = one.ended if one.ended is not None else one.case.seconds
    moments = [(ended if at == END else at, phase) for at, phase in one.case.truth]
    stops = [at for at, _ in moments[1:]] + [one.case.seconds]
    for (start, phase), stop in zip(moments, stops, strict=True):
        yield start, min(stop, one.case.seconds), phase


def _shown(one: Told, at: float) -> str:
    return next((phase for when, phase in reversed(one.phases) if when <= at), "")


def _report(done: list[Told]) -> None:
    print(f"{'':20} {'right':>7} {'worst':>8} {'false':>6} {'missed':>7}")
    right = samples = false = missed = 0
    for one in done:
        good, all_, worst, calls, misses, wrong = _score(one)
        right, samples, false, missed = right + good, samples + all_, false + calls, missed + misses
        print(
            f"{one.case.name:20} {good / max(all_, 1):7.1%} {worst:6.2f} s {calls:6} {misses:7}  {wrong}"
        )
    print(f"{'total':20} {right / max(samples, 1):7.1%} {'':8} {false:6} {missed:7}", flush=True)


def _score(one: Told) -> tuple[int, int, float, int, int, str]:
    """Return samples right and taken, the worst wrong stretch, false and missed calls, and words."""
    good = taken = calls = misses = 0
    worst, wrong, first = 0.0, 0.0, ""
    for start, stop, phase in _truth(one):
        at = start + GRACE
        seen = set()
        while at < stop:
            shown = _shown(one, at)
            seen.add(shown)
            taken += 1
            good += shown == phase
            wrong = 0.0 if shown == phase else wrong + SAMPLE
            worst = max(worst, wrong)
            if shown != phase and not first:
                first = f"{at:.2f} s: {phase} shown as {shown}"
            at += SAMPLE
        misses += phase == "attention" and "attention" not in seen and stop - start > GRACE
        calls += phase != "attention" and "attention" in seen
    return good, taken, worst, calls, misses, first


__all__ = ["CASES", "Case", "main"]
