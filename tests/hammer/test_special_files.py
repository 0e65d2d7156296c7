"""Files that are none, where nagomi reads: it starts, answers, and waits for nobody."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.hammer.front_end import front_end, leave, reacts
from tests.hammer.sockets import all_echo, echoing
from tests.hammer.test_corruptions import nagomi
from tests.hammer.vitals import answers
from tests.helpers.workplace import Place, create, session

if TYPE_CHECKING:
    from collections.abc import Callable

    Seen = Callable[[str], None]


def fifo(path: Path) -> None:
    os.mkfifo(path)


def listener(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 38)


def loop(path: Path) -> None:
    path.symlink_to(path)


def dangling(path: Path) -> None:
    path.symlink_to(path.parent / "no" / "such" / "file")


def to_device(minor: int) -> Callable[[Path], None]:
    """Link to a device like `/dev/null` (3) or `/dev/zero` (5).

    Root gets one of its own: what is tried here has replaced the machine's.
    """

    def make(path: Path) -> None:
        target = Path({3: "/dev/null", 5: "/dev/zero"}[minor])
        if os.geteuid() == 0:
            target = path.with_name(f"device-{minor}")
            if not target.exists():
                os.mknod(target, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        path.symlink_to(target)

    return make


def holding(data: bytes) -> Callable[[Path], None]:
    return lambda path: (path.write_bytes(data), None)[1]


GIT: Final[dict[str, tuple[str, Callable[[Path], None]]]] = {
    "HEAD is a FIFO": (".git/HEAD", fifo),
    "HEAD is a socket": (".git/HEAD", listener),
    "HEAD is /dev/zero": (".git/HEAD", to_device(5)),
    "HEAD is a loop": (".git/HEAD", loop),
    "HEAD dangles": (".git/HEAD", dangling),
    "HEAD is a folder": (".git/HEAD", Path.mkdir),
    "HEAD is 256 GB": (".git/HEAD", sparse),
    "HEAD holds NULs": (".git/HEAD", holding(b"ref: refs/heads/a\0b\x1b]0;x\x07\n")),
    ".git is a FIFO": (".git", fifo),
    ".git names a FIFO": (".git", holding(b"gitdir: fifo")),
    ".git names NULs": (".git", holding(b"gitdir: a\0b\n")),
    ".git is itself": (".git", holding(b"gitdir: .git\n")),
}


@pytest.mark.parametrize("kind", GIT)
def test_git(place: Place, tmp_path: Path, kind: str, seen: Seen) -> None:
    """A session begins in such a folder; the list is told before and after a restart."""
    (tmp_path / "fifo").mkdir()
    fifo(tmp_path / "fifo" / "HEAD")
    name, make = GIT[kind]
    target = tmp_path / name
    if target.parent.name == ".git":
        target.parent.mkdir()
    make(target)
    with place.connect() as connection:
        within = create(connection, "cat", cwd=str(tmp_path), name="within")
        names = [*echoing(connection, 1), within]
        seen(f"branch {session(connection, within)['branch']!r}")
    all_echo(place, names, "before")
    with front_end() as outer:
        outer.wait("within")
        reacts(outer)
        leave(outer)
    place.end_residents()
    place.start()
    seen(f"answers after {answers(place):.2f} s")
    all_echo(place, names, "after")


OWN: Final = (
    "settings.json", "keymap.toml", "agents/own.toml", "judge/own.toml",
    "characters/own/character.toml",
)  # fmt: skip
SPECIAL: Final[dict[str, Callable[[Path], None]]] = {
    "a FIFO": fifo, "/dev/zero": to_device(5), "a loop": loop, "256 GB": sparse,
}  # fmt: skip


@pytest.mark.parametrize("kind", SPECIAL)
def test_own_files(place: Place, kind: str, seen: Seen) -> None:
    """All of the user's files are such ones: residents, front end and commands come up."""
    place.end_residents()
    for name in OWN:
        path = place.home / "config" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        SPECIAL[kind](path)
    place.start()
    seen(f"answers after {answers(place):.2f} s")
    with place.connect() as connection:
        names = echoing(connection, 1)
    with front_end() as outer:
        outer.wait("echo-0")
        seen(f"a key after {reacts(outer):.2f} s")
        leave(outer)
    for command in (("ls",), ("doctor",), ("characters",)):
        assert nagomi(*command).stderr.count("\n") <= 1
    all_echo(place, names, "in the end")


HOOKS: Final[dict[str, Callable[[Path], None]]] = {
    **SPECIAL, "/dev/null": to_device(3), "a socket": listener, "a folder": Path.mkdir,
    "a dangling link": dangling,
}  # fmt: skip


@pytest.mark.parametrize("kind", HOOKS)
def test_hooks_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, seen: Seen
) -> None:
    """`hooks install` leaves what is no file of ours as it is, says so, and does not hang."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "nagomi"))
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    HOOKS[kind](path)
    before = _as_it_is(path)
    try:
        done = nagomi("hooks", "install", "--agent", "claude", "--yes")
    except subprocess.TimeoutExpired:
        pytest.fail("it hangs")
    seen(f"ended with {done.returncode}: {done.stderr.strip()[:90]}")
    assert _as_it_is(path) == before
    assert done.returncode != 0 and done.stderr.count("\n") == 1


def test_hooks_settings_with_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: Seen
) -> None:
    """A hard link stays one: both names show the hooks, and afterwards neither does."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "nagomi"))
    path, other = tmp_path / ".claude" / "settings.json", tmp_path / "dotfile"
    path.parent.mkdir()
    path.write_text("{}\n")
    path.chmod(0o640)
    other.hardlink_to(path)
    assert nagomi("hooks", "install", "--agent", "claude", "--yes").returncode == 0
    assert "NAGOMI_EVENT" in other.read_text() and path.samefile(other)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert nagomi("hooks", "remove", "--agent", "claude", "--yes").returncode == 0
    assert other.read_text() == "{}\n" and path.samefile(other)
    seen("written through both names")


def _as_it_is(path: Path) -> list[tuple[int, int]]:
    """Return what a path and its target are."""
    found = [path.lstat(), *([path.stat()] if path.exists() else [])]
    return [(one.st_ino, one.st_mode) for one in found]
