"""A worker holds more sessions than files are open to it at first; its programs do not notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_worker.wire import protocol
from tests.helpers.limits import files_at_first
from tests.helpers.worker import Worker, start_order

if TYPE_CHECKING:
    from pathlib import Path

FILES = 64


def test_a_session_more_than_files_and_programs_keep_the_limit_they_had(folder: Path) -> None:
    with files_at_first(FILES):
        worker = Worker(folder / "w")
    try:
        link = worker.link()
        names = [str(number) for number in range(FILES)]
        link.send(*(start_order(name, "cat") for name in names))
        for name in names:
            link.wait(protocol.Started, name)
        assert not [one for one in link.heard if isinstance(one, protocol.Error)]
        link.start("limit", "ulimit -S -n")
        link.wait_text("limit", f"{FILES}\r\n")
    finally:
        worker.end()
