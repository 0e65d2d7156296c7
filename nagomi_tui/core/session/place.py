"""Where a session is, in a few characters; and on which hand one begins in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nagomi_tui.core.text.text import short_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.core.session.session import Session


def place_of(session: Session, home: str) -> str:
    """Return a session's folder in its short form, behind the hand that it runs on."""
    if session.is_local:
        return short_folder(session.here, home)
    return f"{session.worker_id}:{session.here}"


class Beginning(NamedTuple):
    """A hand, and a folder there; the hand's own one if empty."""

    hand: str
    folder: str


def beginning_of(folder: str, hands: Mapping[str, Mapping[str, str]]) -> Beginning | None:
    """Return where sessions of a folder of this machine begin, if that is on a hand.

    `hands` gives, by their names, their folders and where each lies there. The nearest folder above
    counts; what is below it lies below it there.
    """
    path = _plain(folder)
    known = [
        (_plain(here), name, there)
        for name, folders in hands.items()
        for here, there in folders.items()
    ]
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
