"""Transcripts, turns and verdicts in SQLite, indexed in shelves.

An index of words frees no space when single lines are deleted; dropping its table does.

One thread uses it at a time. It is a file of its own, so that a flood of lines or a full disk
harms no session record.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.runtime import database
from nagomi_tui.sessions.transcript import Piece, Screenful, Story, TextRow, ended, standing, told
from nagomi_tui.system.decoding import from_json

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


_DAY: Final = 86_400.0
_STEP: Final = 2 * _DAY
"""Seconds that the clock may have advanced since it was last read; more counts as a jump."""
_FAR: Final = 30 * _DAY
"""Seconds that count as a jump while the clock is doubted, so that weekly use ends the doubt."""


class Clock(msgspec.Struct, frozen=True):
    """What the clock showed when it was last read, in seconds since the epoch.

    After a jump, or a long time without a reading, it is doubted for a day, so that a clock that
    is wrong for some hours deletes nothing.
    """

    seen: float
    doubted: float | None = None
    """Since when it is doubted, on this very clock; None if it is trusted."""

    def looked(self, now: float) -> Clock:
        """Return the value after another reading, `now`."""
        gap = now - self.seen
        if self.doubted is None:
            return Clock(now, now if gap > _STEP else None)
        if gap > _FAR:
            return Clock(now, now)
        back, believed = now < self.doubted, now - self.doubted >= _DAY
        return Clock(now, None if back or believed else self.doubted)


_Value = TypeVar("_Value")
VERSION: Final = 1
_SHELVES: Final = 40
"""Least number of shelves that the space is divided into."""
_PAGES: Final = 4_000
_NOTE_SECONDS: Final = 3600.0

_SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS sessions (
    id INTEGER PRIMARY KEY,
    session_id TEXT UNIQUE NOT NULL,
    name TEXT NOT NULL,
    story BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS lines (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    at REAL NOT NULL,
    gap INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS lines_of ON lines (session);
CREATE TABLE IF NOT EXISTS turns (
    session INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    started REAL,
    ended REAL NOT NULL,
    verdict BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS turns_of ON turns (session);
CREATE TABLE IF NOT EXISTS screens (
    session INTEGER PRIMARY KEY,
    run REAL NOT NULL,
    at REAL NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS clock (seen REAL NOT NULL, doubted REAL) STRICT;
PRAGMA user_version = {VERSION};
"""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A finished turn; `verdict` is the JSON of N-85."""

    session_id: str
    name: str
    turn: int
    ended: float
    verdict: bytes
    started: float | None = None


class Archive:
    """The database of what sessions have printed; each call may raise `sqlite3.Error`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._stories: dict[str, Story] = {}
        self._numbers: dict[str, int] = {}
        self._screens: set[str] = set()
        """Ids of the sessions of which an alternate screen is stored beside their lines."""
        self._shelves: Shelves | None = None
        self._next = 1
        self._clock: Clock | None = None
        self._noted = float("-inf")
        """The time of the last line stored, in seconds since the epoch."""
        self._aside: Path | None = None

    def open(self) -> None:
        """Open the database; a damaged one is put aside."""
        self._anew_if_damaged(lambda: None)

    def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = self._shelves = None

    def story(self, session_id: str) -> Story | None:
        """Return how far a session was stored, or None if nothing of it was."""
        return self._stories.get(session_id)

    def has_screen(self, session_id: str) -> bool:
        """Return whether an alternate screen is stored beside the lines of a session."""
        return session_id in self._screens

    def write(
        self, pieces: Sequence[Piece], turns: Sequence[Turn] = (), screens: Sequence[Screenful] = ()
    ) -> int:
        """Store pieces, turns and alternate screens, all or none; return the number of lines.

        A screen replaces the one before, and is none of the lines until it is final.
        """
        return self._anew_if_damaged(lambda: self._write(pieces, turns, screens))

    def keep_screen(self, session_id: str) -> None:
        """Put the stored alternate screen of a session, which has ended, behind its lines."""
        self._anew_if_damaged(lambda: self._keep_screen(session_id))

    def take_aside(self) -> Path | None:
        """Return once the path to which a damaged database was moved; None if none was."""
        aside, self._aside = self._aside, None
        return aside

    def _write(
        self, pieces: Sequence[Piece], turns: Sequence[Turn], screens: Sequence[Screenful]
    ) -> int:
        connection = self._ready()
        stories: dict[str, Story] = {}
        numbers = dict(self._numbers)
        rows: list[tuple[int, int, float, int, str]] = []

        def add(session: int, at: float, gap: int, line: str) -> None:
            rows.append((self._next + len(rows), session, at, gap, line))

        try:
            with connection as writing:
                for piece in pieces:
                    before = stories.get(piece.session_id) or self._stories.get(piece.session_id)
                    story, lines = told(before or Story(), piece)
                    number = self._session(writing, piece.session_id, piece.name, story)
                    if piece.gap:
                        add(number, piece.at, piece.gap, "")
                    for line in lines:
                        add(number, piece.at, 0, line)
                    stories[piece.session_id] = story
                for screen in screens:
                    before = stories.get(screen.session_id) or self._stories.get(screen.session_id)
                    lines = self._screen(writing, screen)
                    if screen.final:
                        story = ended(before or Story(), screen.run)
                        number = self._session(writing, screen.session_id, screen.name, story)
                        for line in lines:
                            add(number, screen.at, 0, line)
                        stories[screen.session_id] = story
                writing.executemany("INSERT INTO lines VALUES (?, ?, ?, ?, ?)", rows)
                self._index.put([(row[0], row[2], row[4]) for row in rows])
                for turn in turns:
                    number = self._session(writing, turn.session_id, turn.name, None)
                    verdict = mask(turn.verdict.decode("utf-8", "replace")).encode()
                    row = (number, turn.turn, turn.started, turn.ended, verdict)
                    writing.execute("INSERT INTO turns VALUES (?, ?, ?, ?, ?)", row)
        except sqlite3.Error:
            self._numbers = numbers
            self._shelves = None
            raise
        self._stories |= stories
        self._next += len(rows)
        for screen in screens:
            (self._screens.discard if screen.is_over else self._screens.add)(screen.session_id)
        return len(rows)

    def _screen(self, writing: sqlite3.Connection, screen: Screenful) -> list[str]:
        """Store an alternate screen in place of the one before; return its lines."""
        lines = standing(screen.rows)
        number = self._session(writing, screen.session_id, screen.name, None)
        writing.execute("DELETE FROM screens WHERE session = ?", (number,))
        if not screen.is_over:
            row = (number, screen.run, screen.at, "\n".join(lines))
            writing.execute("INSERT INTO screens VALUES (?, ?, ?, ?)", row)
        return lines

    def _keep_screen(self, session_id: str) -> None:
        found = self._ready().execute(
            "SELECT name, run, at, text FROM screens JOIN sessions ON sessions.id = screens.session "
            "WHERE session_id = ?",
            (session_id,),
        ).fetchone()  # fmt: skip
        if found is not None:
            name, run, at, text = found
            rows = tuple(map(TextRow, text.split("\n")))
            screen = Screenful(
                session_id=session_id, name=name, run=run, at=at, rows=rows, final=True
            )
            self._write((), (), (screen,))

    def forget(self, session_id: str) -> None:
        """Delete everything stored of a session."""
        self._anew_if_damaged(lambda: self._forget(session_id))

    def _forget(self, session_id: str) -> None:
        connection = self._ready()
        number = self._numbers.pop(session_id, None)
        self._stories.pop(session_id, None)
        self._screens.discard(session_id)
        if number is None:
            return
        with connection as writing:
            for table in ("lines", "turns", "screens"):
                writing.execute(f"DELETE FROM {table} WHERE session = ?", (number,))
            writing.execute("DELETE FROM sessions WHERE id = ?", (number,))
        self._give_back(connection)

    def prune(self, *, days: float, size: int, now: float) -> bool:
        """Delete the oldest lines if some are too old or too many; return whether any were.

        `size` is the most bytes of the whole database. If the clock may have jumped, no line counts
        as too old.
        """
        return self._anew_if_damaged(lambda: self._prune(days, size, now))

    def _prune(self, days: float, size: int, now: float) -> bool:
        connection = self._ready()
        index, old = self._index, now - days * _DAY
        index.size = min(index.size, size // _SHELVES)
        sure = self._believed(connection, now)
        if not (sure and index.begun_before(old, now)) and self._used(connection) <= size:
            return False
        try:
            with connection as writing:
                index.drop_oldest()
                if sure:
                    writing.execute("DELETE FROM turns WHERE ended < ?", (old,))
        except sqlite3.Error:
            self._shelves = None
            raise
        self._give_back(connection)
        return True

    # --- steps

    def _anew_if_damaged(self, work: Callable[[], _Value]) -> _Value:
        """Call `work` with the open database; if that is damaged, put it aside and begin a new one."""
        try:
            if self._connection is None:
                self._open()
            return work()
        except sqlite3.DatabaseError as exc:
            if not database.is_damage(exc):
                raise
            _log.warning("the history is damaged and put aside: %s", exc)
            self.close()
            self._aside = database.put_aside(self._path)
            self._open()
            return work()

    def _believed(self, connection: sqlite3.Connection, now: float) -> bool:
        """Return whether the clock can be trusted to delete lines by it."""
        before = self._clock or self._remembered(connection) or Clock(now)
        self._clock = clock = before.looked(now)
        if clock.doubted != before.doubted or clock.seen - self._noted > _NOTE_SECONDS:
            with connection as writing:
                writing.execute("DELETE FROM clock")
                writing.execute("INSERT INTO clock VALUES (?, ?)", (clock.seen, clock.doubted))
            self._noted = clock.seen
        return clock.doubted is None

    def _remembered(self, connection: sqlite3.Connection) -> Clock | None:
        """Return the last known time, from the stored one or from the lines."""
        if row := connection.execute("SELECT seen, doubted FROM clock").fetchone():
            return Clock(*row)
        last = connection.execute("SELECT at FROM lines ORDER BY id DESC LIMIT 1").fetchone()
        return Clock(*last) if last else None

    def _open(self) -> None:
        self._connection = connection = database.connect(self._path, "auto_vacuum = INCREMENTAL")
        connection.executescript(_SCHEMA)
        found = connection.execute("SELECT id, session_id, story FROM sessions").fetchall()
        self._numbers = {session_id: number for number, session_id, _ in found}
        self._shelves = None
        for _, session_id, blob in found:
            with contextlib.suppress(msgspec.DecodeError):
                self._stories[session_id] = from_json(blob, Story)
        screens = connection.execute(
            "SELECT session_id FROM screens JOIN sessions ON sessions.id = screens.session"
        )
        self._screens = {session_id for (session_id,) in screens}
        last = connection.execute("SELECT max(id) FROM lines").fetchone()[0]
        self._next = (last or 0) + 1

    @property
    def _index(self) -> Shelves:
        if self._shelves is None:
            assert self._connection is not None
            self._shelves = Shelves(self._connection)
        return self._shelves

    def _ready(self) -> sqlite3.Connection:
        assert self._connection is not None
        return self._connection

    def _session(
        self, writing: sqlite3.Connection, session_id: str, name: str, story: Story | None
    ) -> int:
        """Return the number of a session's row, which holds its name and story as they are now."""
        number = self._numbers.get(session_id)
        if number is None:
            row = (session_id, mask(name), msgspec.json.encode(story or Story()))
            number = writing.execute(
                "INSERT INTO sessions (session_id, name, story) VALUES (?, ?, ?)", row
            ).lastrowid
            assert number is not None
            self._numbers[session_id] = number
        elif story is not None:
            change = (mask(name), msgspec.json.encode(story), number)
            writing.execute("UPDATE sessions SET name = ?, story = ? WHERE id = ?", change)
        return number

    def _used(self, connection: sqlite3.Connection) -> int:
        pages, free, size = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        connection.execute(f"PRAGMA incremental_vacuum({_PAGES})").fetchall()
