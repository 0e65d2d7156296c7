"""Who may be at the other end of a socket, in the worker's words and in the hook program's."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui import event
from nagomi_worker.wire import trust
from tests.helpers.users import STRANGER, command, need_users, python

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ng", dir="/tmp") as root:
        inner = Path(root) / "run"
        inner.mkdir(mode=0o700)
        yield inner


def agreed(path: Path) -> str:
    """Return what is wrong with a socket's folders, which the hook program sees alike."""
    found = ""
    try:
        trust.check_place(str(path))
    except trust.Untrusted as exc:
        found = exc.kind
    if found:
        with pytest.raises(PermissionError):
            event.check_place(str(path))
    else:
        event.check_place(str(path))
    return found


def test_folders_of_ours_alone_are_trusted(folder: Path) -> None:
    assert agreed(folder / "front") == ""


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o704, 0o720, 0o1777])
@pytest.mark.parametrize("above", [False, True])
def test_folders_that_others_can_enter_are_not(folder: Path, mode: int, above: bool) -> None:
    (folder.parent if above else folder).chmod(mode)
    assert agreed(folder / "front") == "open"


@pytest.mark.parametrize("above", [False, True])
def test_links_and_files_are_no_folders(folder: Path, above: bool) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder.parent if above else folder)
    assert agreed(link / "run" / "front" if above else link / "front") == "link"
    file = folder / "file"
    file.touch(0o600)
    assert agreed(file / "front") == "file"


def test_what_is_not_there_is_nobody_s(folder: Path) -> None:
    for check in (trust.check_place, event.check_place):
        with pytest.raises(FileNotFoundError):
            check(str(folder / "none" / "front"))


def test_folders_of_another_user_are_not_trusted(folder: Path) -> None:
    need_users()
    os.chown(folder, STRANGER, STRANGER)
    assert agreed(folder / "front") == "owner"
    os.chown(folder, 0, 0)
    os.chown(folder.parent, STRANGER, STRANGER)
    assert agreed(folder / "front") == "owner"


def test_who_listens_is_asked_for_before_anything_is_said(folder: Path) -> None:
    """The process counts, not the file: somebody had the folder before it was ours."""
    need_users()
    path = str(folder / "front")
    folder.parent.chmod(0o711)
    os.chown(folder, STRANGER, STRANGER)
    code = (
        "import socket, sys\n"
        "one = socket.socket(socket.AF_UNIX)\n"
        "one.bind(sys.argv[1]); one.listen(); print('up', flush=True)\n"
        "for _ in range(2):\n"
        "    print(len(one.accept()[0].recv(100)), flush=True)\n"
    )
    line = python(STRANGER, "-c", code, path)
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as listener:
        assert listener.stdout is not None
        assert listener.stdout.readline() == "up\n"
        os.chown(folder, 0, 0)
        folder.parent.chmod(0o700)
        os.chown(path, 0, 0)
        with pytest.raises(trust.Untrusted) as caught:
            trust.connect(path, 5.0)
        assert (caught.value.kind, caught.value.uid) == ("peer", STRANGER)
        assert listener.stdout.readline() == "0\n"
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(path)
            with pytest.raises(PermissionError):
                event.check_peer(peer)
        assert listener.stdout.readline() == "0\n"


def test_a_process_of_ours_is_believed(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "front"))
        listener.listen()
        with trust.connect(str(folder / "front"), 5.0) as ours:
            theirs = listener.accept()[0]
            for end in (ours, theirs):
                assert trust.peer_uid(end) == os.geteuid()
                trust.check_peer(end)
                event.check_peer(end)
            theirs.close()


@pytest.mark.parametrize("module", ["nagomi_worker.wire.trust", "nagomi_tui.event"])
def test_without_a_number_of_one_s_own_nobody_is_believed(module: str) -> None:
    """In a user namespace all who have none look like 65534, we among them."""
    code = f"import {module} as one, os; print(os.geteuid(), one.is_ours(os.geteuid()))"
    inside = ["unshare", "--user", sys.executable, "-c", code]
    done = subprocess.run(inside, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("user namespaces are not allowed here")
    assert done.stdout == "65534 False\n"


def test_the_true_nobody_is_somebody() -> None:
    need_users()
    for module in ("nagomi_worker.wire.trust", "nagomi_tui.event"):
        code = f"import {module} as one; print(one.is_ours(65534), one.is_ours(0))"
        line = [*command(65534), *python(65534)[4:], "-c", code]
        from tests.helpers.users import environment

        done = subprocess.run(line, env=environment(), capture_output=True, text=True, check=True)
        assert done.stdout == "True False\n"


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_whatever_the_umask_others_get_nothing(folder: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        if umask == 0o777 and os.geteuid() != 0:
            pytest.skip("nobody but root enters such a folder")
        trust.make_private(str(folder / "a" / "b" / "c"))
    finally:
        os.umask(before)
    made = [folder / "a", folder / "a/b", folder / "a/b/c"]
    assert all(place.stat().st_mode & 0o077 == 0 for place in made)


def test_a_folder_that_was_open_is_closed(folder: Path) -> None:
    folder.chmod(0o777)
    trust.make_private(str(folder))
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_link_is_not_followed_to_be_closed(folder: Path) -> None:
    target = folder / "target"
    target.mkdir(mode=0o755)
    target.chmod(0o755)
    (folder / "link").symlink_to(target)
    with pytest.raises(trust.Untrusted) as caught:
        trust.make_private(str(folder / "link"))
    assert caught.value.kind == "link"
    assert target.stat().st_mode & 0o777 == 0o755
