"""Folders, locks, and files that are replaced while somebody has them open."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nagomi_tui.agent.tools import granted
from nagomi_tui.agent.tools.granted import Place
from nagomi_tui.orchestrator.runtime import log
from nagomi_tui.system import files, folders, paths
from nagomi_worker.pty.command import launch
from nagomi_worker.runtime.files import Busy, FileLock, is_held, sweep
from nagomi_worker.wire import private_windows, trust
from nagomi_worker.wire.protocol import StartSession

_HOLD = (
    "import sys; from pathlib import Path; from nagomi_worker.runtime.files import FileLock\n"
    "FileLock(Path(sys.argv[1])).take(); print('held', flush=True); sys.stdin.read()"
)


def test_folders_are_those_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NAGOMI_HOME")
    local = os.environ["LOCALAPPDATA"].lower()
    assert folders.state().lower().startswith(local)
    assert folders.config().lower().startswith(local)


def test_folders_are_below_nagomi_home(home: Path) -> None:
    assert paths.state_folder() == home / "state"
    assert paths.make_socket_folder() == home / "state" / "run"
    assert paths.socket_places()[0] == home / "state" / "run"


def test_a_lock_is_held_until_its_process_dies(
    tmp_path: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    place = tmp_path / "lock"
    other = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    started.append(other)
    assert other.stdout and other.stdout.read(4) == b"held"
    assert is_held(place)
    with pytest.raises(Busy):
        FileLock(place).take()
    other.kill()
    other.wait()
    mine = FileLock(place)
    mine.take(patience=5)
    assert mine.intact()
    mine.release()
    assert not is_held(place)


def test_what_a_dead_worker_left_is_swept(tmp_path: Path) -> None:
    for name in ("w-1", ".w-1.lock"):
        (tmp_path / name).write_bytes(b"")
    sweep(tmp_path / "w-1")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_once_nobody_reads_it(tmp_path: Path) -> None:
    place = tmp_path / "日本語.json"
    files.write(place, b"one\n")
    reader = open(place, "rb")  # noqa: SIM115 (closed by the timer)
    closing = threading.Timer(0.3, reader.close)
    closing.start()
    files.write(place, b"two\n")
    closing.join()
    assert files.read(place) == b"two\n"
    with files.append(place) as log:
        log.write(b"!")
    assert files.read_text(place) == "two\n!"
    assert [one.name for one in tmp_path.iterdir()] == [place.name]


def test_a_long_log_begins_anew_while_it_is_somebody_s_stderr(tmp_path: Path) -> None:
    path = tmp_path / "nagomi.log"
    path.write_bytes(b"x" * (5 * 1024 * 1024 + 1))
    with path.open("ab"):
        log._set_aside(path)
        assert path.stat().st_size == 0
    assert log.aside(path).stat().st_size > 5 * 1024 * 1024


def test_a_folder_below_the_home_of_windows_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src").mkdir()
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for folder in ("~/src", "~\\src"):
        order = StartSession(
            session_id="a", cmd="cmd", cwd=folder, env={}, cols=80, rows=24, inherit=True
        )
        assert Path(launch(order).cwd) == tmp_path / "src"


def test_files_of_the_agent_are_written_and_read(tmp_path: Path) -> None:
    place = Place(tmp_path, Path("notes.md"))
    granted.write(place, b"one\n", None)
    before = granted.read(place)
    granted.write(place, b"two\n", before)
    assert granted.read(place).data == b"two\n"
    assert [name for name, _ in granted.entries(place.above)] == ["notes.md"]
    with pytest.raises(FileExistsError):
        granted.write(place, b"three\n", before)


def test_a_private_file_is_ours(tmp_path: Path) -> None:
    place = str(tmp_path / "secret")
    with os.fdopen(private_windows.create(place), "wb") as file:
        file.write(b"x")
    private_windows.check_owner(place)
    assert Path(place).read_bytes() == b"x"
    with pytest.raises(FileExistsError):
        private_windows.create(place)
    with pytest.raises(OSError):
        private_windows.check_owner(str(tmp_path / "none"))


def test_folders_of_ours_are_trusted(tmp_path: Path) -> None:
    trust.make_private(str(tmp_path / "a" / "b"))
    trust.check_place(str(tmp_path / "a" / "b" / "socket"))
