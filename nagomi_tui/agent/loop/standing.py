"""What the loop remembers of its requests; kept on disk, so that a restart costs nothing."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from nagomi_tui import files
from nagomi_tui.agent.loop.budget import Spent

if TYPE_CHECKING:
    from pathlib import Path


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The requests of the last hour, and on what the last one was."""

    spent: Spent = Spent()
    asked_of: str = ""
    """How everything stood, and in which mode, when the last request was answered: a digest."""
    not_before: float = 0.0
    """When the next request may be made, for reasons other than the budget."""
    failures: int = 0
    """Requests that failed in a row."""


def read_standing(path: Path) -> Standing:
    """Return what is kept; a fresh one if there is none, or it cannot be read."""
    try:
        return msgspec.json.decode(files.read(path), type=Standing)
    except (OSError, msgspec.MsgspecError):
        return Standing()


def write_standing(path: Path, standing: Standing) -> None:
    """Keep it.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, msgspec.json.encode(standing))


class KeptStanding:
    """The standing of this process, kept on disk with each change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.standing = read_standing(path)

    def remember(self, **changes: Any) -> None:
        """Keep what has changed; where the disk is full, the process remembers it all the same."""
        self.standing = msgspec.structs.replace(self.standing, **changes)
        with contextlib.suppress(OSError):
            write_standing(self._path, self.standing)
