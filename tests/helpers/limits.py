"""Limits of other processes."""

from __future__ import annotations

import contextlib
import resource
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def out_of_files(pid: int) -> Iterator[None]:
    """Let a process open no file for a while."""
    if sys.platform != "linux":
        pytest.skip("limits of another process are set on Linux")
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


@contextlib.contextmanager
def files_at_first(count: int) -> Iterator[None]:
    """Let processes that are started meanwhile begin with so many open files allowed."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
