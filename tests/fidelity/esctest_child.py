"""Runs esctest2 with the terminal put in order before each test: `CHECKOUT LOG INCLUDE`.

Its own reset leans on DECSTR and on exact answers, so that one failure would spoil the next
tests: a late answer is read by the wrong one. RIS, and what is still to be read thrown away,
make every test stand for itself.
"""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path
from typing import Any, Final

_END: Final = "\nmain()\n"
VT_LEVEL: Final = 4


def _drain() -> None:
    """Throw away what has been answered up to the answer to a question of our own."""
    os.write(1, b"\x18\x1bc\x1b[5n")
    said = b""
    while not said.endswith(b"\x1b[0n") and select.select([0], [], [], 2.0)[0]:
        said += os.read(0, 4096)


def main() -> None:
    """Load the program, wrap its reset, and run it."""
    checkout, log, include = sys.argv[1:4]
    program = Path(checkout) / "esctest" / "esctest.py"
    sys.path.insert(0, str(program.parent))
    # Its own package of tests has the same name as ours.
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    sys.argv = [
        str(program), "--expected-terminal=xterm", "--xterm-checksum=334", "--xterm-reverse-wrap=383", "--timeout=0.6",
        f"--max-vt-level={VT_LEVEL}", f"--logfile={log}", f"--include={include}",
        "--v=2", "--no-print-logs",
    ]  # fmt: skip
    source = program.read_text()
    assert source.endswith(_END), "esctest.py no longer ends in a call of main()"
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source.removesuffix(_END), str(program), "exec"), names)
    reset = names["reset"]

    def orderly() -> None:
        _drain()
        reset()

    names["reset"] = orderly
    names["main"]()


if __name__ == "__main__":
    main()
