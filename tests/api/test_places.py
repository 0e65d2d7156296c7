"""Where the sockets are: near the state where that holds them, and found from everywhere."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from nagomi_tui.system import folders, paths

_MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/root rw
23 22 0:21 / /home rw - nfs4 server:/home rw
24 23 254:1 / /home/a\\040b rw shared:1 - xfs /dev/sdb rw
25 22 0:40 / /mnt/c rw - 9p drvfs rw,aname=drvfs
26 22 0:41 / /over rw - tmpfs tmpfs rw
27 22 0:42 / /over rw - fuse.sshfs host: rw
"""


@pytest.fixture
def mounts(tmp_path: Path) -> str:
    (tmp_path / "mountinfo").write_text(_MOUNTS)
    return str(tmp_path / "mountinfo")


@pytest.mark.parametrize(
    ("folder", "held"),
    [
        ("/var/lib", True), ("/", True), ("/home/u/.local", False), ("/home/a b/x", True),
        ("/home/a bc", False), ("/mnt/c/Users/u", False), ("/mnt/cd", True), ("/over/x", False),
    ],
)  # fmt: skip
def test_only_local_disks_hold_sockets(mounts: str, folder: str, held: bool) -> None:
    assert folders.holds_sockets(folder, mounts) is held


@pytest.mark.parametrize(("device", "held"), [((254, 1), True), ((0, 44), False)])
def test_in_a_chroot_they_are_on_the_disk_that_its_root_is_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: tuple[int, int], held: bool
) -> None:
    """The table then tells of mounts below the root only."""
    (tmp_path / "mountinfo").write_text("63 43 0:39 / /proc rw,relatime - proc proc rw\n")
    root = os.stat_result((0, 0, os.makedev(*device), *range(7)))
    monkeypatch.setattr(os, "stat", lambda *_given, **_more: root)
    assert folders.holds_sockets("/var", str(tmp_path / "mountinfo")) is held
    assert not folders.holds_sockets("/proc", str(tmp_path / "mountinfo"))


def test_where_no_table_tells_they_do_not() -> None:
    assert not folders.holds_sockets("/var", "/nowhere/mountinfo")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the table of mounts is not read")
def test_sockets_lie_in_the_state_folder(nagomi_home: Path) -> None:
    assert paths.make_socket_folder() == nagomi_home / "state" / "run"
    assert folders.recorded() == [str(nagomi_home / "state" / "run")]


def test_a_path_that_is_too_long_leads_to_the_temporary_folder(
    monkeypatch: pytest.MonkeyPatch, nagomi_home: Path
) -> None:
    far = str(nagomi_home / ("x" * 120))
    monkeypatch.setenv("NAGOMI_HOME", far)
    chosen = paths.make_socket_folder()
    assert str(chosen.parent) == f"/tmp/nagomi-{os.getuid()}"
    with tempfile.TemporaryDirectory() as other:
        monkeypatch.setenv("TMPDIR", other)
        assert paths.socket_folder() == paths.make_socket_folder() == chosen
        (nagomi_home / ("x" * 120) / "state" / "sockets").unlink()
        assert str(paths.make_socket_folder()).startswith(other)
        assert str(chosen) in folders.places()
    chosen.rmdir()


def test_former_places_are_remembered(nagomi_home: Path) -> None:
    (nagomi_home / "state").mkdir(mode=0o700)
    for number in range(6):
        folders.record(f"/tmp/nagomi-0/{number}")
        folders.record(f"/tmp/nagomi-0/{number}")
    assert folders.recorded() == [f"/tmp/nagomi-0/{number}" for number in (5, 4, 3, 2)]


@pytest.mark.parametrize("content", ["", "\n\n", "relative/run\n", "/a/../b\n", "\udcff" * 9000])
def test_a_record_that_tells_nothing_is_passed_over(nagomi_home: Path, content: str) -> None:
    (nagomi_home / "state").mkdir(mode=0o700)
    (nagomi_home / "state" / "sockets").write_bytes(os.fsencode(content))
    assert folders.recorded() == []
    assert paths.make_socket_folder().is_dir()


def test_a_fifo_for_a_record_is_not_waited_for(nagomi_home: Path) -> None:
    (nagomi_home / "state").mkdir(mode=0o700)
    os.mkfifo(nagomi_home / "state" / "sockets")
    assert folders.recorded() == []


def test_a_session_prefers_what_it_was_told(
    monkeypatch: pytest.MonkeyPatch, nagomi_home: Path
) -> None:
    told = Path("/var/tmp") / f"nagomi-{os.getuid()}" / Path(folders.places()[-1]).name
    monkeypatch.setenv("NAGOMI_SOCKET", str(told / "front"))
    assert folders.places()[0] == str(told)
    monkeypatch.setenv("NAGOMI_HOME", str(nagomi_home / "another"))
    assert str(told) not in folders.places()


@pytest.mark.parametrize("umask", ["0", "022", "077"])
def test_a_home_that_is_made_is_its_user_s_alone(umask: str) -> None:
    with tempfile.TemporaryDirectory(prefix="ng", dir="/tmp") as root:
        home = Path(root) / "one" / "home"
        code = "from nagomi_tui.system import paths; paths.make_private(paths.state_folder())"
        env = {**os.environ, "NAGOMI_HOME": str(home)}
        line = ["sh", "-c", f'umask {umask}; exec "$0" "$@"', sys.executable, "-c", code]
        subprocess.run(line, env=env, check=True)
        made = (home.parent, home, home / "state")
        assert [stat.S_IMODE(folder.stat().st_mode) for folder in made] == [0o700] * 3


def test_settings_may_be_kept_elsewhere_by_a_link_of_ours(nagomi_home: Path) -> None:
    (nagomi_home / "dotfiles").mkdir(mode=0o755)
    (nagomi_home / "config").symlink_to(nagomi_home / "dotfiles")
    assert paths.make_private(paths.config_folder()) == nagomi_home / "config"
    assert (nagomi_home / "config").is_symlink()
    assert stat.S_IMODE((nagomi_home / "dotfiles").stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs root")
def test_a_link_of_another_user_is_not_followed(nagomi_home: Path) -> None:
    (nagomi_home / "mine").mkdir(mode=0o755)
    (nagomi_home / "config").symlink_to(nagomi_home / "mine")
    os.lchown(nagomi_home / "config", 54322, 54322)
    with pytest.raises(paths.PlaceError, match="symbolic link of 54322"):
        paths.make_private(paths.config_folder())
    assert stat.S_IMODE((nagomi_home / "mine").stat().st_mode) == 0o755


def test_a_record_that_cannot_be_written_stops_nobody(nagomi_home: Path) -> None:
    (nagomi_home / "state" / "sockets").mkdir(parents=True, mode=0o700)
    assert paths.make_socket_folder().is_dir()
    assert folders.recorded() == []


def test_a_folder_that_no_message_can_name_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"a\xffb")
    with pytest.raises(paths.PlaceError, match="not valid UTF-8"):
        paths.make_private(folder)
    assert not folder.exists()
