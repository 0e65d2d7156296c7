"""What a starter ignores or blocks stays with it: residents and sessions begin as in a login shell."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psutil
import pytest

from nagomi_worker.pty.posix import STRAY
from tests.helpers.command import NAGOMI, Commands, workplace
from tests.helpers.starters import STARTERS
from tests.helpers.waiting import until
from tests.helpers.workplace import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

_OWN: Final = {signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ}
"""What residents ignore by themselves, or Python does for them."""
_C_LIBRARYS_OWN: Final = 0b11 << 31


@pytest.fixture
def commands() -> Iterator[Commands]:
    with workplace() as here:
        yield here


def _started_by(commands: Commands, starter: str, *arguments: str) -> str:
    done = subprocess.run(
        [*STARTERS[starter], *NAGOMI, *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=commands.env, timeout=40, check=True,
    )  # fmt: skip
    return done.stdout.decode()


def _signals(status: str, field: str) -> set[int]:
    """Return the numbers in a field of `/proc/PID/status`."""
    found = re.search(rf"{field}:\s*([0-9a-f]+)", status)
    assert found, status
    bits = int(found[1], 16) & ~_C_LIBRARYS_OWN
    return {number for number in range(1, 65) if bits >> (number - 1) & 1}


@pytest.mark.parametrize("starter", STARTERS)
def test_residents_and_sessions_begin_anew(commands: Commands, starter: str) -> None:
    shown = "grep -E 'SigBlk|SigIgn' /proc/self/status; echo shown; exec cat"
    _started_by(commands, starter, "new", "--json", "--", shown)
    commands.ok("wait", "1", "--until", "output", "shown", "--timeout", "30")
    status = commands.ok("capture", "1")
    assert (_signals(status, "SigBlk"), _signals(status, "SigIgn")) == (set(), set())
    place = Place(commands.home)
    for pid in (place.supervisor, place.orchestrator, *place.workers):
        status = Path(f"/proc/{pid}/status").read_text()
        assert _signals(status, "SigBlk") == set(), place.pids()[pid]
        own = _OWN | STRAY if pid in place.workers else _OWN
        assert _signals(status, "SigIgn") <= own, place.pids()[pid]
    commands.ok("keys", "1", "C-c")
    assert commands.json("wait", "1", "--timeout", "30")["exit_code"] == 128 + signal.SIGINT
    # Its residents know the end of their children, and take the signal that ends them.
    commands.ok("quit", "--yes")
    until(lambda: not place.pids())


@pytest.mark.parametrize("starter", STARTERS)
def test_wait_waits_however_it_was_started(commands: Commands, starter: str) -> None:
    number = commands.new("sleep 0.5; exit 3")
    told = _started_by(commands, starter, "wait", number, "--json", "--timeout", "30")
    assert '"exit_code": 3' in told


def test_wait_in_a_script_s_background_outlives_ctrl_c_as_all_there_do(commands: Commands) -> None:
    number = commands.new("cat")
    script = f'{shlex.join(NAGOMI)} wait {number} --timeout 30 & echo $!; wait $!; echo "code $?"'
    with subprocess.Popen(["sh", "-c", script], env=commands.env, stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        pid = int(shell.stdout.readline())
        until(lambda: psutil.Process(pid).net_connections(kind="unix"))
        subprocess.run(["kill", "-INT", str(pid)], check=True)
        commands.ok("stop", number)
        assert b"code 0" in shell.stdout.read()
