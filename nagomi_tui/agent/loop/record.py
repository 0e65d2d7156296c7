"""What the loop remembers of its requests; kept on disk, so that a restart costs nothing."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nagomi_tui import files
from nagomi_tui.agent.loop.budget import Spent
from nagomi_tui.agent.loop.thought import Proposal
from nagomi_tui.decoding import from_json

if TYPE_CHECKING:
    from pathlib import Path

MOST_PROPOSED: Final = 60
"""Proposals that are remembered."""


class LoopRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The requests of the last hour, and the state that the last one was about."""

    spent: Spent = Spent()
    asked_of: str = ""
    """Hash of state and mode when the last request was answered; "" before any."""
    not_before: float = 0.0
    """When the next request may be made, in seconds since the epoch, apart from the budget."""
    failures: int = 0
    """Number of requests that failed in a row."""
    proposed: tuple[Proposal, ...] = ()
    """What was proposed last for each session: an orchestrator that was replaced is told again."""

    def with_proposed(self, proposals: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
        """Return what is proposed with newer ones, which replace those for the same sessions."""
        newer = {one.session for one in proposals}
        others = tuple(one for one in self.proposed if one.session not in newer)
        return (*others, *proposals)[-MOST_PROPOSED:]


def read_record(path: Path) -> LoopRecord:
    """Return the stored record; an empty one if there is none, or it cannot be read."""
    try:
        return from_json(files.read(path), LoopRecord)
    except (OSError, msgspec.MsgspecError):
        return LoopRecord()


def write_record(path: Path, record: LoopRecord) -> None:
    """Store the record.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, msgspec.json.encode(record))


class KeptRecord:
    """The record of this process, kept on disk with each change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.record = read_record(path)

    def remember(self, **changes: Any) -> None:
        """Change fields and store them; if the disk is full, they are kept in memory."""
        self.record = msgspec.structs.replace(self.record, **changes)
        with contextlib.suppress(OSError):
            write_record(self._path, self.record)
