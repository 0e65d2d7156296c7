"""How full a conversation's context is, as the client told its status line: a note for the hooks."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import msgspec

from nagomi_tui import files, folders
from nagomi_tui.decoding import from_json


class Figures(NamedTuple):
    """Tokens in the context, and how many it takes."""

    tokens: int
    limit: int


class _Note(msgspec.Struct, frozen=True):
    tokens: int
    limit: int


def write(session_id: str, figures: Figures) -> None:
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
