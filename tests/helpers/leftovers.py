"""What a failed test leaves behind is cleared away, so that no other one fails for it.

Its traceback keeps what its functions held, such as children that run and files that are open;
Python warns about each as soon as it is collected, and here a warning is a fault.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

_FAILED: Final = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """End the children that a failing test has started."""
    known = _children()
    try:
        yield
    except pytest.skip.Exception:
        raise
    except BaseException:
        item.stash[_FAILED] = True
        _end_children(known)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Collect what a failed test held, without a word, when nothing needs its traceback any more."""
    done = yield
    if item.stash.get(_FAILED, False):
        for name in ("last_exc", "last_type", "last_value", "last_traceback"):
            vars(sys).pop(name, None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
    return done


def _end_children(known: set[str]) -> None:
    """End those that are new; others belong to a fixture of several tests."""
    for child in [one for one in gc.get_objects() if isinstance(one, subprocess.Popen)]:
        if str(child.pid) not in known and child.poll() is None:
            child.kill()
            child.wait()


def _children() -> set[str]:
    return set(Path("/proc/thread-self/children").read_text().split())
