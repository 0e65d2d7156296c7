"""A clean machine for every test: own home and workplace, no outer terminal, UTF-8, English.

Tests run side by side, and a file's tests in one process after the other. So a test shares no port,
bus, tmux server or folder with another file, waits for what it wants to see instead of sleeping, and
holds processor time or ratios of one run where it measures: a second may be a tenth of one. Those
that keep every core busy for seconds are marked `alone` and run when all others have ended.
"""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import signal
import socket
from typing import TYPE_CHECKING, Final

import pytest
from _pytest.pathlib import import_path

from nagomi_tui.system import paths
from tests.helpers import examples
from tests.helpers.homes import new_home
from tests.helpers.leftovers import pytest_runtest_call, pytest_runtest_protocol
from tests.helpers.workplace import Place, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["pytest_runtest_call", "pytest_runtest_protocol"]  # pytest finds them by their names

# Python's own thresholds cost a fifth of the time in processes that hold 10,000 tests.
gc.set_threshold(20_000, 20, 20)

examples.use()

_FOREIGN: Final = (
    "XDG_", "NAGOMI_", "LC_", "TMUX", "STY", "SSH_", "WSL", "TERM_PROGRAM", "KITTY_", "PYTHON",
)  # fmt: skip
"""Prefixes of variables that say where the developer sits; a test must not depend on them."""

_EACH_CORE: Final = 2
"""Tests that run side by side on each core: most of them wait for other processes."""
_SLOW_EACH_CORE: Final = 3
"""The same of the slow ones, which wait most of their time."""

_QUICK: Final = tuple(
    f"tests/{name}/"
    for name in ("api", "judge", "masking", "sessions", "settings", "system", "terminal", "text")
)
"""Folders of tests that wait for nobody: run last, they fill what the others leave of the cores."""

_BY_THEMSELVES: Final = {"hammer", "windows"}
"""Folders that no other run collects."""

_SINGLE: Final = ("COLUMNS", "LINES", "LANGUAGE", "NO_COLOR", "FORCE_COLOR", "COLORTERM", "DISPLAY")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Tell how many processes `-n auto` makes."""
    slow = config.getoption("markexpr").startswith(("slow", "variant"))
    return (_SLOW_EACH_CORE if slow else _EACH_CORE) * (os.cpu_count() or 1)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Have nobody wait when a process tells the first one how often a test was tried again.

    pytest-rerunfailures does so before each test in two small writes, of which TCP holds the
    second back for 40 ms: a minute in a whole run.
    """
    if peer := getattr(getattr(config, "failures_db", None), "sock", None):
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Have each of several processes load its share of all files first.

    What pytest makes of a file is kept for the others, which would all make it at the same time.
    """
    config = session.config
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args_source is not config.ArgsSource.TESTPATHS:
        return
    files = [
        file
        for file in sorted(config.rootpath.glob("tests/**/test_*.py"))
        if not _BY_THEMSELVES & set(file.parts)
    ]
    for file in files[int(worker["workerid"][2:]) :: worker["workercount"]]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # told when it is collected
            import_path(
                file, mode="importlib", root=config.rootpath, consider_namespace_packages=False
            )


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over all that collecting the tests has left."""
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--requirement N-38`, which may be given several times."""
    parser.addoption(
        "--requirement", action="append", help="run the tests of this requirement only"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what waits, in files of up to a minute, so that all processes end together."""
    if wanted := set(config.getoption("requirement") or ()):
        held = [item for item in items if wanted & _requirements_of(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in held])
        items[:] = held
    items.sort(key=lambda item: item.nodeid.startswith(_QUICK))


def _requirements_of(item: pytest.Item) -> set[str]:
    return {one for mark in item.iter_markers("requirement") for one in mark.args}


def _clean(environ: dict[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environ.items()
        if not name.startswith(_FOREIGN) and name not in _SINGLE
    }


def _free_signals() -> None:
    """Have children begin with every signal as it is by default, however pytest was started.

    What is ignored is inherited, and a handler is not: one that does nothing takes its place.
    """
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


@pytest.fixture(scope="session", autouse=True)
def clean_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Take the developer's own environment away for the whole run."""
    _free_signals()
    before = dict(os.environ)
    home = tmp_path_factory.mktemp("home")
    kept = _clean(before) | {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "SHELL": "/bin/sh",
        "TERM": "xterm-256color",
        "NAGOMI_ZYGOTE": "0",  # each workplace would load a front end that no test asks for
    }
    os.environ.clear()
    os.environ.update(kept)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The event loop on which each test runs that is a coroutine."""
    return "asyncio"


@pytest.fixture(autouse=True)
def nagomi_home(clean_machine: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A workplace of the test's own; its path is short, since a socket's may hold 107 bytes."""
    home = new_home()
    monkeypatch.setenv("NAGOMI_HOME", str(home))
    yield home
    monkeypatch.setenv("NAGOMI_HOME", str(home))
    shutil.rmtree(paths.socket_folder(), ignore_errors=True)
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def module_place(clean_machine: None) -> Iterator[Place]:
    """A workplace for all tests of a file that do not break it; `NAGOMI_HOME` is theirs to set."""
    with workplace() as running:
        yield running
