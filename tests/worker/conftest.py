from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.helpers.worker import Link, Worker, short_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short folder for sockets."""
    with short_folder() as path:
        yield path


@pytest.fixture
def worker(folder: Path) -> Iterator[Worker]:
    """A resident worker."""
    running = Worker(folder / "w")
    try:
        yield running
    finally:
        running.end()


@pytest.fixture
def link(worker: Worker) -> Link:
    """A connection to the worker, with credit."""
    return worker.link()
