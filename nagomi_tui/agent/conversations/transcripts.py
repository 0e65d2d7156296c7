"""Reads transcripts with their side-cars: since the last compaction, whole, or for the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.agent.conversations import lines, notes, records
from nagomi_tui.agent.conversations.entries import changed, iso
from nagomi_tui.agent.conversations.replay import Replay

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.conversations.notes import Compaction

_LATEST: Final = 1e11
"""Seconds since the epoch (the year 5138); later times count as broken."""


def since_compaction(path: Path) -> tuple[Compaction | None, Replay]:
    """Return the newest compaction and a replay of what follows; None and all without one.

    Raises:
        OSError: a file cannot be read.
    """
    noted = notes.read(path)
    compaction = noted.compaction
    replay = Replay()
    if compaction and compaction.offset > 0:
        data = lines.read(path, compaction.offset - 1)
        if data.startswith(b"\n"):  # else the offset is of another file
            replay.read(data[1:], compaction.offset, noted.failed)
            return compaction, replay
    replay.read(lines.read(path), 0, noted.failed)
    return None, replay


def whole(path: Path) -> Replay:
    """Return the replay of the whole transcript.

    Raises:
        OSError: a file cannot be read.
    """
    replay = Replay()
    replay.read(lines.read(path), 0, notes.read(path).failed)
    return replay


def entry(path: Path) -> dict[str, Any]:
    """Return a conversation's index entry, rebuilt from its files alone.

    Raises:
        OSError: a file cannot be read.
    """
    noted, data = notes.read(path), lines.read(path)
    replay = Replay()
    replay.read(data, 0, noted.failed)
    times = _times(data)
    spoken = path.stat().st_mtime
    found = {
        "label": "",
        "created_at": iso(times[0] if times else spoken),
        "last_active": iso(times[-1] if times else spoken),
        "message_count": len(replay.messages()),
        "summary": noted.compaction.summary if noted.compaction else "",
    }
    return changed({}, {**found, **noted.fields})


def _times(data: bytes) -> list[float]:
    """Return the first and last readable times, in seconds since the epoch; may be empty."""
    split = [line for line in data.split(b"\n") if line]
    return [at for at in (_first_time(split), _first_time(split[::-1])) if at is not None]


def _first_time(split: list[bytes]) -> float | None:
    for line in split:
        ts = (records.parsed(line) or {}).get("ts")
        if isinstance(ts, int | float) and 0 <= ts < _LATEST:
            return float(ts)
    return None
