"""`python -m benchmarks [NAME [ARGUMENT…]]`: run one benchmark, or all with their defaults."""

from __future__ import annotations

import importlib
import signal
import sys

NAMES = ("echo", "swallow", "startup", "memory", "link", "idle", "judge", "judge_live")


def _end(number: int, _frame: object) -> None:
    """End by the way of `finally`, so that every room is closed."""
    sys.exit(128 + number)


def main() -> int:
    signal.signal(signal.SIGTERM, _end)
    names = [sys.argv[1]] if len(sys.argv) > 1 else list(NAMES)
    for name in names:
        if name not in NAMES:
            print(f"There is no benchmark {name!r}; there are: {', '.join(NAMES)}", file=sys.stderr)
            return 2
        importlib.import_module(f"benchmarks.{name}").main(sys.argv[2:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
