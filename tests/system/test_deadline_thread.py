"""What never returns is given up: by loops and others, a bounded number of times, and at the end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from functools import partial
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.system import deadlines
from tests.helpers.dead_mount import dead_mount

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PATIENT: float = 20.0


@pytest.fixture
def endless(tmp_path: Path) -> Iterator[Path]:
    """A FIFO that an ordinary `open` waits for."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    yield fifo
    # Let the threads go that wait for it.
    os.close(os.open(fifo, os.O_RDWR | os.O_NONBLOCK))


def test_what_is_quick_comes_back_and_its_faults_too(tmp_path: Path) -> None:
    slots = BoundedSemaphore()
    wait = partial(deadlines.wait, slots=slots)
    run = partial(deadlines.run, slots=slots)
    for _ in range(100):
        assert wait(tmp_path.is_dir, seconds=_PATIENT) is True
        assert asyncio.run(run(tmp_path.is_dir, seconds=_PATIENT)) is True
    with pytest.raises(FileNotFoundError):
        wait((tmp_path / "none").read_bytes, seconds=_PATIENT)
    with pytest.raises(FileNotFoundError):
        asyncio.run(run((tmp_path / "none").read_bytes, seconds=_PATIENT))


def test_the_loop_goes_on_while_something_never_returns(endless: Path) -> None:
    async def turns() -> int:
        count, ends = 0, time.monotonic() + 0.3
        while time.monotonic() < ends:
            await asyncio.sleep(0.01)
            count += 1
        return count

    async def both() -> int:
        counting = asyncio.gather(turns())
        with pytest.raises(TimeoutError):
            await deadlines.run(endless.read_bytes, seconds=0.2)
        return (await counting)[0]

    assert asyncio.run(both()) > 5


def test_a_second_is_not_begun_while_the_first_never_returns(endless: Path) -> None:
    slots = BoundedSemaphore()
    with pytest.raises(TimeoutError):
        deadlines.wait(endless.read_bytes, seconds=0.05, slots=slots)
    began = []
    with pytest.raises(TimeoutError):
        deadlines.wait(partial(began.append, 1), seconds=_PATIENT, slots=slots)
    assert began == []
    writer = os.open(endless, os.O_RDWR | os.O_NONBLOCK)
    os.close(writer)
    ends = time.monotonic() + _PATIENT
    while not began:
        assert time.monotonic() < ends
        try:
            deadlines.wait(partial(began.append, 1), seconds=_PATIENT, slots=slots)
        except TimeoutError:
            time.sleep(0.01)


def test_a_process_ends_while_something_never_returns(endless: Path) -> None:
    program = (
        "import os, sys; from nagomi_tui.system import deadlines as deadline_thread\n"
        "try: deadline_thread.wait(lambda: open(sys.argv[1]), seconds=0.1)\n"
        "except TimeoutError: print('given up')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(endless)],
        capture_output=True, text=True, timeout=_PATIENT,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("given up\n", 0)


def test_a_dead_mount_is_given_up(tmp_path: Path) -> None:
    program = (
        "import os, sys; from nagomi_tui.system import deadlines as deadline_thread\n"
        "try: deadline_thread.wait(lambda: os.path.exists(sys.argv[1]), seconds=0.1)\n"
        "except TimeoutError: print('given up')"
    )
    with dead_mount(tmp_path) as inside:
        done = subprocess.run(
            [*inside, sys.executable, "-c", program, str(tmp_path / "file")],
            capture_output=True, text=True, timeout=_PATIENT,
        )  # fmt: skip
    assert (done.stdout, done.returncode) == ("given up\n", 0)


def test_a_program_is_found_beside_a_dead_folder_of_path(tmp_path: Path) -> None:
    program = (
        "import time; from nagomi_tui.view.desktop import find\n"
        "began = time.monotonic()\n"
        "print(find('sh'), find('sh'), time.monotonic() - began < 5)"
    )
    with dead_mount(tmp_path) as inside:
        for path, found in ((f"/bin:{tmp_path}", "/bin/sh"), (f"{tmp_path}:/bin", "None")):
            done = subprocess.run(
                [*inside, sys.executable, "-c", program],
                capture_output=True, text=True, timeout=_PATIENT, env={**os.environ, "PATH": path},
            )  # fmt: skip
            assert done.stdout == f"{found} {found} True\n", done.stderr
