"""A program that looks for one pattern in the lines it is given; a slow pattern hangs it alone.

Each line of stdin is JSON: first the pattern, then lists of lines. Each is answered by a line of
JSON: nothing wrong (`""`) or what is wrong with the pattern, then the index of the first line that
matches, or null. It dies by a signal once a list costs it more than `SECONDS` of processor time,
and ends with its stdin. It is run by its path and imports nothing of ours.
"""

from __future__ import annotations

import json
import re
import signal
import sys
from typing import Any

SECONDS = 1.0


def main() -> None:
    """Answer until stdin ends."""
    _limit()
    try:
        pattern = re.compile(json.loads(sys.stdin.buffer.readline()))
    except (re.error, RecursionError, OverflowError) as exc:
        _answer(str(exc))
        return
    _answer("")
    for line in sys.stdin.buffer:
        _limit()
        found = (at for at, text in enumerate(json.loads(line)) if pattern.search(text))
        _answer(next(found, None))


def _limit() -> None:
    """Die after so much work; whoever started this may be dead by then, too."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)


def _answer(value: Any) -> None:
    sys.stdout.write(f"{json.dumps(value)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
