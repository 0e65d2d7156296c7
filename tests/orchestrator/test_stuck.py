"""A thread that never comes back from native code is seen within two seconds; a busy one is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nagomi_tui.orchestrator.resident.stuck import MOST_SECONDS, Watch
from nagomi_tui.orchestrator.runtime.crash_marker import FEED, OTHER, RESTORE, CrashMarker
from nagomi_tui.orchestrator.supervisor import Orchestrator
from nagomi_tui.system import paths
from tests.helpers.workplace import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="no thread's time is told there"
    ),
]
BUSY = """
import os, sys, time
from nagomi_tui.system import paths
from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker

phase, pieces = sys.argv[1].encode(), sys.argv[2]
mark = CrashMarker(paths.state_folder() / "feeding")
end = time.thread_time() + float(sys.argv[3])
mark.enter(b"s" * 36, phase)
while time.thread_time() < end:
    if pieces == "asleep":
        time.sleep(60)
    if pieces == "naps":
        time.sleep(0.4)
        end -= 0.4
    if pieces != "one":
        mark.leave()
        mark.enter(b"s" * 36, phase)
os._exit(3)
"""


def watched(phase: bytes, pieces: str, seconds: float) -> tuple[Orchestrator, int]:
    """Watch a process that is busy for so long on one piece or many; return its exit code too."""
    paths.make_private(paths.state_folder())
    mine, its = os.pipe()
    command = [sys.executable, "-c", BUSY, phase.decode(), pieces, str(seconds)]
    child = subprocess.Popen(command, pass_fds=(its,))
    os.close(its)
    orchestrator = Orchestrator(child.pid, mine, child)
    orchestrator.watch(lambda: None)
    return orchestrator, child.returncode


def test_a_piece_that_never_ends_is_a_hang_long_before_silence_is(nagomi_home: Path) -> None:
    began = time.monotonic()
    ended, _ = watched(FEED, "one", 60)
    print(f"seen after {time.monotonic() - began:.2f} s")
    assert ended.end() == "hang"


def test_a_piece_that_falls_asleep_is_one_too(nagomi_home: Path) -> None:
    began = time.monotonic()
    ended, _ = watched(FEED, "asleep", 60)
    print(f"seen after {time.monotonic() - began:.2f} s")
    assert ended.end() == "hang"


STORY = """
from tests.orchestrator.test_stuck import FEED, watched
print("watching", flush=True)
ended, code = watched(FEED, "naps", 4)
print(ended.end(), code, flush=True)
"""


def test_a_machine_that_was_stopped_has_no_hang(nagomi_home: Path) -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", STORY], cwd=root, stdout=subprocess.PIPE, start_new_session=True
    ) as whole:
        assert whole.stdout is not None
        assert whole.stdout.readline() == b"watching\n"
        for _ in range(2):
            time.sleep(0.7)
            os.killpg(whole.pid, signal.SIGSTOP)
            time.sleep(1.5)
            os.killpg(whole.pid, signal.SIGCONT)
        assert whole.stdout.read() == b"killed 3\n"


@pytest.mark.parametrize(("phase", "pieces"), [(FEED, "many"), (OTHER, "one"), (RESTORE, "one")])
def test_much_work_is_no_hang(nagomi_home: Path, phase: bytes, pieces: str) -> None:
    ended, code = watched(phase, pieces, MOST_SECONDS + 0.6)
    assert (ended.end(), code) == ("killed", 3)


def test_who_gets_no_time_is_told_from_who_does_nothing_with_it(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        watch = Watch(busy.pid, tmp_path / "mark")
        watch.heard()
        until(watch.is_starving)  # runs, and has not had much yet
        until(lambda: not watch.is_starving())
        os.kill(busy.pid, signal.SIGSTOP)
        watch.heard()
        until(lambda: not watch.is_starving())
        busy.kill()


def test_while_nothing_is_fed_it_is_calm(tmp_path: Path) -> None:
    mark, watch = CrashMarker(tmp_path / "mark"), Watch(os.getpid(), tmp_path / "mark")
    assert [watch.is_stuck(), watch.calm] == [False, False]
    assert [watch.is_stuck(), watch.calm] == [False, True]
    mark.enter(b"s" * 36, FEED)
    assert [watch.is_stuck(), watch.calm] == [False, False]
    mark.leave()
    assert [watch.is_stuck(), watch.calm] == [False, True]
    mark.enter(b"s" * 36, FEED)
    mark.leave()
    assert [watch.is_stuck(), watch.calm] == [False, False]
    watch.close()
