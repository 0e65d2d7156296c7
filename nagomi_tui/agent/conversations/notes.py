"""The side-car of a transcript: notes for which the transcript has no kind of record (X-6).

Each note is one line: `compaction` has a summary of everything before an offset of the transcript,
`failed` the offset where a turn without an answer began, `shortened` the size of a transcript that
has lost its end, `changed` changed fields of the index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from nagomi_tui.agent.conversations import lines, records
from nagomi_tui.agent.conversations.entries import FIELDS, is_fit
from nagomi_tui.decoding import from_builtins

if TYPE_CHECKING:
    from pathlib import Path


class Compaction(msgspec.Struct, frozen=True, kw_only=True, tag="compaction"):
    """A summary that replaces everything before an offset of the transcript."""

    summary: str
    offset: int
    """The bytes of the transcript that the summary replaces."""
    messages: int
    """The number of messages that the summary replaces."""
    ts: float = 0.0


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """The user's message at this offset was never answered, and is not in the history (SB-13)."""

    offset: int
    ts: float = 0.0


class Shortened(msgspec.Struct, frozen=True, kw_only=True, tag="shortened"):
    """The transcript has lost its end: earlier notes on what was there say nothing of what follows."""

    size: int
    """The bytes of the transcript that are left."""
    ts: float = 0.0


class Changed(msgspec.Struct, frozen=True, kw_only=True, tag="changed"):
    """Changed fields of the index, from which the index can be rebuilt."""

    fields: dict[str, Any]
    ts: float = 0.0


Note = Compaction | Failed | Shortened | Changed


class Notes(msgspec.Struct, kw_only=True):
    """The content of a side-car."""

    compaction: Compaction | None = None
    failed: frozenset[int] = frozenset()
    """The offsets at which turns began that failed."""
    fields: dict[str, Any] = {}

    def within(self, size: int) -> Notes:
        """Return the notes without those about what was behind the first `size` bytes."""
        kept = self.compaction
        return Notes(
            compaction=kept if kept is None or kept.offset <= size else None,
            failed=frozenset(at for at in self.failed if at < size),
            fields=self.fields,
        )


def path_of(transcript: Path) -> Path:
    """Return the path of a transcript's side-car."""
    return transcript.with_suffix(".meta.jsonl")


def read(transcript: Path) -> Notes:
    """Return the notes in a transcript's side-car; broken lines are skipped.

    Raises:
        OSError: the side-car cannot be read.
    """
    notes = Notes()
    for line in lines.read(path_of(transcript)).split(b"\n"):
        record = records.parsed(line) if line else None
        try:
            note = from_builtins(record, Note) if record else None
        except msgspec.ValidationError:
            continue
        notes = _with(notes, note)
    return notes


def _with(notes: Notes, note: Note | None) -> Notes:
    if isinstance(note, Compaction):
        notes.compaction = note
    elif isinstance(note, Failed):
        notes.failed |= {note.offset}
    elif isinstance(note, Shortened):
        return notes.within(note.size)
    elif isinstance(note, Changed):
        fit = {name: one for name, one in note.fields.items() if name in FIELDS}
        notes.fields = {**notes.fields, **{n: one for n, one in fit.items() if is_fit(n, one)}}
    return notes


def add(transcript: Path, note: Note) -> None:
    """Append a note; the caller must hold the lock of the index.

    Raises:
        NotWritten: the disk refused.
    """
    file = lines.Lines(path_of(transcript))
    try:
        file.append(records.encoded([msgspec.to_builtins(note)]))
        file.sync()
    finally:
        file.close()
