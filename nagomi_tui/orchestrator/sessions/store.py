"""Stores session records in SQLite, masked.

Beside the database is a copy of the list in a plain file, in case that the database is damaged.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.to_thread
import msgspec

from nagomi_tui.agents.resume import Conversation
from nagomi_tui.judge import verdict
from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.runtime import database
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.sessions.session import Session, State
from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import translatable

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS sessions (
    session_id TEXT PRIMARY KEY,
    place INTEGER NOT NULL,
    record BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
"""

_VERSION: Final = 2
_TEXTS: Final = ("name", "title", "summary", "branch")


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One session's record: never a value of its environment, only the names of variables."""

    session: Session
    env_names: tuple[str, ...] = ()
    seen_at: float = 0.0
    moved: float = 0.0
    """By how many seconds the start of its run was moved along with a clock that was set."""
    stopped: bool = False
    corrected: verdict.State | None = None
    """The state that its user has given after its end."""
    advice: verdict.Advice | None = None
    """What the LLM judge has said of its last turn."""
    worker: str = ""
    """Name of the socket of the worker that holds it."""
    conversation: Conversation | None = None
    """The agent's conversation in it, which a restart goes on with."""
    strict: bool = False
    """The kernel holds its project, and does after a restart."""
    guarded: bool = False
    """Its agent is given the guard's hooks at its start, and at a restart."""

    def masked(self) -> Record:
        """Return the record with its secrets masked, as it may be stored (N-86)."""
        session = self.session
        texts = {name: mask(text) for name in _TEXTS if (text := getattr(session, name))}
        cmd = mask(session.cmd)
        hidden = session.cmd_masked or cmd != session.cmd
        return msgspec.structs.replace(
            self,
            session=msgspec.structs.replace(session, cmd=cmd, cmd_masked=hidden, **texts),
            advice=_masked(self.advice),
        )

    def saved(self) -> Record:
        """Return the record of a session that no worker holds any more: it can be started again."""
        ended = self.session.state in (State.EXITED, State.LOST)
        return msgspec.structs.replace(
            self,
            worker="",
            session=msgspec.structs.replace(
                self.session,
                state=self.session.state if ended else State.SAVED,
                pid=None,
                away_since=None,
                waits=self.session.waits and ended,
            ),
        )


def _masked(advice: verdict.Advice | None) -> verdict.Advice | None:
    """Return advice without secrets; a step whose command holds one is left out."""
    if advice is None:
        return None
    said = advice.verdict
    verdict = msgspec.structs.replace(
        said,
        summary=mask(said.summary),
        evidence=tuple(map(mask, said.evidence)),
        next_actions=tuple(
            msgspec.structs.replace(step, title=mask(step.title))
            for step in said.next_actions
            if mask(step.command) == step.command
        ),
    )
    return msgspec.structs.replace(advice, verdict=verdict)


_log = logging.getLogger(__name__)
_RETRY_SECONDS: Final = 30.0
_COPY_SECONDS: Final = 60.0
_COPY_LIMIT: Final = 256 * 1024 * 1024
_NOT_WRITTEN: Final = translatable(
    "The list of sessions cannot be written ({reason}). "
    "Everything works on, and is written when that is possible again."
)
_BEGUN_ANEW: Final = translatable(
    "The list of sessions was damaged. It is kept as {path}; a new one begins."
)
_COPY_USED: Final = translatable(
    "The list of sessions was damaged. It is kept as {path}; a copy takes its place."
)


class Store:
    """Collects records and facts; `run` writes the newest of each, in a thread."""

    def __init__(self, path: Path, *, on_fault: Callable[[Refusal], None]) -> None:
        self._path = path
        self._copy = path.with_suffix(".copy.json")
        self._copied_at = float("-inf")
        self._copied_starts: list[tuple[str, str, float | None]] = []
        self._on_fault = on_fault
        self._connection: sqlite3.Connection | None = None
        self._known: dict[str, tuple[int, Record]] = {}
        """The newest state of all records."""
        self._records: dict[str, tuple[int, Record] | None] = {}
        self._facts: dict[str, Any] = {}
        self._wanted = anyio.Event()
        self._trouble = database.Trouble("the store", _NOT_WRITTEN, on_fault)

    def open(self) -> list[Record]:
        """Open the database and return all records in their order."""
        try:
            if self._is_empty():
                return self._copied()
            records = self._read()
        except (sqlite3.Error, OSError) as exc:
            if database.is_damage(exc):
                return self._copied()
            self._disconnect()
            self._trouble.came(exc)
            self._copied_at = float("inf")  # a copy of this life would lack what was not read
            return []
        self._known = _placed(records)
        return records

    def fact(self, name: str, kind: type) -> Any:
        """Return a small fact that was kept under a name, or None."""
        with contextlib.suppress(sqlite3.Error, msgspec.DecodeError):
            if self._connection:
                row = self._connection.execute(
                    "SELECT value FROM facts WHERE name = ?", (name,)
                ).fetchone()
                return from_json(row[0], kind) if row else None
        return None

    def keep(self, place: int, record: Record) -> None:
        """Keep a record; `place` is its place in the order."""
        session_id = record.session.session_id
        self._known[session_id] = self._records[session_id] = (place, record)
        self._wanted.set()

    def drop(self, session_id: str) -> None:
        """Forget a record."""
        self._known.pop(session_id, None)
        self._records[session_id] = None
        self._wanted.set()

    def keep_fact(self, name: str, value: Any) -> None:
        """Keep a small fact under a name."""
        self._facts[name] = value
        self._wanted.set()

    async def run(self) -> None:
        """Write what has changed, for ever; after a fault, try again from time to time."""
        while True:
            await self._wanted.wait()
            self._wanted = anyio.Event()
            records, facts = self._records, self._facts
            self._records, self._facts = {}, {}
            try:
                await anyio.to_thread.run_sync(self._write, records, facts)
                await anyio.to_thread.run_sync(self._write_copy)
                self._trouble.is_over()
            except (sqlite3.Error, OSError) as exc:
                self._records = records | self._records
                self._facts = facts | self._facts
                if database.is_damage(exc):
                    self._begin_anew(_BEGUN_ANEW)
                else:
                    self._trouble.came(exc)
                with anyio.move_on_after(_RETRY_SECONDS):
                    await self._wanted.wait()
                    await anyio.sleep(1.0)
                self._wanted.set()

    def close(self) -> None:
        """Write what is left and close the database."""
        with contextlib.suppress(sqlite3.Error, OSError):
            self._write(self._records, self._facts)
            self._copied_at -= _COPY_SECONDS
            self._write_copy()
        self._disconnect()

    # --- steps

    def _read(self) -> list[Record]:
        self._connection = connection = database.connect(self._path, "secure_delete = ON")
        connection.executescript(SCHEMA)
        if not connection.execute("PRAGMA user_version").fetchone()[0]:
            connection.execute(f"PRAGMA user_version = {_VERSION}")
            # Its tables stand in the file itself, so that damage to it is found.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        rows = connection.execute("SELECT session_id, record FROM sessions ORDER BY place")
        return [record for name, blob in rows if (record := _decoded(name, blob))]

    def _write(self, records: dict[str, tuple[int, Record] | None], facts: dict[str, Any]) -> None:
        if self._connection is None:
            self._read()
        assert self._connection is not None
        with self._connection as writing:
            for name, value in facts.items():
                row = (name, msgspec.json.encode(value))
                writing.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", row)
            for session_id, kept in records.items():
                if kept is None:
                    writing.execute("DELETE FROM sessions WHERE session_id = ?", (session_id,))
                    continue
                blob = msgspec.json.encode(kept[1].masked())
                writing.execute(
                    "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", (session_id, kept[0], blob)
                )

    def _disconnect(self) -> None:
        if self._connection:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    # --- damage

    def _is_empty(self) -> bool:
        """Return whether the file is there and empty, which a list never is."""
        try:
            return self._path.stat().st_size == 0
        except OSError:
            return False

    def _copied(self) -> list[Record]:
        """Replace a damaged database by a new one with the records of the copy."""
        try:
            found = from_json(files.read(self._copy, _COPY_LIMIT), list[Record])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
            _log.info("there is no copy of the list: %s", exc)
            found = []
        self._known = _placed(found)
        self._begin_anew(_COPY_USED if found else _BEGUN_ANEW)
        return found

    def _begin_anew(self, sentence: str) -> None:
        """Put the damaged database aside, and write all known records into a new one."""
        self._disconnect()
        aside = database.put_aside(self._path)
        if aside.exists():
            self._on_fault(Refusal("internal", sentence, path=aside))
        else:
            self._trouble.came(OSError(f"{self._path} is damaged and cannot be renamed"))
        self._records = {**self._known, **self._records}
        self._wanted.set()

    def _write_copy(self) -> None:
        """Write the copy if the list has changed, one was started, or after a while; a fault is ignored."""
        known = sorted(self._known.copy().values(), key=lambda kept: kept[0])
        starts = [
            # By its start is told which run a history's lines are of.
            (record.session.session_id, record.session.name, record.session.started_at)
            for _, record in known
        ]
        now = time.monotonic()
        if now - self._copied_at < (_COPY_SECONDS if starts == self._copied_starts else 0.0):
            return
        self._copied_at, self._copied_starts = now, starts
        records = [record.masked() for _, record in known]
        try:
            files.write(self._copy, msgspec.json.encode(records))
        except OSError as exc:
            _log.warning("there is no copy of the list: %s", exc)


def _placed(records: list[Record]) -> dict[str, tuple[int, Record]]:
    numbered = enumerate(records, 1)
    return {record.session.session_id: (number, record) for number, record in numbered}


def _decoded(name: str, blob: bytes) -> Record | None:
    try:
        return from_json(blob, Record)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        _log.warning("the record of session %s cannot be read: %s", name, exc)
        return None
