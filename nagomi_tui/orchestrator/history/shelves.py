"""The index of all stored lines, in shelves (a table each): the oldest one is dropped whole.

An index of words frees no space when single lines are deleted; dropping its table does.
"""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_log = logging.getLogger(__name__)
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS shelves (
    shelf INTEGER PRIMARY KEY, first INTEGER NOT NULL, begun REAL NOT NULL
) STRICT;
"""
INDEX: Final = """
CREATE VIRTUAL TABLE IF NOT EXISTS words_{shelf} USING fts5(
    text, content='', tokenize='trigram', detail='none', columnsize=0
)
"""
_SPAN: Final = 86_400.0
"""Seconds after which a new shelf is begun."""
_SIZE: Final = 10_000_000
"""Characters after which a new shelf is begun; less if less is kept in all."""


class Shelves:
    """Writes lines into the newest shelf; used within a transaction of the caller's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.executescript(SCHEMA)
        rows = connection.execute("SELECT shelf, first, begun FROM shelves ORDER BY shelf")
        self._all: list[tuple[int, int, float]] = rows.fetchall()
        self._filled = 0
        self._indexed = False
        self.size = _SIZE
        if self._all:
            table = "SELECT 1 FROM sqlite_master WHERE name = ?"
            name = f"words_{self._all[-1][0]}"
            self._indexed = connection.execute(table, (name,)).fetchone() is not None
            text = "SELECT total(length(text)) FROM lines WHERE id >= ?"
            self._filled = int(connection.execute(text, (self._all[-1][1],)).fetchone()[0])

    def put(self, rows: Sequence[tuple[int, float, str]]) -> None:
        """Index lines: their ids, times and texts."""
        if not rows:
            return
        if not self._all or self._is_full(rows[0][1]):
            self._begin(rows[0][0], rows[0][1])
        if self._indexed:
            words = [(number, text) for number, _, text in rows if text]
            table = f"words_{self._all[-1][0]}"
            self._connection.executemany(f"INSERT INTO {table} (rowid, text) VALUES (?, ?)", words)
        self._filled += sum(len(text) for _, _, text in rows)

    def begun_before(self, moment: float, now: float) -> bool:
        """Return whether the oldest shelf holds lines from before that moment.

        A shelf that was begun while the clock was ahead still counts as older than later ones.
        """
        return next((begun for *_, begun in self._all if begun <= now + _SPAN), now) < moment

    def drop_oldest(self) -> None:
        """Delete the oldest shelf with its lines."""
        shelf, *_ = self._all.pop(0)
        if self._all:
            self._connection.execute("DELETE FROM lines WHERE id < ?", (self._all[0][1],))
        else:
            self._connection.execute("DELETE FROM lines")
        self._connection.execute(f"DROP TABLE IF EXISTS words_{shelf}")
        self._connection.execute("DELETE FROM shelves WHERE shelf = ?", (shelf,))

    def _is_full(self, now: float) -> bool:
        return self._filled >= self.size or abs(now - self._all[-1][2]) >= _SPAN

    def _begin(self, first: int, now: float) -> None:
        shelf = self._all[-1][0] + 1 if self._all else 1
        try:
            self._connection.execute(INDEX.format(shelf=shelf))
            self._indexed = True
        except sqlite3.OperationalError as exc:
            if "tokenizer" not in str(exc) and "module" not in str(exc):
                raise
            self._indexed = False
            _log.info("this SQLite has no index of three letters, searching is slower: %s", exc)
        self._connection.execute("INSERT INTO shelves VALUES (?, ?, ?)", (shelf, first, now))
        self._all.append((shelf, first, now))
        self._filled = 0
