"""Up to 1,000 times a project is made writable and read-only again, while programs write in it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.wire import protocol
from tests.helpers.confined import NAME, guarding_worker, need_namespaces, project, start_shell

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.helpers.worker import Link

pytestmark = pytest.mark.timeout(500)

FLIPS = 1000
SECONDS, LEAST = 240.0, 100
"""After so long it ends earlier, with so many flips at least: others may use the machine, too."""
WRITERS = 2
_WRITING = """python3 -c '
import os, time
while not os.path.exists("../end"):
    try:
        with open("src/{name}", "a") as file:
            file.write("x" * 1000)
    except OSError:
        time.sleep(0.0005)
' &"""


def test_flips_under_load(seen: Callable[[str], None]) -> None:
    """Whenever the worker has said read-only, nothing grows any more."""
    need_namespaces()
    with project() as folder, guarding_worker() as (link, _):
        shell = start_shell(link, folder)
        for number in range(WRITERS):
            shell.run(_WRITING.format(name=number))
        waits, slowest, flip = 0, 0.0, 0
        until = time.monotonic() + SECONDS
        while flip < FLIPS and (time.monotonic() < until or flip < LEAST):
            shell.hold(writable=True)
            began = time.monotonic()
            waits += _lowered(link)
            slowest = max(slowest, time.monotonic() - began)
            if flip % 10 == 0:
                before = _sizes(folder)
                shell.run("echo y >> src/0; :")
                assert _sizes(folder) == before
            flip += 1
        (folder.parent / "end").touch()
        assert sum(_sizes(folder).values()) > 0
    seen(f"{flip} flips, {waits} waited for a writer, the slowest took {slowest:.2f} s")


def _lowered(link: Link) -> bool:
    """Have the project made read-only; tell whether a writer was in the way."""
    before = len(link.heard)
    link.send(protocol.Hold(session_id=NAME, writable=False))

    def held() -> list[protocol.Held]:
        return [one for one in link.heard[before:] if isinstance(one, protocol.Held)]

    link.wait_until(lambda: held() and not held()[-1].writable, "it is read-only")
    return len(held()) > 1


def _sizes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in (folder / "src").iterdir()}
