"""The worker is brought to where none is installed, over the line on which it then speaks."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shlex
import shutil
import socket
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import anyio
import pytest

import nagomi_worker.packed
from nagomi_tui.hands import bringing as packing
from nagomi_tui.hands import far_side as far_side_program
from nagomi_tui.hands.bringing import (
    MARK,
    PATIENT,
    Ended,
    Patience,
    bring,
    far_command,
    far_program,
)
from nagomi_tui.hands.hand import BadHand
from nagomi_worker.wire import protocol
from tests.helpers.far import FarSide, brought, by, far_side, works
from tests.helpers.waiting import PATIENCE, alive, until
from tests.helpers.worker import Link

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the far side has a POSIX shell")
SOON: Final = Patience(1.0, 1.0, 1.0)


@pytest.fixture
def far(tmp_path: Path) -> FarSide:
    """A far side whose Python is ours, so that it takes our compiled modules."""
    side = far_side(tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    os.symlink(os.path.realpath(sys.executable), tools / "python3")
    side.env["PATH"] = f"{tools}:{side.env['PATH']}"
    return side


def pack_of_ours() -> packing.Pack:
    return packing.pack_for(packing.SUFFIX)


def only(pythons: Path) -> list[str]:
    """The far command where the Pythons in the usual places are not seen."""
    *words, script = far_command()
    return [*words, f"PATH={pythons}; {script.replace(' /', ' /nowhere/')}"]


def fake_python(folder: Path, answer: str) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / "python3"
    program.write_text(f"#!/bin/sh\n{answer}\n")
    program.chmod(0o755)
    return folder


def refused(line: socket.socket, patience: Patience = PATIENT) -> str:
    with pytest.raises(BadHand) as caught:
        brought(line, patience=patience)
    return str(caught.value)


def drive(line: socket.socket, order: dict[str, Any], data: bytes) -> list[bytes]:
    """Send what `bring` sends, but any order and data; return the lines of ours that came."""
    line.setblocking(True)
    line.settimeout(PATIENCE)
    line.sendall(far_program())
    heard = line.makefile("rb")
    facts = heard.readline()
    assert facts.startswith(MARK + b"facts ")
    line.sendall(json.dumps({"arguments": ["--stdio"], **order}).encode() + b"\n" + data)
    line.shutdown(socket.SHUT_WR)
    return [one for one in heard if one.startswith(MARK)]


def test_the_name_of_a_pack_proves_every_file_of_it() -> None:
    files = {"b/two": b"2" * 1000, "one": b"1"}
    made = packing.pack(files)
    assert made == packing.pack(dict(reversed(files.items())))
    assert made.name != packing.pack(files | {"one": b"!"}).name
    manifest, _, content = zlib.decompress(made.data).partition(b"\n\n")
    assert hashlib.sha256(manifest + b"\n").hexdigest() == made.name
    assert content == b"2" * 1000 + b"1"
    assert pack_of_ours().name != packing.pack_for("another").name


def test_the_worker_is_sent_once_and_then_runs_from_the_cache(far: FarSide) -> None:
    pack = pack_of_ours()
    with far.line() as line:
        first = brought(line)
        assert (first.sent, first.plain) == (len(pack.data), False)
        works(line)
    assert far.packs == [pack.name]
    with far.line() as line:
        assert brought(line).sent == 0
        works(line)


@pytest.mark.slow
def test_a_resident_worker_outlives_the_line(far: FarSide) -> None:
    pids = []
    for _ in range(2):
        with far.line() as line:
            brought(line, "--stdio", "--resident")
            link = works(line)
            pids.append(link.wait(protocol.Hello).pid)
    assert pids[0] == pids[1]
    if sys.platform == "linux":
        command = Path(f"/proc/{pids[0]}/cmdline").read_text()
        assert f"{far.cache / pack_of_ours().name}/nagomi_worker/packed.py" in command
    with far.line() as line:
        brought(line, "--stdio", "--resident")
        Link(line).send(protocol.Quit())
        until(lambda: not alive(pids[0]), "the end of the worker")


@pytest.mark.slow
@pytest.mark.parametrize(
    "shell", ["sh -c", "bash -lc", "zsh -c", "fish -c", "dash -c", "tcsh -c", "ksh -c"]
)
def test_every_login_shell_hands_the_command_on(far: FarSide, shell: str) -> None:
    words = shlex.split(shell)
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not here")
    with far.line(by(words)) as line:
        brought(line)
        works(line)


def test_what_a_login_prints_is_skipped(far: FarSide) -> None:
    banner = r"printf '\377\0\033]0;title\007Welcome!\nnagomi-fa'; exec "
    with far.line(["sh", "-c", banner + shlex.join(far_command())]) as line:
        brought(line)
        works(line)


def test_a_login_that_prints_without_end_is_given_up(far: FarSide) -> None:
    with far.line(["yes", "again"]) as line:
        assert "prints without end: again" in refused(line)


def test_without_python_the_sentence_says_what_to_install(far: FarSide, tmp_path: Path) -> None:
    with far.line(only(tmp_path / "none")) as line:
        assert "no Python there. Install Python 3.11" in refused(line)


def test_of_old_pythons_the_newest_is_named(far: FarSide, tmp_path: Path) -> None:
    with far.line(only(fake_python(tmp_path / "old", "echo 309"))) as line:
        assert "newest Python there is 3.9; the worker needs 3.11" in refused(line)


@pytest.mark.slow
def test_a_newer_python_is_found_beside_an_old_one(far: FarSide, tmp_path: Path) -> None:
    pythons = fake_python(tmp_path / "both", "echo 306")
    os.symlink(os.path.realpath(sys.executable), pythons / "python3.11")
    with far.line(only(pythons)) as line:
        brought(line)
        works(line)


def test_a_python_that_lacks_a_part_is_told(far: FarSide, tmp_path: Path) -> None:
    real = shlex.quote(os.path.realpath(sys.executable))
    broken = fake_python(tmp_path / "broken", f'exec {real} "$@"')
    pack = packing.pack({"nagomi_worker/__init__.py": b"", "nagomi_worker/packed.py": _packed()})
    with far.line(only(broken)) as line:
        said = drive(line, {"pack": pack.name, "size": len(pack.data)}, pack.data)
    assert b"failed" in said[-1] and b'"why": "python"' in said[-1]


def _packed() -> bytes:
    return Path(nagomi_worker.packed.__file__).read_bytes()


def test_other_words_than_ours_are_shown(far: FarSide) -> None:
    with far.line(["sh", "-c", "echo This account is not available.; exit 1"]) as line:
        with pytest.raises(Ended) as caught:
            brought(line)
        assert "This account is not available." in str(caught.value)
    with far.line(["sh", "-c", "echo nagomi-far hi; sleep 9"]) as line:
        assert "not what nagomi has sent: hi" in refused(line)


def test_silence_ends(far: FarSide) -> None:
    with far.line(["sleep", "60"]) as line:
        assert refused(line, SOON) == "Nothing was heard from there for 1 seconds."


@pytest.mark.slow
def test_a_terminal_in_between_is_told(far: FarSide) -> None:
    spawn = f"import pty; pty.spawn({[*far_command()]!r})"
    with far.line([sys.executable, "-c", spawn]) as line:
        assert "Leave `-t` out" in refused(line)


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.99])
def test_a_transfer_that_is_cut_leaves_nothing(far: FarSide, part: float) -> None:
    pack = pack_of_ours()
    with far.line() as line:
        cut = pack.data[: int(len(pack.data) * part)]
        assert drive(line, {"pack": pack.name, "size": len(pack.data)}, cut) == []
    assert far.packs == []
    with far.line() as line:
        assert brought(line).sent == len(pack.data)
        works(line)


@pytest.mark.parametrize("at", [0, 5000, -1])
def test_changed_bytes_are_noticed(far: FarSide, at: int) -> None:
    pack = pack_of_ours()
    data = bytearray(pack.data)
    data[at] ^= 0x20
    with far.line() as line:
        said = drive(line, {"pack": pack.name, "size": len(data)}, bytes(data))
    assert b'"why": "damaged"' in said[-1]
    assert far.packs == []


@pytest.mark.slow
def test_a_pack_in_which_something_is_missing_is_sent_again(far: FarSide) -> None:
    with far.line() as line:
        brought(line)
        works(line)
    (far.cache / pack_of_ours().name / "nagomi_worker" / "server.py").write_bytes(b"")
    with far.line() as line:
        assert brought(line).sent > 0
        works(line)
    assert far.packs == [pack_of_ours().name]


@pytest.mark.slow
def test_two_at_once_end_in_one_pack(far: FarSide) -> None:
    def one(_: int) -> None:
        with far.line() as line:
            brought(line)
            works(line)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(one, range(4)))
    assert far.packs == [pack_of_ours().name]


def test_without_a_home_folder_a_temporary_one_is_used(far: FarSide, tmp_path: Path) -> None:
    place = tmp_path / "tmp" / f"nagomi-worker-{os.getuid()}"
    with far.line(HOME="/proc/none") as line:
        brought(line)
        works(line)
    assert os.listdir(place) == [pack_of_ours().name]
    assert place.stat().st_mode & 0o777 == 0o700
    with far.line(HOME="/proc/none") as line:
        assert brought(line).sent == 0


def test_a_folder_that_others_can_enter_is_not_used(tmp_path: Path) -> None:
    place = tmp_path / "place"
    assert not far_side_program.is_ours(str(place))
    place.mkdir(mode=0o700)
    assert far_side_program.is_ours(str(place))
    (tmp_path / "link").symlink_to(place)
    assert not far_side_program.is_ours(str(tmp_path / "link"))
    place.chmod(0o750)
    assert not far_side_program.is_ours(str(place))
    if os.getuid() == 0:
        place.chmod(0o700)
        os.chown(place, 12345, -1)
        assert not far_side_program.is_ours(str(place))


@pytest.mark.slow
def test_of_old_packs_three_are_kept_and_those_in_use(far: FarSide) -> None:
    far.cache.mkdir(parents=True, mode=0o700)
    for number in range(5):
        old = far.cache / (str(number) * 64)
        old.mkdir()
        (old / "MANIFEST").write_bytes(b"")
        os.utime(old, (number, number))
    (far.cache / ".new-left").mkdir()
    os.utime(far.cache / ".new-left", (0, 0))
    with (far.cache / ("0" * 64) / "MANIFEST").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        with far.line() as line:
            brought(line)
    assert far.packs == sorted(["0" * 64, "3" * 64, "4" * 64, pack_of_ours().name])


@pytest.mark.slow
def test_a_worker_that_runs_holds_its_pack(far: FarSide) -> None:
    with far.line() as line:
        brought(line)
        works(line)
        manifest = far.cache / pack_of_ours().name / "MANIFEST"
        with manifest.open("r+b") as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def on_disks(*disks: str) -> list[str]:
    """The far command on small disks of its own; skips where none can be mounted."""
    mounts = "".join(
        f"mount -t tmpfs -o {disk.split()[0]} none {disk.split()[1]} && " for disk in disks
    )
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    if os.system(shlex.join([*words, f"{mounts}true"]) + " 2>/dev/null") != 0:
        pytest.skip("no disk can be mounted here")
    return [*words, f"{mounts} exec {shlex.join(far_command())}"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="mounts")
def test_a_full_disk_is_told(far: FarSide, tmp_path: Path) -> None:
    places = (far.home, tmp_path / "tmp", "/tmp", "/var/tmp", "/dev/shm")
    with far.line(on_disks(*(f"size=64k {place}" for place in places))) as line:
        assert "no room for the worker there" in refused(line)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="mounts")
def test_where_nothing_may_be_executed_the_plain_worker_runs(far: FarSide) -> None:
    with far.line(on_disks(f"noexec {far.home}")) as line:
        assert brought(line).plain
        link = works(line)
    assert "plain" in link.wait(protocol.Hello).capabilities


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_another_python_runs_the_plain_worker(far: FarSide, tmp_path: Path, version: str) -> None:
    beside_ours = Path(os.path.realpath(sys.executable)).parents[2]
    found = [*map(str, beside_ours.glob(f"{version}.*/bin/python3")), f"/usr/bin/python{version}"]
    real = next(filter(os.path.exists, found), "")
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}" or not real:
        pytest.skip("it is ours, or is not here")
    pythons = fake_python(tmp_path / "another", f'exec {real} "$@"')
    with far.line(only(pythons)) as line:
        running = brought(line)
        assert running.plain and running.python.startswith(version)
        link = works(line)
        link.start("b", "sh -c 'sleep 1000 & setsid sleep 1000 & echo on; cat'")
        link.wait_text("b", "on")
        link.wait(protocol.Phase, "b")
        link.send(protocol.StopSession(session_id="b"))
        ended = link.wait(protocol.Exit, "b")
        assert ended.signal and not ended.left


def test_what_was_sent_so_far_is_told(far: FarSide) -> None:
    told: list[tuple[int, int]] = []

    async def run(line: socket.socket) -> None:
        await bring(line, ["--stdio"], progress=lambda sent, all_of: told.append((sent, all_of)))

    with far.line() as line:
        anyio.run(run, line)
    size = len(pack_of_ours().data)
    assert told[-1] == (size, size) and told == sorted(told)
