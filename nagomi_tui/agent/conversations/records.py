"""The records of a conversation's transcript, and the notes beside it.

Each note is one line: `compaction` has a summary of everything before an offset of the transcript,
`failed` the offset where a turn without an answer began, `shortened` the size of a transcript that
has lost its end, `changed` changed fields of the index.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from nagomi_tui.agent.conversations import files
from nagomi_tui.agent.conversations.entries import FIELDS, is_fit
from nagomi_tui.agent.providers.interface import Block, ToolCall
from nagomi_tui.system.decoding import from_builtins

Record: TypeAlias = dict[str, Any]
_decode: Final = msgspec.json.Decoder().decode


class CallResult(msgspec.Struct, frozen=True):
    """The result of a tool call, with the call's id."""

    id: str
    content: str | list[dict[str, Any]]
    is_error: bool = False


def user(content: str, ts: float) -> Record:
    """Return the record of a user's message (S-7)."""
    return {"type": "user", "content": content, "ts": ts}


def assistant(blocks: list[Block], ts: float) -> Record:
    """Return the record of an answer; its tool calls have separate records (S-8, SB-1)."""
    said = [block for block in blocks if block.get("type") != "tool_use"]
    return {"type": "assistant", "content": said, "ts": ts}


def tool_use(call: ToolCall, ts: float) -> Record:
    """Return the record of a tool call (S-9)."""
    named = {"tool_use_id": call.id, "name": call.name, "input": call.input}
    return {"type": "tool_use", **named, "ts": ts}


def tool_result(result: CallResult, ts: float) -> Record:
    """Return the record of a tool's result; `is_error` is only there if true (S-10)."""
    record = {"type": "tool_result", "tool_use_id": result.id, "content": result.content}
    return {**record, **({"is_error": True} if result.is_error else {}), "ts": ts}


def encoded(records: list[Record]) -> bytes:
    """Return the records as lines in UTF-8; lone surrogates become question marks."""
    try:
        return b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    except UnicodeEncodeError:
        lines = (json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in records)
        return b"".join(line.encode("utf-8", "replace") + b"\n" for line in lines)


def parsed(line: bytes) -> Record | None:
    """Return the JSON object in a line; None if the line is anything else."""
    try:
        found = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = _parsed_patiently(line)
    return found if isinstance(found, dict) else None


def _parsed_patiently(line: bytes) -> object:
    """Parse a line with lone surrogates, which other programs write and msgspec refuses."""
    try:
        found = json.loads(line)
        return json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def is_sound(record: Record) -> bool | None:
    """Tell whether a record has the fields of its kind; None if the kind is unknown."""
    kind = record.get("type")
    if not isinstance(kind, str):
        return False
    check = _SOUND.get(kind)
    return None if check is None else check(record)


def _is_content(content: object) -> bool:
    if isinstance(content, str):
        return True
    if not isinstance(content, list):
        return False
    for block in content:
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            return False
    return True


def _is_said(record: Record) -> bool:
    content = record.get("content")
    if not _is_content(content):
        return False
    uses = [] if isinstance(content, str) else content or []
    return all([is_use(block) for block in uses if block["type"] == "tool_use"])


def is_use(block: Block) -> bool:
    """Tell whether a block is a complete tool call."""
    name, given = block.get("name"), block.get("input")
    return isinstance(block.get("id"), str) and isinstance(name, str) and isinstance(given, dict)


def _is_use_record(record: Record) -> bool:
    return is_use({**record, "id": record.get("tool_use_id")})


def _is_result(record: Record) -> bool:
    return isinstance(record.get("tool_use_id"), str) and _is_content(record.get("content", ""))


_SOUND: Final[dict[str, Callable[[Record], bool]]] = {
    "user": lambda record: _is_content(record.get("content")),
    "assistant": _is_said,
    "tool_use": _is_use_record,
    "tool_result": _is_result,
}


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
    for line in files.read(path_of(transcript)).split(b"\n"):
        record = parsed(line) if line else None
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
    file = files.Lines(path_of(transcript))
    try:
        file.append(encoded([msgspec.to_builtins(note)]))
        file.sync()
    finally:
        file.close()
