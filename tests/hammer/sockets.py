"""Clients that do not behave: raw bytes to a socket of nagomi's, and no more than that."""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING

from nagomi_tui.api import messages as m
from nagomi_tui.system import paths
from tests.helpers.waiting import until
from tests.helpers.workplace import create

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place


def open_socket(path: Path) -> socket.socket:
    """Connect, and say nothing."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    connection.settimeout(10)
    return connection


def workers() -> list[Path]:
    """The sockets of the workers."""
    return sorted(paths.socket_folder().glob("w-*"))


def speak(path: Path, data: bytes, *, listen: float = 0.3) -> bytes:
    """Say this, and return what is answered within a moment, or until it is enough."""
    said = b""
    with open_socket(path) as connection, contextlib.suppress(OSError):
        connection.sendall(data)
        connection.settimeout(listen)
        while piece := connection.recv(65536):
            said += piece
    return said


def echoing(connection: Connection, count: int) -> list[str]:
    """Start sessions that echo what is typed."""
    return [create(connection, "cat", name=f"echo-{n}") for n in range(count)]


def restarted(place: Place, names: list[str]) -> list[str]:
    """Start those again that an earlier scenario has ended."""
    with place.connect() as connection:
        for name in names:
            found = connection.request(m.Find(id=0, session=name), timeout=10).session
            if found.state != "running":
                connection.request(m.Restart(id=0, session=name), timeout=20)
    return names


def all_echo(place: Place, names: list[str], word: str) -> None:
    """Hold that all sessions run and answer, by the same processes as before."""
    with place.connect() as connection:
        for name in names:
            until(lambda name=name: _echoes(connection, name, word), f"{name} echoes")


def _echoes(connection: Connection, name: str, word: str) -> bool:
    """Type; what comes in the moment in which a worker changes its peer may be lost."""
    found = connection.request(m.Find(id=0, session=name), timeout=10).session
    assert found.state == "running", f"{name} is {found.state}"
    connection.request(m.Send(id=0, session=name, text=word), timeout=10)
    order = m.Wait(id=0, session=name, until="output", pattern=f"^{word}$", timeout=3.0)
    return connection.request(order, timeout=10).reason == "output"
