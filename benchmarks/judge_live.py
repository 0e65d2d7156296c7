"""How right the judge is live: real programs in a workplace, and what was shown against the truth.

The truth is what each program does by its making: when it asks, works, rests and ends; of agents,
what their model's server has heard and said. As with recordings, the half second after each change
is not counted.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.cases import agents
from benchmarks.cases.programs import FILES, PROGRAMS, Case
from nagomi_tui import __version__
from nagomi_tui.api import messages as m
from nagomi_tui.api.client import Connection, open_socket
from nagomi_tui.api.launch import ensure_running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.cases.programs import Stage

SAMPLE: Final = 0.25
LOOK: Final = 0.1
"""Seconds between two looks for what a screen is to show."""
GRACE: Final = 0.5
READ: Final = 1.5
"""Seconds for which an agent's dialog is left standing before it is answered."""
PROMPT: Final = 2
"""Texts that are typed to ask an agent: the words, and Enter."""
TOGETHER: Final = 4
"""Programs at a time: more would measure the machine."""
READY: Final = 60.0
"""Seconds within which a program must show that it is ready."""

CASES: Final = (*PROGRAMS, *agents.cases())


@dataclass
class Told:
    """What was told of one session; times are by the monotonic clock."""

    case: Case
    stage: Stage | None
    began: float
    ready: float | None = None
    """When its time began."""
    phases: list[tuple[float, str]] = field(default_factory=list)
    keys: list[float] = field(default_factory=list)
    """When each of the case's texts was typed."""
    shown: float | None = None
    """When its screen showed what the case waits for."""
    ended: float | None = None
    looked: float = 0.0
    moments: dict[str, float] = field(default_factory=dict)
    """When that happened which the truth names."""

    @property
    def time(self) -> float:
        """Seconds of the case so far."""
        return 0.0 if self.ready is None else time.monotonic() - self.ready

    @property
    def is_over(self) -> bool:
        """All that belongs to the case has happened."""
        if self.ready is None:
            return time.monotonic() > self.began + READY
        return self.time >= self.case.seconds


def main(arguments: list[str]) -> None:
    """Run `judge_live [NAME…]`; a case belongs to a name if its own begins with it."""
    cases = [case for case in CASES if not arguments or case.name.startswith(tuple(arguments))]
    cases = [case for case in cases if case.set_up or shutil.which(case.cmd.split()[0])]
    home = tempfile.mkdtemp(prefix="nb")
    os.environ["NAGOMI_HOME"] = home
    folder = Path(home) / "work"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    ensure_running()
    hello = m.Hello(version=__version__, front_end=True, env=dict(os.environ))
    with Connection(open_socket(), hello=hello) as connection:
        try:
            _run(connection, [Case("warm up", "true", (), seconds=1)], folder)
            done = [
                told
                for at in range(0, len(cases), TOGETHER)
                for told in _run(connection, cases[at : at + TOGETHER], folder)
            ]
        finally:
            connection.request(m.Quit(id=0), timeout=30)
    shutil.rmtree(home, ignore_errors=True)
    _report(done)


def _run(connection: Connection, cases: list[Case], folder: Path) -> list[Told]:
    told: dict[str, Told] = {}
    for case in cases:
        stage = case.set_up(Path(tempfile.mkdtemp(dir=folder))) if case.set_up else None
        order = m.Create(id=0, cmd=case.cmd, cwd=str(folder))
        if stage is not None:
            order = m.Create(id=0, cmd=stage.cmd, cwd=stage.cwd, env=stage.env)
        session_id = connection.request(order, timeout=30).session_id
        now = time.monotonic()
        told[session_id] = Told(case, stage, now, None if case.ready else now)
    while not all(one.is_over for one in told.values()):
        for session_id, one in told.items():
            _look(connection, session_id, one)
            _type(connection, session_id, one)
        for message in connection.pushed(0.02):
            if isinstance(message, m.SessionChanged):
                _note(told, message)
    for session_id, one in told.items():
        connection.request(m.Stop(id=0, session=session_id), timeout=30)
        if one.stage is not None:
            one.stage.server.__exit__(None, None, None)
        one.moments = _moments(one)
    return list(told.values())


def _look(connection: Connection, session_id: str, one: Told) -> None:
    """See whether a program shows that it is ready, or what its case waits for."""
    case, now = one.case, time.monotonic()
    awaited = case.ready if one.ready is None else case.shows if one.shown is None else ""
    if not awaited or now < one.looked + LOOK or now > one.began + READY:
        return
    one.looked = now
    text = connection.request(m.Capture(id=0, session=session_id), timeout=30).text
    if not re.search(awaited, text):
        return
    if one.ready is None:
        one.ready = now
    else:
        one.shown = now


def _type(connection: Connection, session_id: str, one: Told) -> None:
    left = one.case.typed[len(one.keys) :] if one.ready is not None else ()
    if _answers(one) and (one.shown is None or time.monotonic() < one.shown + READ):
        return
    if left and one.time >= left[0][0]:
        connection.send(m.TypeText(session=session_id, text=left[0][1]))
        one.keys.append(time.monotonic())


def _answers(one: Told) -> bool:
    """Tell whether the next text answers what an agent shows: on a slow machine that comes late."""
    asks = any(at == "shown" for at, _ in one.case.truth)
    return one.stage is not None and asks and len(one.keys) >= PROMPT


def _note(told: dict[str, Told], message: m.SessionChanged) -> None:
    session = message.session
    if (one := told.get(session.session_id)) is None:
        return
    now = time.monotonic()
    one.phases.append((now, session.phase.value))
    if session.ended_at is not None and one.ended is None:
        one.ended = now - max(0.0, time.time() - session.ended_at)


def _truth(one: Told) -> Iterator[tuple[float, float, str]]:
    """Yield from when to when which phase is true; what did not happen is left out."""
    if one.ready is None:
        return
    ends = one.ready + one.case.seconds
    known: list[tuple[float, str]] = []
    for at, phase in one.case.truth:
        if isinstance(at, float | int):
            known.append((one.ready + at, phase))
        elif at in one.moments:
            known.append((one.moments[at], phase))
    stops = [at for at, _ in known[1:]] + [ends]
    for (start, phase), stop in zip(known, stops, strict=True):
        yield start, min(stop, ends), phase


def _moments(one: Told) -> dict[str, float]:
    """Return when that happened which the truth names."""
    found = {f"key {number}": at for number, at in enumerate(one.keys, 1)}
    if one.ended is not None:
        found["end"] = one.ended
    if one.shown is not None:
        found["shown"] = one.shown
    if one.stage is not None and (made := Path(one.stage.cwd) / "done").exists():
        found["done"] = time.monotonic() - (time.time() - made.stat().st_mtime)
    log = one.stage.server.moments if one.stage else []
    for kind in ("asked", "answered"):
        times = [at for at, said in log if said == kind]
        found |= {f"{kind} {number}": at for number, at in enumerate(times, 1)}
        if times:
            found[f"{kind} last"] = times[-1]
    return found


def _shown(one: Told, at: float) -> str:
    return next((phase for when, phase in reversed(one.phases) if when <= at), "")


def _report(done: list[Told]) -> None:
    width = max([20, *(len(one.case.name) for one in done)])
    print(f"{'':{width}} {'right':>7} {'worst':>8} {'false':>6} {'missed':>7}")
    right = samples = false = missed = 0
    for one in done:
        good, all_, worst, calls, misses, wrong = _score(one)
        right, samples, false, missed = right + good, samples + all_, false + calls, missed + misses
        print(
            f"{one.case.name:{width}} {good / max(all_, 1):7.1%} {worst:6.2f} s {calls:6} {misses:7}  {wrong}"
        )
    share = right / max(samples, 1)
    print(f"{'total':{width}} {share:7.1%} {'':8} {false:6} {missed:7}", flush=True)


def _score(one: Told) -> tuple[int, int, float, int, int, str]:
    """Return samples right and taken, the worst wrong stretch, false and missed calls, and words."""
    good = taken = calls = misses = 0
    worst, wrong, first = 0.0, 0.0, "" if one.ready is not None else "it was never ready"
    for start, stop, phase in _truth(one):
        at = start + GRACE
        seen = set()
        while phase and at < stop:
            shown = _shown(one, at)
            seen.add(shown)
            taken += 1
            good += shown == phase
            wrong = 0.0 if shown == phase else wrong + SAMPLE
            worst = max(worst, wrong)
            if shown != phase and not first:
                first = f"{at - (one.ready or 0):.2f} s: {phase} shown as {shown}"
            at += SAMPLE
        misses += phase == "attention" and "attention" not in seen and stop - start > GRACE
        calls += phase not in ("attention", "") and "attention" in seen
    return good, taken, worst, calls, misses, first


__all__ = ["CASES", "Case", "main"]
