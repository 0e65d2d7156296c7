"""What all our SQLite files share: they are private, quick to write, and put aside if damaged."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.system import files

_log = logging.getLogger(__name__)
_BUSY_SECONDS: Final = 2.0
_OTHERS: Final = re.compile(r"no such (?:table|column)|table \S+ has ")
"""What SQLite says of tables that are not as ours."""
_ASIDES: Final = 3
"""How many damaged databases are kept; the newest count."""


def connect(path: Path, *pragmas: str) -> sqlite3.Connection:
    """Open a database of ours, or create it; `pragmas` are set before there is a table.

    Raises:
        sqlite3.Error: the file cannot be opened, or is no database.
    """
    connection = open_private(path)
    try:
        for pragma in (*pragmas, "journal_mode = WAL", "synchronous = NORMAL"):
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def open_private(path: Path) -> sqlite3.Connection:
    """Open a database of ours as it is, readable by its owner only.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
    with contextlib.suppress(OSError):
        os.chmod(path, 0o600)
    return connection


def put_aside(path: Path) -> Path:
    """Rename a damaged database, so that a new one can begin; return the new path."""
    aside = files.unused(path.with_name(f"{path.stem}.broken-{time.strftime('%Y%m%d-%H%M%S')}.db"))
    for rest in ("", "-wal"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + rest).rename(aside.with_name(aside.name + rest))
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    for older in set_aside(path)[:-_ASIDES]:
        for rest in ("", "-wal"):
            older.with_name(older.name + rest).unlink(missing_ok=True)
    return aside


def set_aside(path: Path) -> list[Path]:
    """Return the damaged databases that were put aside, the oldest first."""
    return sorted(path.parent.glob(f"{path.stem}.broken-*.db"))


def is_damage(exc: Exception) -> bool:
    """Return whether the file is damaged, or has others' tables: trying again is of no use."""
    code = getattr(exc, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or bool(_OTHERS.match(str(exc)))


class Trouble:
    """Reports that a database cannot be written: once, until a write has succeeded again."""

    def __init__(self, what: str, sentence: str, on_fault: Callable[[Refusal], None]) -> None:
        self._what = what
        self._sentence = sentence
        self._on_fault = on_fault
        self._told = False

    def came(self, exc: Exception) -> None:
        """Report a failed write; the sentence names the `reason`."""
        _log.warning("%s: %s", self._what, exc)
        if not self._told:
            self._told = True
            self._on_fault(Refusal("internal", self._sentence, reason=exc))

    def is_over(self) -> None:
        """Note a successful write."""
        self._told = False
