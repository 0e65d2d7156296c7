"""Pseudo consoles by the real pywinpty: what is printed and typed, how they end, and what they leave.

Under wine a blank is printed as a move of the cursor, so these words have none.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.pty.command import launch
from nagomi_worker.pty.windows import WindowsHost
from nagomi_worker.wire.protocol import StartSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from nagomi_worker.pty.interface import Ended, Pty


@pytest.fixture
def host() -> Iterator[WindowsHost]:
    made = WindowsHost()
    yield made
    made.end_all()
    made.close()


def _python(host: WindowsHost, code: str, *words: str, cwd: str | None = None) -> Pty:
    line = " ".join([f'"{sys.executable}"', "-c", f'"{code}"', *words])
    env = dict(os.environ) | {"PYTHONUTF8": "1", "MARK": "日本"}
    order = StartSession(session_id="a", cmd=line, cwd=cwd, env=env, cols=90, rows=24)
    return host.spawn(launch(order))


def _printed(pty: Pty, words: str) -> None:
    seen = b""
    deadline = time.monotonic() + 60
    while words not in seen.decode("utf-8", "replace"):
        assert time.monotonic() < deadline, seen
        if select.select([pty.fileno()], [], [], 1)[0]:
            piece = pty.read(4096)
            assert piece, seen
            seen += piece


def _end(host: WindowsHost) -> Ended:
    ended: list[Ended] = []
    _until(lambda: ended.extend(host.wake().ended) or bool(ended))
    return ended[0]


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_a_command_prints_and_its_code_arrive(host: WindowsHost) -> None:
    pty = _python(host, "import os; print(os.environ['MARK']); exit(7)")
    _printed(pty, "日本")
    ended = _end(host)
    assert (ended.pid, ended.code) == (pty.pid, 7)
    pty.close()


def test_a_command_that_has_ended_at_once_gets_a_job() -> None:
    """A loaded machine may run it to its end before anything else is done."""
    assert sys.platform == "win32"
    from nagomi_worker.pty.job_windows import Job

    quick = subprocess.Popen([sys.executable, "-c", ""])
    quick.wait()
    job = Job(quick.pid)
    job.wait()
    assert job.processes() == []


def test_words_with_blanks_stay_whole(host: WindowsHost) -> None:
    pty = _python(
        host, "import sys; print('.'.join(str(len(one)) for one in sys.argv[1:]))", '"a b"', "c"
    )
    _printed(pty, "3.1")
    pty.close()


def test_typing_reaches_the_command(host: WindowsHost) -> None:
    pty = _python(host, "print('ready'); print(input()*2)")
    _printed(pty, "ready")
    pty.write(memoryview(b"xy\r"))
    _printed(pty, "xyxy")
    assert _end(host).code == 0
    pty.close()


def test_it_begins_in_its_folder(host: WindowsHost, tmp_path: Path) -> None:
    (tmp_path / "日本語").mkdir()
    pty = _python(
        host, "import os; print(os.path.basename(os.getcwd()))", cwd=str(tmp_path / "日本語")
    )
    _printed(pty, "日本語")
    pty.close()


def test_the_tree_ends_at_once_with_what_it_has_started(host: WindowsHost) -> None:
    sleep = "import time; time.sleep(99)"
    pty = _python(
        host, f"import subprocess,sys; subprocess.Popen([sys.executable,'-c','{sleep}']); {sleep}"
    )
    tree = host.tree("a", pty)
    _until(lambda: len(tree.look()) >= 2)
    tree.send("HUP")
    _end(host)
    _until(lambda: not tree.any_left())
    pty.close()


def test_a_line_for_cmd_keeps_its_quotes(host: WindowsHost) -> None:
    line = f'"{sys.executable}" -c "print(40+2)" > NUL & "{sys.executable}" -c "print(len(\'a-b\')+40)"'
    order = StartSession(session_id="a", cmd=line, cwd=None, env=dict(os.environ), cols=80, rows=24)
    pty = host.spawn(launch(order))
    _printed(pty, "43")
    pty.close()
