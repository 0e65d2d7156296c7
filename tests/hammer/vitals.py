"""What must hold of a workplace whatever is done to it, and what may be left when it is quit."""

from __future__ import annotations

import contextlib
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

import psutil

from nagomi_tui.api import messages as m
from nagomi_tui.api.client import Gone
from nagomi_tui.system import paths
from tests.helpers.waiting import until
from tests.helpers.workplace import workplace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.helpers.workplace import Place

ANSWER_SECONDS: Final = 10.0
"""Longest until a new client has the list of sessions, on a machine that others use too."""
_QUIT_SECONDS: Final = 25.0


class Bound(NamedTuple):
    """Most of each that a process may have."""

    megabytes: int
    threads: int
    files: int


BOUNDS: Final = {
    # anyio keeps up to 40 threads for calls that block.
    "nagomi_tui.orchestrator": Bound(400, 48, 120),
    "nagomi_tui.orchestrator.supervisor": Bound(60, 4, 40),
    "nagomi_tui.commands.start.zygote": Bound(120, 2, 40),
    "nagomi_worker": Bound(150, 2, 120),
    "nagomi_tui": Bound(300, 16, 80),
}


def answers(place: Place) -> float:
    """Return after how many seconds a new client has the list of sessions."""
    began = time.monotonic()
    with place.connect() as connection:
        connection.request(m.ListSessions(id=0), timeout=ANSWER_SECONDS)
    took = time.monotonic() - began
    assert took < ANSWER_SECONDS, f"the list of sessions came after {took:.1f} s"
    return took


def states(place: Place) -> dict[str, str]:
    """Return how each session stands, by name."""
    with place.connect() as connection:
        listed = connection.request(m.ListSessions(id=0), timeout=ANSWER_SECONDS).sessions
    return {session.name: session.state for session in listed}


def well(place: Place) -> str:
    """Hold that every process of nagomi's here is within its bounds; return the largest figures."""
    took = answers(place)
    until(lambda: not _zombies(place), "children that ended are reaped", patience=5)
    told = []
    for module, bound in BOUNDS.items():
        for pid in place.pids_of(module):
            with contextlib.suppress(psutil.NoSuchProcess):
                told.append(_within(module, psutil.Process(pid), bound))
    return f"answers in {took:.2f} s, {max(told)}"


def _within(module: str, process: psutil.Process, bound: Bound) -> str:
    megabytes = process.memory_info().rss >> 20
    found = Bound(megabytes, process.num_threads(), process.num_fds())
    over = [
        f"{value} {name}" for name, value in found._asdict().items() if value > getattr(bound, name)
    ]
    assert not over, f"{module} has {', '.join(over)}"
    return f"{megabytes:>3} MB in {module}"


def _zombies(place: Place) -> list[psutil.Process]:
    found = []
    for pid in place.pids():
        with contextlib.suppress(psutil.Error):
            found += [
                child
                for child in psutil.Process(pid).children()
                if child.status() == psutil.STATUS_ZOMBIE
            ]
    return found


@contextmanager
def attended(seen: Callable[[str], None]) -> Iterator[Place]:
    """Give a workplace; it must be well at the end, and nothing of it be left when it is quit."""
    with workplace() as place:
        yield place
        seen(well(place))
        leaves_nothing(place)


def leaves_nothing(place: Place) -> None:
    """Quit, and hold that no process and no file of the sockets is left."""
    with place.connect() as connection, contextlib.suppress(Gone):
        connection.request(m.Quit(id=0), timeout=_QUIT_SECONDS)
    until(lambda: not place.pids(), "the processes end", patience=_QUIT_SECONDS)
    folder = paths.socket_folder()
    left = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    assert not left, f"left in the sockets' folder: {', '.join(left)}"
