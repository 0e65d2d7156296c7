"""Corrections of the judge's verdicts by users, stored masked, for improving the rules."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from nagomi_tui.judge.account import Ground
from nagomi_tui.judge.verdict import State
from nagomi_tui.masking import mask, mask_screen
from nagomi_tui.orchestrator.runtime import database
from nagomi_tui.sessions.session import Session
from nagomi_tui.system.decoding import from_json

_log = logging.getLogger(__name__)
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS corrections (
    at REAL NOT NULL,
    session_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    record BLOB NOT NULL
) STRICT;
"""
_MOST: Final = 1000
"""How many corrections are kept; the latest count."""


class Correction(msgspec.Struct, frozen=True, kw_only=True):
    """The state that was shown, its rule and evidence, and the user's correction."""

    at: float
    session_id: str
    turn: int
    cmd: str
    shown: State
    right: State
    rule: str
    confidence: float
    grounds: tuple[Ground, ...] = ()
    known: tuple[Ground, ...] = ()
    """The last evidence of each source."""
    lines: tuple[str, ...] = ()
    """The lines of the screen."""
    trace: str = ""
    """The file of the trace that was being recorded, and `trace_at` its seconds by then."""
    trace_at: float = 0.0

    def masked(self) -> Correction:
        """Return the correction with its secrets masked, as it may be stored (N-86)."""
        return msgspec.structs.replace(
            self,
            cmd=mask(self.cmd),
            grounds=_masked(self.grounds),
            known=_masked(self.known),
            lines=tuple(mask_screen(self.lines)),
        )


def keep(path: Path, correction: Correction) -> None:
    """Store a correction, masked; a damaged database is put aside for a new one.

    Raises:
        sqlite3.Error, OSError: it cannot be written.
    """
    masked = correction.masked()
    try:
        _insert(path, masked)
    except sqlite3.DatabaseError as exc:
        if not database.is_damage(exc):
            raise
        database.put_aside(path)
        _insert(path, masked)


def _insert(path: Path, masked: Correction) -> None:
    with contextlib.closing(_opened(path)) as connection, connection:
        connection.execute(
            "INSERT INTO corrections VALUES (?, ?, ?, ?)",
            (masked.at, masked.session_id, masked.turn, msgspec.json.encode(masked)),
        )
        connection.execute(
            "DELETE FROM corrections WHERE rowid NOT IN "
            "(SELECT rowid FROM corrections ORDER BY at DESC LIMIT ?)",
            (_MOST,),
        )


def latest(path: Path, session_id: str) -> Correction | None:
    """Return the last correction of a session, or None.

    Raises:
        sqlite3.Error, msgspec.DecodeError: it cannot be read.
    """
    if not path.exists():
        return None
    with contextlib.closing(_opened(path)) as connection:
        rows = connection.execute(
            "SELECT record FROM corrections WHERE session_id = ? ORDER BY at DESC LIMIT 1",
            (session_id,),
        )
        found = rows.fetchone()
    return from_json(found[0], Correction) if found else None


def said_of(path: Path, info: Session) -> State | None:
    """Return the user's correction of the session's present turn, or None."""
    try:
        found = latest(path, info.session_id)
    except (sqlite3.Error, msgspec.DecodeError) as exc:
        _log.warning("the corrections cannot be read: %s", exc)
        return None
    if found is None or found.turn != info.turn or found.at < (info.ended_at or 0.0):
        return None
    return found.right


def kept(path: Path) -> Sequence[Correction]:
    """Return all corrections, the oldest first; none where there is no file.

    Raises:
        sqlite3.Error, msgspec.DecodeError: it cannot be read.
    """
    if not path.exists():
        return ()
    with contextlib.closing(_opened(path)) as connection:
        rows = connection.execute("SELECT record FROM corrections ORDER BY at")
        return [from_json(blob, Correction) for (blob,) in rows]


def _masked(grounds: tuple[Ground, ...]) -> tuple[Ground, ...]:
    return tuple(msgspec.structs.replace(ground, text=mask(ground.text)) for ground in grounds)


def _opened(path: Path) -> sqlite3.Connection:
    connection = database.open_private(path)
    try:
        connection.executescript(_SCHEMA)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
