"""What goes wrong outside of nagomi is one clear sentence, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.system.outcome import Exit
from tests.helpers.command import NAGOMI, Commands, workplace
from tests.helpers.workplace import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

AS_ROOT = sys.platform != "win32" and os.getuid() == 0


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path that is there for everyone."""
    made = Path(tempfile.mkdtemp(prefix="ng", dir="/tmp"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@contextmanager
def without_rights() -> Iterator[Commands]:
    """Give a workplace of somebody who may not read everything: root gives that away."""
    with workplace() as nagomi:
        if AS_ROOT:
            nagomi.program = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", *NAGOMI)
        yield nagomi


def _count(nagomi: Commands) -> int:
    return len(nagomi.json("ls"))


def test_a_missing_command(nagomi: Commands) -> None:
    before = _count(nagomi)
    sentence = nagomi.fails(Exit.USAGE, "new", "--", "no-such-command-anywhere", "-x")
    assert "no-such-command-anywhere" in sentence
    assert _count(nagomi) == before, "nothing is left of it"


def test_a_missing_folder(nagomi: Commands, folder: Path) -> None:
    missing = folder / "missing"
    sentence = nagomi.fails(Exit.USAGE, "new", "--cwd", str(missing), "--", "cat")
    assert str(missing) in sentence


def test_a_file_as_folder(nagomi: Commands, folder: Path) -> None:
    (folder / "file").touch()
    nagomi.fails(Exit.USAGE, "new", "--cwd", str(folder / "file"), "--", "cat")


def test_a_folder_without_permission(folder: Path) -> None:
    forbidden = folder / "forbidden"
    forbidden.mkdir(mode=0o000)
    with without_rights() as nagomi:
        sentence = nagomi.fails(Exit.USAGE, "new", "--cwd", str(forbidden), "--", "cat")
        assert str(forbidden) in sentence


def test_a_folder_of_settings_that_may_not_be_read_keeps_nothing_from_starting() -> None:
    with without_rights() as nagomi:
        (nagomi.home / "config").mkdir(mode=0o000)
        assert _count(nagomi) == 0
        nagomi.ok("new", "--", "cat")
        assert _count(nagomi) == 1


def test_folders_of_others_are_as_good_as_none(folder: Path) -> None:
    """Settings and variables may name some, as after `su` without a dash."""
    forbidden = folder / "forbidden"
    forbidden.mkdir(mode=0o000)
    with without_rights() as nagomi:
        (nagomi.home / "config").mkdir()
        named = {"sound_folder": f"{forbidden}/sounds", "llm_key_file": f"{forbidden}/key"}
        (nagomi.home / "config" / "settings.json").write_text(json.dumps(named))
        nagomi.env |= {"HOME": f"{forbidden}/home", "XDG_RUNTIME_DIR": str(forbidden)}
        nagomi.ok("new", "--cwd", "/", "--", "cat")
        nagomi.ok("sound", "status")
        assert _count(nagomi) == 1


def test_a_session_s_folder_that_may_not_be_entered_any_more(folder: Path) -> None:
    inner = folder / "outer" / "inner"
    inner.mkdir(parents=True)
    with without_rights() as nagomi:
        nagomi.ok("new", "--cwd", str(inner), "--", "cat")
        inner.parent.chmod(0o000)
        Place(nagomi.home).end_residents()
        nagomi.ok("new", "--cwd", "/", "--", "cat")
        assert _count(nagomi) == 2
        inner.parent.chmod(0o700)


def test_an_empty_command(nagomi: Commands) -> None:
    assert "empty" in nagomi.fails(Exit.USAGE, "new", "--", "")


def test_ten_thousand_columns(nagomi: Commands) -> None:
    assert "10000x30" in nagomi.fails(Exit.USAGE, "new", "--size", "10000x30", "--", "cat")


def test_a_worker_that_is_not_there(nagomi: Commands) -> None:
    assert "moon" in nagomi.fails(Exit.USAGE, "new", "--worker", "moon", "--", "cat")


def test_a_folder_that_is_gone_under_one_s_feet(nagomi: Commands, folder: Path) -> None:
    gone = folder / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", *NAGOMI, "new", "--", "cat"],
        cwd=gone,
        env=nagomi.env,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == Exit.FAILED
    assert "does not exist any more" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_home_of_200_characters(folder: Path) -> None:
    long = folder / ("h" * 100) / ("o" * 95)
    env = {name: value for name, value in os.environ.items() if name != "NAGOMI_HOME"}
    nagomi = Commands(long, {**env, "HOME": str(long)})
    del nagomi.env["NAGOMI_HOME"]
    try:
        assert len(str(long)) > 200
        assert nagomi.json("new", "--", "cat")["number"] == 1
        sockets = nagomi.json("doctor")["checks"]
        found = next(check["found"] for check in sockets if check["key"] == "socket")
        assert len(found) < 104
    finally:
        nagomi.ok("quit", "--yes")


def test_a_home_that_cannot_be_written(folder: Path) -> None:
    """A file stands where the home folder would be; not even root can make a folder there."""
    blocked = folder / "blocked"
    blocked.touch()
    nagomi = Commands(blocked / "home", os.environ)
    sentence = nagomi.fails(Exit.FAILED, "new", "--", "cat")
    assert f"{blocked} is no folder" in sentence
    assert "NAGOMI_HOME" in sentence


@pytest.mark.skipif(not AS_ROOT, reason="mounting takes root")
def test_a_read_only_home(folder: Path) -> None:
    with _mounted(folder, "ro"):
        nagomi = Commands(folder / "home", os.environ)
        assert "NAGOMI_HOME" in nagomi.fails(Exit.FAILED, "new", "--", "cat")
        assert nagomi.json("ls") == []
        told = nagomi.run("doctor", "--json")
        assert told.returncode == Exit.FAILED
        checks = {check["key"]: check["result"] for check in json.loads(told.stdout)["checks"]}
        assert checks["state_folder"] == "missing"


@pytest.mark.skipif(not AS_ROOT, reason="mounting takes root")
def test_a_full_disk_at_the_start(folder: Path) -> None:
    with _mounted(folder, "size=64k"):
        _fill(folder)
        nagomi = Commands(folder / "home", os.environ)
        try:
            done = nagomi.run("new", "--", "cat")
            assert done.returncode in (Exit.OK, Exit.FAILED)
            if done.returncode:
                assert done.stderr.count("\n") == 1
                assert done.stderr.startswith("nagomi: ")
        finally:
            nagomi.close()


@pytest.mark.skipif(not AS_ROOT, reason="mounting takes root")
def test_a_disk_that_fills_up_loses_no_session(folder: Path) -> None:
    with _mounted(folder, "size=2m"):
        nagomi = Commands(folder / "home", os.environ)
        try:
            number = nagomi.new("while read -r text; do echo got-$text; done")
            _fill(folder)
            nagomi.ok("send", number, "word")
            nagomi.ok("wait", number, "--until", "output", "^got-", "--timeout", "20")
            nagomi.ok("rename", number, "renamed")
            assert nagomi.json("ls")[0]["name"] == "renamed"
            assert nagomi.run("new", "--", "cat").returncode in (Exit.OK, Exit.FAILED)
            assert nagomi.json("ls")[0]["name"] == "renamed"
        finally:
            nagomi.close()


class _mounted:
    """A small file system of its own at a folder."""

    def __init__(self, folder: Path, options: str) -> None:
        self._folder = folder
        self._options = options

    def __enter__(self) -> None:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", self._options, "tmpfs", self._folder],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")

    def __exit__(self, *exc_info: object) -> None:
        subprocess.run(["umount", "--lazy", self._folder], check=True)


def _fill(folder: Path) -> None:
    """Write until nothing fits any more."""
    with open(folder / "ballast", "wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(b"x" * 4096)
        except OSError:
            return


def test_two_workplaces_do_not_meet(nagomi: Commands) -> None:
    nagomi.new("cat", name="here")
    with workplace() as other:
        other.new("cat", name="there")
        assert [session["name"] for session in other.json("ls")] == ["there"]
        assert "there" not in {session["name"] for session in nagomi.json("ls")}
