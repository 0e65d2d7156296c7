"""A conversation in pieces that a subagent can read (DC-35): who said what, from the first edit on."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from nagomi_tui.guard.files.project import Project
from nagomi_tui.system import files

PIECE: Final = 24_000
"""Bytes of the largest piece."""
_STALE_SECONDS: Final = 30.0
_NEWEST: Final = 5
_LARGEST: Final = 4 * 1024 * 1024
"""Bytes at the end of a transcript that are read: a hook must not take long (DB-26)."""
_LAST: Final = 256 * 1024
"""Bytes at its end in which the last line is looked for."""
_EDITS: Final = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch"})
_NAME: Final = re.compile(r"[\w.-]{1,60}")


def remove(project: Project) -> None:
    """Remove the pieces of earlier conversations."""
    shutil.rmtree(_folder(project), ignore_errors=True)


def prepare(project: Project, transcript: str, session_id: str, kind: str, now: float) -> int:
    """Write the pieces for a subagent of a kind in place of those before; return how many.

    Args:
        transcript: the file that the client names.
        session_id: the conversation, for which a newer file is looked for where that one is old.
        now: the time in seconds, as files have it.

    Raises:
        OSError: a piece cannot be written.
    """
    if not transcript or not _NAME.fullmatch(kind) or kind.startswith("."):
        return 0
    lines = _tail(fresh(Path(transcript), session_id, now), _LARGEST)
    folder = _folder(project) / kind
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    count = 0
    for count, piece in enumerate(pieces(cleaned(lines)), 1):
        files.write(folder / f"current_transcript_{count:03d}.txt", piece)
    return count


def fresh(transcript: Path, session_id: str, now: float) -> Path:
    """Return the conversation's file; where it was not written for a while, a newer one of the same."""
    try:
        written = transcript.stat().st_mtime
    except OSError:
        written = 0.0
    if now - written <= _STALE_SECONDS or not session_id:
        return transcript
    newer = [path for path in _newest(transcript.parent) if _is_of(path, session_id)]
    return newer[0] if newer else transcript


def cleaned(lines: Iterable[bytes]) -> Iterator[str]:
    """Yield what was said and done, one JSON object each, from the first edit on.

    Everything is there where nothing was edited: then all of it was talk about the work.
    """
    messages = [found for line in lines if (found := _message(line))]
    first = next((at for at, one in enumerate(messages) if _edits(one)), 0)
    for message in messages[first:]:
        yield msgspec.json.encode(message).decode()


def pieces(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield lines in pieces of a bounded size, cut behind a line, else at a blank, else anywhere."""
    held = b""
    for line in lines:
        data, start = held + f"{line}\n".encode(), 0
        while len(data) - start > PIECE:
            end = _cut(data, start)
            yield data[start:end]
            start = end
        held = data[start:]
    if held:
        yield held


def _cut(data: bytes, start: int) -> int:
    """Return where the next piece ends, without parting a character."""
    end = start + PIECE
    for mark in (b"\n", b" "):
        if (at := data.rfind(mark, start, end)) > start:
            return at + 1
    while data[end] & 0xC0 == 0x80:
        end -= 1
    return end


def _message(line: bytes) -> dict[str, Any] | None:
    try:
        entry = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(entry, dict) or entry.get("isSidechain") is True:
        return None
    message = entry.get("message")
    if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
        return None
    return {"role": message["role"], "content": message.get("content")}


def _edits(message: dict[str, Any]) -> bool:
    content = message["content"]
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") == "tool_use" and block.get("name") in _EDITS
        for block in content
    )


def _tail(path: Path, most: int) -> list[bytes]:
    """Return the whole lines among so many bytes at a file's end; none where it cannot be read."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - most))
            lines = file.read(most).splitlines()
    except OSError:
        return []
    return lines[1:] if size > most else lines


def _newest(folder: Path) -> list[Path]:
    found = []
    with contextlib.suppress(OSError):
        for path in folder.glob("*.jsonl"):
            with contextlib.suppress(OSError):
                found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)[:_NEWEST]]


def _is_of(path: Path, session_id: str) -> bool:
    """Tell whether the last line of a transcript is of a conversation."""
    last = _tail(path, _LAST)[-1:]
    try:
        entry = msgspec.json.decode(last[0]) if last else {}
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return isinstance(entry, dict) and entry.get("sessionId") == session_id


def _folder(project: Project) -> Path:
    return project.sessions / "transcripts"
