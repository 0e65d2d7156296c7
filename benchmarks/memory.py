"""Memory of orchestrator and workers: 16 sessions, 20,000 lines each, some time after they stop."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.tools.multiplexers import Nagomi, Tmux
from benchmarks.tools.processes import pss_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE = "import os; open('{folder}/%d' % os.getpid(), 'w'); time.sleep(1000)\n"
LINES = {
    "log": (
        "import random,time\n"
        "d=random.Random(1)\n"
        "for n in range(20200):\n"
        "  s='%08d '%n\n"
        "  s+=''.join('\\x1b[3%dm%s\\x1b[m '%(d.randrange(1,8),'x'*d.randrange(3,9)) for _ in range(20))\n"
        "  print(s[:260])\n"
    ),
    "ascii": (
        "import random,time,string\n"
        "d=random.Random(1)\n"
        "for n in range(20200): print(''.join(d.choices(string.printable[:94],k=150)))\n"
    ),
}


def main(arguments: list[str]) -> None:
    """Run `memory [log] [ascii] [sessions=16] [quiet=10,40]`, `quiet` in seconds."""
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    sessions = int(options.get("sessions", "16"))
    quiet = [float(seconds) for seconds in options.get("quiet", "10,40").split(",")]
    for name in [a for a in arguments if a in LINES] or list(LINES):
        for kind in (Nagomi, Tmux):
            _measure(name, kind, sessions, quiet)


def _measure(
    name: str, kind: type[Nagomi] | type[Tmux], sessions: int, quiet: Sequence[float]
) -> None:
    marks = Path(tempfile.mkdtemp(prefix="ngmemory"))
    program = marks.with_suffix(".py")
    program.write_text(LINES[name] + DONE.format(folder=marks))
    command = shlex.join([sys.executable, str(program)])
    sizes = [(200, 50)] * sessions
    if kind is Nagomi:
        multiplexer: Nagomi | Tmux = Nagomi([command] * sessions, sizes=sizes, attach=False)
    else:
        multiplexer = Tmux([command] * sessions, windows=True)
    try:
        pids = multiplexer.residents() if isinstance(multiplexer, Nagomi) else multiplexer.pids()
        pids -= {multiplexer.terminal.pid} if hasattr(multiplexer, "terminal") else set()
        peak = 0
        while len(list(marks.iterdir())) < sessions:
            time.sleep(0.5)
            peak = max(peak, pss_bytes(pids))
        stopped = time.monotonic()
        told = []
        for seconds in quiet:
            while time.monotonic() < stopped + seconds:
                time.sleep(0.5)
                peak = max(peak, pss_bytes(pids))
            told.append(f"{pss_bytes(pids) / 1e6:.0f} MB after {seconds:.0f} s")
        print(
            f"{name:6} {multiplexer.name:8} {sessions} sessions: {', '.join(told)}, "
            f"peak {peak / 1e6:.0f} MB{_waiting(multiplexer)}",
            flush=True,
        )
    finally:
        multiplexer.close()
        shutil.rmtree(marks)


def _waiting(multiplexer: Nagomi | Tmux) -> str:
    """Tell what the process takes that waits to fork front ends."""
    zygote = multiplexer.zygote() if isinstance(multiplexer, Nagomi) else None
    return f", and the zygote {pss_bytes({zygote}) / 1e6:.0f} MB" if zygote else ""
