"""Where a session is, in a few characters, and on which hand sessions of a folder begin.

Commands load this at their start, so it stays light.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from nagomi_tui.sessions.session import Session
from nagomi_tui.text.cells import short_folder


def place_of(session: Session, home: str) -> str:
    """Return a session's folder in its short form, behind the hand that it runs on."""
    if session.is_local:
        return short_folder(session.here, home)
    return f"{session.worker_id}:{session.here}"


def telling(folder: str, worker: str) -> str:
    """Return the folder that a name is made of; on a hand, its home folder goes by the hand's name."""
    return worker if folder == "~" else folder


class Beginning(NamedTuple):
    """A hand, and a folder there; the hand's own one if empty."""

    hand: str
    folder: str


class HandFolders(NamedTuple):
    """A hand, as far as it tells where sessions of a folder begin."""

    name: str
    kind: str
    folders: Mapping[str, str]


def beginning_of(folder: str, hands: Iterable[HandFolders]) -> Beginning | None:
    """Return where sessions of a folder of this machine begin, if that is on a hand.

    The nearest folder above that a hand has counts; what is below it lies below it there. Windows'
    drives belong to the first hand of WSL, in which `C:` is `/mnt/c`.
    """
    path, offered = _plain(folder), tuple(hands)
    known = [
        (_plain(here), hand.name, there) for hand in offered for here, there in hand.folders.items()
    ]
    if path[1:2] == ":":
        drive = path[0].lower()
        known += [(path[:2], hand.name, f"/mnt/{drive}") for hand in offered if hand.kind == "wsl"]
    within = [one for one in known if f"{path}/".startswith(f"{one[0]}/")]
    if not within:
        return None
    here, name, there = max(within, key=lambda one: len(one[0]))
    rest = path[len(here) :]
    return Beginning(name, f"{there.rstrip('/')}{rest}" if there and rest else there)


def _plain(path: str) -> str:
    """Return a path without a slash at its end; one of Windows with slashes."""
    if path[1:2] == ":":
        path = path.replace("\\", "/")
    return path.rstrip("/")


COMMAND: Final = "exec ${SHELL:-/bin/sh} -l"
"""As workers know it, which start that shell with marks where it has some."""


def plainly(command: str) -> str:
    """Return a command by which a shell is known as one, whichever it is there."""
    return "sh -l" if command == COMMAND else command
