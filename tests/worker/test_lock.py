"""One process at a time holds a lock file, also where its holder takes the file away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_worker.runtime import files
from nagomi_worker.runtime.files import Busy, FileLock

if TYPE_CHECKING:
    from pathlib import Path


def test_who_comes_second_waits_or_is_told(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    first.take()
    with pytest.raises(Busy):
        second.take(patience=0.05)
    first.release()
    second.take()
    second.release()


def test_a_file_that_was_taken_away_in_between_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = tmp_path / "lock", files._try_lock
    tries: list[int] = []

    def leave_first(fd: int) -> bool:
        tries.append(fd)
        if len(tries) == 1:
            path.unlink()
        return real(fd)

    monkeypatch.setattr(files, "_try_lock", leave_first)
    holder = FileLock(path)
    holder.take()
    assert len(tries) == 2
    with pytest.raises(Busy):
        FileLock(path).take()
    holder.release()
