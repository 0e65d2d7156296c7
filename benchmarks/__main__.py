"""`python -m benchmarks [NAME [ARGUMENT…]]`: run one benchmark, or the whole set of figures."""

from __future__ import annotations

import importlib
import signal
import sys
import time

from benchmarks.tools.processes import stolen_seconds

SETS = (
    ("swallow", "mb=60"),
    ("startup",),
    ("echo", "log", "flood", "agent", "tiles=16"),
    ("echo", "agent", "tiles=16", "lanes=3"),
    ("echo", "sound=none,hung,crash", "keys=400"),
    ("fleet",),
    ("scale",),
    ("scale", "real", "sizes=64/8"),
    ("link",),
    ("far_line",),
    ("far_typing",),
    ("memory",),
    ("idle",),
    ("judge",),
    ("masking",),
    ("masking", "every=0"),
    ("conversations",),
    ("ask",),
    ("answers",),
    ("judge_live",),
    ("tokens",),
    ("commands",),
    ("command_line",),
    ("guard",),
    ("review",),
    ("worktrees",),
)
"""What is run without arguments: the figures of the README, in about a quarter of an hour."""
NAMES = tuple(dict.fromkeys(one[0] for one in SETS))


def _end(number: int, _frame: object) -> None:
    """End by the way of `finally`, so that each multiplexer is closed."""
    sys.exit(128 + number)


def main() -> int:
    signal.signal(signal.SIGTERM, _end)
    wanted = (tuple(sys.argv[1:]),) if len(sys.argv) > 1 else SETS
    for name, *arguments in wanted:
        if name not in NAMES:
            print(f"There is no benchmark {name!r}; there are: {', '.join(NAMES)}", file=sys.stderr)
            return 2
        began, stolen = time.monotonic(), stolen_seconds()
        print(f"--- {name} {' '.join(arguments)}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main(arguments)
        spent, stolen = time.monotonic() - began, stolen_seconds() - stolen
        print(f"    ({spent:.0f} s, in which others had our cores for {stolen:.1f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
