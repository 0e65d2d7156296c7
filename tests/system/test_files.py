"""Files that others have put there: regular ones are read and written, all else is left alone."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.system import files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_AS_ROOT = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root makes devices and gives files away"
)
_AS_USER = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


def fifo(path: Path) -> None:
    os.mkfifo(path)


def listener(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.fspath(path))


def device(path: Path) -> None:
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))


STRANGE = [
    fifo,
    listener,
    pytest.param(device, marks=_AS_ROOT),
    pytest.param(lambda path: path.mkdir(), id="folder"),
    pytest.param(lambda path: path.symlink_to("/dev/null"), id="link to a device"),
    pytest.param(lambda path: path.symlink_to(path), id="link to itself"),
]


@pytest.mark.parametrize("make", STRANGE)
def test_what_is_no_file_is_neither_read_nor_replaced(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "it"
    make(path)
    before = path.lstat()
    with pytest.raises(OSError):
        files.read(path)
    with pytest.raises(OSError):
        files.write(path, b"new")
    assert path.lstat()[:3] == before[:3] and [*tmp_path.iterdir()] == [path]
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_only_so_much_is_read(tmp_path: Path) -> None:
    path = tmp_path / "it"
    path.write_bytes(b"12345")
    assert files.read(path, 5) == b"12345"
    with pytest.raises(OSError, match="too large"):
        files.read(path, 4)
    os.truncate(path, 1 << 40)  # a hole of a terabyte
    with pytest.raises(OSError, match="too large"):
        files.read(path)
    assert files.read("/proc/self/stat").startswith(b"%d" % os.getpid())
    with pytest.raises(OSError, match="too large"):
        files.read("/proc/self/stat", 4)


@_AS_USER
def test_a_file_that_may_not_be_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "it"
    path.write_bytes(b"secret")
    path.chmod(0)
    with pytest.raises(PermissionError):
        files.read(path)


def test_a_new_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "it"
    files.write(path, b"new")
    assert path.read_bytes() == b"new" and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664])
def test_its_mode_and_the_link_to_it_stay(tmp_path: Path, mode: int) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(mode)
    link.symlink_to("real")
    files.write(link, b"new")
    assert link.is_symlink() and real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == mode
    assert {path.name for path in tmp_path.iterdir()} == {"real", "link"}


def test_a_link_that_leads_nowhere_is_not_written_through(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "gone")
    with pytest.raises(FileNotFoundError, match="leads nowhere"):
        files.write(link, b"new")
    assert [*tmp_path.iterdir()] == [link]


@pytest.mark.parametrize("data", [b"", b"n", b"new and longer than before"])
def test_hard_links_stay_together(tmp_path: Path, data: bytes) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"old one")
    os.link(one, other)
    files.write(one, data)
    assert one.read_bytes() == other.read_bytes() == data
    assert one.samefile(other) and len([*tmp_path.iterdir()]) == 2


@_AS_ROOT
def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "it"
    path.write_bytes(b"theirs")
    os.chown(path, 65534, 65534)
    with pytest.raises(PermissionError, match="another user"):
        files.write(path, b"ours")
    assert path.read_bytes() == b"theirs"


def test_what_a_killed_writer_left_goes_and_an_editors_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True
    )
    dead = tmp_path / f".it.json.{int(ended.stdout)}-5.nagomi"
    left, swap = tmp_path / f".it.json.{os.getpid()}-5.nagomi", tmp_path / ".it.json.swp"
    for other in (dead, left, swap):
        other.touch()
    files.write(path, b"1")
    assert left.exists() and not dead.exists(), "one writer may be writing, the other is dead"
    os.utime(left, (0, time.time() - 3600))
    files.write(path, b"2")
    assert {found.name for found in tmp_path.iterdir()} == {"it.json", ".it.json.swp"}


FULL = """
import os, subprocess, sys
from pathlib import Path
from nagomi_tui.system import files
place = Path(sys.argv[1])
made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place])
if made.returncode:
    sys.exit(77)
one = place / "one"
one.write_bytes(b"old" * 1000)
if sys.argv[2] == "linked":
    os.link(one, place / "other")
try:
    files.write(one, b"new" * 100_000)
except OSError as exc:
    print(exc.strerror)
assert one.read_bytes() == b"old" * 1000
print(sorted(path.name for path in place.iterdir()))
"""


@pytest.mark.parametrize(("kind", "left"), [("single", ["one"]), ("linked", ["one", "other"])])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, kind: str, left: list[str]) -> None:
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, "-c", FULL, str(tmp_path), kind],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"no disk of its own can be mounted: {done.stderr.strip()}")
    assert done.stdout.splitlines() == ["No space left on device", str(left)], done.stderr


@pytest.mark.parametrize("make", STRANGE)
def test_a_log_that_is_no_file_is_not_written(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "it")
    with pytest.raises(OSError):
        files.append(tmp_path / "it")


def test_what_is_appended_comes_behind(tmp_path: Path) -> None:
    for word in (b"one ", b"two"):
        with files.append(tmp_path / "it") as log:
            log.write(word)
    assert (tmp_path / "it").read_bytes() == b"one two"


@pytest.mark.parametrize("number", ["x", "", "9" * 30, "²", "0"])
def test_strange_names_beside_a_file_hinder_nobody(tmp_path: Path, number: str) -> None:
    (tmp_path / f".it.{number}.nagomi").touch()
    files.write(tmp_path / "it", b"new")
    assert (tmp_path / "it").read_bytes() == b"new"
