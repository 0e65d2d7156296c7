"""Sessions that print numbers, so that every line that is lost, doubled or moved is seen."""

from __future__ import annotations

import re
import shlex
import sys
from typing import TYPE_CHECKING, Final

from tests.helpers.workplace import create, text_of, wait_for

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection

KEPT: Final = 20_000
_COUNT: Final = """
import itertools, sys, time
for start in itertools.count(1, 500):
    sys.stdout.write("".join(f"{n}\\n" for n in range(start, start + 500)))
    sys.stdout.flush()
    if start > 20_000: time.sleep(0.05)
"""


def python(source: str, *arguments: str) -> str:
    """Return the command that runs a piece of Python."""
    return shlex.join([sys.executable, "-c", source, *arguments])


def counting(connection: Connection, number: int) -> list[str]:
    """Start sessions that count: 20,000 lines at once, then 10,000 a second."""
    names = [create(connection, python(_COUNT), name=f"count-{n}") for n in range(number)]
    for name in names:
        wait_for(connection, name, r"^([2-9]\d{4}|\d{6,})$")
    return names


def consecutive(connection: Connection, name: str) -> int:
    """Return how many lines are kept, all that may be; each must follow the one before."""
    lines = text_of(connection, name, history=True).rstrip("\n").split("\n")[:-1]
    numbers = [int(line) for line in lines if re.fullmatch(r"\d+", line)][-KEPT:]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), "lines are lost"
    assert len(numbers) >= KEPT - 1, f"only {len(numbers)} lines are kept"
    return len(numbers)
