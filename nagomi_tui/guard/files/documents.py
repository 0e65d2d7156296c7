"""Reads and writes the guard's JSON files: locked, whole, put aside if broken.

Beside them, the client's note of how full the context of a conversation is.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from nagomi_tui.guard.decide.documents import Open
from nagomi_tui.system import files, folders
from nagomi_tui.system.decoding import from_json
from nagomi_worker.runtime import files as lock


class Broken(ValueError):
    """A file is not valid; the message says what is wrong."""


def decoded(path: Path, data: bytes) -> Any:
    """Return the decoded JSON of a file.

    Raises:
        Broken: the file is not JSON.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise Broken(f"{path} is not JSON: {exc}") from exc


def encoded(value: Any) -> bytes:
    """Return a value as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def write(path: Path, data: bytes) -> None:
    """Write a file atomically.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write(path, data)


def put_aside(path: Path) -> Path:
    """Rename a broken file to the first free `*.bad.json`, and return the new path.

    Raises:
        OSError: the file cannot be renamed.
    """
    stem, number = path.name.removesuffix(".json"), 1
    while (aside := path.with_name(f"{stem}{number if number > 1 else ''}.bad.json")).exists():
        number += 1
    os.rename(path, aside)
    return aside


def same(left: Open, right: Open) -> bool:
    """Tell whether two values would be encoded to the same file."""
    return msgspec.json.encode(left) == msgspec.json.encode(right)


SECONDS: Final = 1.0
"""The longest wait for the lock (D-53); a change takes some milliseconds."""
_PAUSE: Final = 0.005


class Busy(OSError):
    """Another process kept the lock for the whole waiting time (X-13)."""


@contextlib.contextmanager
def held(path: Path, seconds: float = SECONDS) -> Iterator[None]:
    """Hold the lock during the block; the file is created if missing, and never removed.

    Raises:
        Busy: another process holds the lock for longer than `seconds`.
        OSError: the file cannot be created or opened.
    """
    kept = lock.FileLock(path)
    try:
        kept.take(patience=seconds, pause=_PAUSE)
    except lock.Busy as exc:
        raise Busy(f"another process holds {path}") from exc
    try:
        yield
    finally:
        kept.release()


class Figures(NamedTuple):
    """Tokens in the context, and how many it takes."""

    tokens: int
    limit: int


class _Note(msgspec.Struct, frozen=True):
    tokens: int
    limit: int


def write_figures(session_id: str, figures: Figures) -> None:
    """Note the figures of a conversation, if they differ from those that are noted.

    Raises:
        OSError: they cannot be noted.
    """
    if not session_id or read(session_id) == figures:
        return
    path = _path(session_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, msgspec.json.encode(_Note(*figures)))


def read(session_id: str) -> Figures | None:
    """Return what the status line was told last; None if nothing was."""
    try:
        note = from_json(files.read(_path(session_id), limit=1000), _Note)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return Figures(note.tokens, note.limit)


def _path(session_id: str) -> Path:
    name = hashlib.sha256(session_id.encode("utf-8", "surrogateescape")).hexdigest()
    return Path(folders.state()) / "guard" / f"{name[:32]}.context"
