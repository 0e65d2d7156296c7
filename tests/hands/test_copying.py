"""Small files through a hand's command: whole or not at all, and never over what is there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.cli import main
from nagomi_tui.hands import copying, registry
from nagomi_tui.hands.hand import Hand
from tests.helpers.sshd import host
from tests.helpers.waiting import PATIENCE, until

if TYPE_CHECKING:
    from pathlib import Path

DATA = bytes(range(256)) * 4000 + b"\n\n nagomi-end\r\n"


@pytest.fixture
def far(tmp_path: Path) -> Path:
    """The home folder of the hand `big`, which is a login that prints; `small` has another."""
    for name in ("big", "small"):
        home = tmp_path / name
        home.mkdir()
        login = f'echo Welcome; HOME={home} exec "$0" "$@"'
        registry.add(Hand(name=name, command=("/bin/sh", "-c", login)))
    return tmp_path / "big"


def copied(*words: str) -> int:
    return main(["copy", *words])


def test_a_file_goes_there_comes_back_and_passes_between_two(
    tmp_path: Path, far: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = tmp_path / "it's a $file.bin"
    here.write_bytes(DATA)
    here.chmod(0o700)
    assert copied(str(here), "big:there") == 0
    assert (far / "there").read_bytes() == DATA and os.access(far / "there", os.X_OK)
    (far / "folder").mkdir()
    assert copied(f"local:{here}", "big:~/folder") == 0
    assert (far / "folder" / here.name).read_bytes() == DATA
    assert copied(f"{here}", "small:") == 0
    assert (far.parent / "small" / here.name).read_bytes() == DATA
    assert copied("big:there", "small:a b") == 0
    assert (far.parent / "small" / "a b").read_bytes() == DATA
    assert copied(f"big:{far}/there", f":{tmp_path}/back") == 0
    assert (tmp_path / "back").read_bytes() == DATA and os.access(tmp_path / "back", os.X_OK)
    (far / "empty").touch()
    assert copied("big:empty", f"{tmp_path}/empty") == 0
    assert (tmp_path / "empty").read_bytes() == b""
    assert f"{len(DATA)} bytes" in capsys.readouterr().out
    assert sorted(os.listdir(far)) == ["empty", "folder", "there"]


def test_what_is_there_is_replaced_by_force_only(
    tmp_path: Path, far: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "new").write_text("new")
    for old, target in ((far / "old", "big:old"), (tmp_path / "old", str(tmp_path / "old"))):
        old.write_text("old")
        assert copied(f"{tmp_path}/new", target) == 1
        assert old.read_text() == "old" and "`--force` replaces it" in capsys.readouterr().err
        assert copied(f"{tmp_path}/new", target, "--force") == 0
        assert old.read_text() == "new"
    assert os.listdir(far) == ["old"]


def test_what_cannot_be_copied_is_said_in_a_sentence(
    tmp_path: Path, far: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (far / "folder" / "inner").mkdir(parents=True)
    os.mkfifo(far / "pipe")
    with (far / "large").open("wb") as file:
        file.truncate(copying.LIMIT + 1)
    (tmp_path / "inner").write_text("x")
    full = "head() { echo write error: No space left on device >&2; }; "
    command = f'HOME={far} exec "$0" "$1" "{full}$2" "${{@:3}}"'
    registry.add(Hand(name="full", command=("/bin/bash", "-c", command)))
    for source, target, words in (
        ("big:absent", str(tmp_path), "There is no file big:absent"),
        ("big:folder", str(tmp_path), "only single files"),
        ("big:pipe", str(tmp_path), "no regular file"),
        ("big:large", str(tmp_path), "at most 64 MiB"),
        (f"{tmp_path}/inner", "big:folder", "only single files"),
        (f"{tmp_path}/inner", "big:no/such/place", "There is no folder for big:no/such/place"),
        (f"{tmp_path}/inner", "big:none/", "There is no folder for big:none/"),
        (f"{tmp_path}/inner", f"{tmp_path}/none/", "There is no folder for"),
        (f"{tmp_path}/inner", f"{tmp_path}/none/x", "There is no folder for"),
        (f"{tmp_path}/inner", "full:x", "There is no room for full:x"),
        (f"{tmp_path}/inner", "big:pipe", "no regular file"),
        (f"{tmp_path}/absent", "big:x", "There is no file"),
        (f"{tmp_path}/big", "big:x", "only single files"),
        (f"{far}/large", "big:x", "at most 64 MiB"),
        ("bog:x", str(tmp_path), "did you mean `big`"),
        ("big:", str(tmp_path), "names no file"),
        (f"{tmp_path}/inner", "", "names no file"),
    ):
        assert copied(source, target) != 0
        assert words in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path)) == ["big", "inner", "small"]
    assert sorted(os.listdir(far)) == ["folder", "large", "pipe"]


def test_a_line_that_breaks_leaves_nothing(
    tmp_path: Path, far: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (far / "there").write_bytes(DATA)
    reading = 'exec "$0" "$@" | head -c 5000'
    registry.add(
        Hand(name="brief", command=("/bin/sh", "-c", f"HOME={far}; export HOME; {reading}"))
    )
    assert copied("brief:there", f"{tmp_path}/back") == 1
    assert "brief" in capsys.readouterr().err and not (tmp_path / "back").exists()
    sending = '{ head -c 5000; } | "$0" "$@"'
    registry.add(
        Hand(name="lossy", command=("/bin/sh", "-c", f"HOME={far}; export HOME; {sending}"))
    )
    (tmp_path / "new").write_bytes(DATA)
    assert copied(f"{tmp_path}/new", "lossy:new") == 1
    assert "did not arrive whole" in capsys.readouterr().err
    assert os.listdir(far) == ["there"]


def test_ctrl_c_stops_it_and_leaves_nothing(tmp_path: Path, far: Path) -> None:
    slow = '{ head -c 5000; sleep 3; } | "$0" "$@"'
    registry.add(Hand(name="slow", command=("/bin/sh", "-c", f"HOME={far}; export HOME; {slow}")))
    (tmp_path / "new").write_bytes(DATA)
    words = [sys.executable, "-P", "-m", "nagomi_tui", "copy", f"{tmp_path}/new", "slow:new"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, start_new_session=True)
    until(lambda: os.listdir(far))
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(PATIENCE) == 130
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    until(lambda: os.listdir(far) == [])


@pytest.mark.slow
def test_it_goes_over_a_real_ssh(tmp_path: Path) -> None:
    with host(tmp_path) as machine:
        _, *options, target, _ = machine.argv("", terminal=False)
        command = ("ssh", "-T", *options, "--", target)
        registry.add(Hand(name="big", kind="ssh", command=command))
        (tmp_path / "new").write_bytes(DATA)
        far = tmp_path / "far file"
        assert copied(f"{tmp_path}/new", f"big:{far}") == 0
        assert far.read_bytes() == DATA
        assert copied(f"big:{far}", f"{tmp_path}/back") == 0
        assert (tmp_path / "back").read_bytes() == DATA
