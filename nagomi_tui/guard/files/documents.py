"""Reads and writes the guard's JSON files: locked, whole, put aside if broken.

Beside them, the client's note of how full the context of a conversation is.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

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


class Fill(msgspec.Struct, frozen=True):
    """Tokens in the context, and the usable limit; 0 where unknown."""

    tokens: int = 0
    limit: int = 0


def write_fill(session_id: str, fill: Fill) -> None:
    """Note how full the context of a conversation is, if that is not what is noted.

    Raises:
        OSError: it cannot be noted.
    """
    if not session_id or read_fill(session_id) == fill:
        return
    path = _path(session_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, msgspec.json.encode(fill))


def read_fill(session_id: str) -> Fill | None:
    """Return what the status line was told last; None if nothing was."""
    try:
        return from_json(files.read(_path(session_id), limit=1000), Fill)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _path(session_id: str) -> Path:
    name = hashlib.sha256(session_id.encode("utf-8", "surrogateescape")).hexdigest()
    return Path(folders.state()) / "guard" / f"{name[:32]}.context"
