"""The side-car of a transcript: what is known of it that its four kinds of records cannot say (X-6).

A line each: `compaction` has a summary of all before a place of the transcript, `failed` a place
where a turn began that came to nothing, `changed` the fields of the index that somebody changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from nagomi_tui.agent.conversations import lines, records
from nagomi_tui.agent.conversations.entries import FIELDS, is_fit

if TYPE_CHECKING:
    from pathlib import Path


class Compaction(msgspec.Struct, frozen=True, kw_only=True, tag="compaction"):
    """A summary stands for all that comes before a place of the transcript."""

    summary: str
    offset: int
    """Bytes of the transcript that it stands for."""
    messages: int
    """Messages that it stands for."""
    ts: float = 0.0


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """What the user said at this place was never answered, and is no part of the history (SB-13)."""

    offset: int
    ts: float = 0.0


class Changed(msgspec.Struct, frozen=True, kw_only=True, tag="changed"):
    """Fields of the index that were changed, so that it can be made again."""

    fields: dict[str, Any]
    ts: float = 0.0


Note = Compaction | Failed | Changed


class Notes(msgspec.Struct, kw_only=True):
    """All that a side-car says."""

    compaction: Compaction | None = None
    failed: frozenset[int] = frozenset()
    fields: dict[str, Any] = {}


def path_of(transcript: Path) -> Path:
    """Return where the side-car of a transcript is."""
    return transcript.with_suffix(".meta.jsonl")


def read(transcript: Path) -> Notes:
    """Return what the side-car of a transcript says; broken lines say nothing.

    Raises:
        OSError: it cannot be read.
    """
    notes = Notes()
    for line in lines.read(path_of(transcript)).split(b"\n"):
        record = records.parsed(line) if line else None
        try:
            note = msgspec.convert(record, Note) if record else None
        except msgspec.ValidationError:
            continue
        _take(notes, note)
    return notes


def _take(notes: Notes, note: Note | None) -> None:
    if isinstance(note, Compaction):
        notes.compaction = note
    elif isinstance(note, Failed):
        notes.failed |= {note.offset}
    elif isinstance(note, Changed):
        fit = {name: one for name, one in note.fields.items() if name in FIELDS}
        notes.fields = {**notes.fields, **{n: one for n, one in fit.items() if is_fit(n, one)}}


def add(transcript: Path, note: Note) -> None:
    """Add a line; the caller holds the lock of the index.

    Raises:
        NotWritten: the disk does not take it.
    """
    file = lines.Lines(path_of(transcript))
    try:
        file.append(records.encoded([msgspec.to_builtins(note)]))
        file.sync()
    finally:
        file.close()
