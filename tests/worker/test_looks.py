"""What a worker tells of its machine: what it is, and folders, also while a disk does not answer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nagomi_worker import looks as folders
from nagomi_worker.looks import FolderLooks, beginning
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.wire import protocol
from nagomi_worker.wire.messages import MOST_FOLDERS
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.helpers.worker import Link


def test_a_worker_tells_what_it_runs_on_and_which_folders_there_are(
    link: Link, tmp_path: Path
) -> None:
    for name in ("src/alpha", "src/albatros", "src/.hidden", "src/beta"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "src" / "alfile").touch()
    assert "look" in link.wait(protocol.Hello).capabilities
    link.send(protocol.AskHost(), protocol.ListFolders(path=f"{tmp_path}/src/al"))
    host = link.wait(protocol.Host)
    assert host.name == os.uname().nodename and host.cores == len(os.sched_getaffinity(0))
    assert 0 < host.free_mb < host.memory_mb and host.load is not None and host.system
    found = link.wait(protocol.Folders)
    assert found.path == f"{tmp_path}/src/al"
    assert found.folders == (f"{tmp_path}/src/albatros/", f"{tmp_path}/src/alpha/")
    link.run("a", "true")  # the forks are none of its sessions' processes


def test_folders_are_written_as_they_were_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", os.fspath(tmp_path))
    for number in range(30):
        (tmp_path / f"f{number:02}").mkdir()
    (tmp_path / ".dot").mkdir()
    assert beginning("~/f0") == [f"~/f0{digit}/" for digit in range(10)]
    assert len(beginning("~/")) == MOST_FOLDERS and beginning("~/.d") == ["~/.dot/"]
    assert beginning("relative") == beginning(f"{tmp_path}/no/such/") == beginning("~/\0") == []


def test_a_disk_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(path: str) -> list[str]:
        while True:
            os.read(os.pipe()[0], 1)

    monkeypatch.setattr(folders, "beginning", never)
    told: list[tuple[str, tuple[str, ...]]] = []
    loop = Loop()
    looks = FolderLooks(loop, lambda path, found: told.append((path, found)), seconds=0.2)
    for number in range(5):
        looks.find(f"/{number}")
    assert told == [("/4", ())]  # one more than may look at a time
    until(lambda: loop.turn(block=True) or len(told) == 5)
    assert sorted(told) == [(f"/{number}", ()) for number in range(5)]
    for _ in range(4):
        os.wait()
    loop.close()
