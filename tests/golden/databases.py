"""Databases with every field set, written by the program's own classes, and dumped as text."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nagomi_tui.orchestrator.history.archive import Archive, Turn
from nagomi_tui.orchestrator.judging.corrections import Correction, keep
from nagomi_tui.orchestrator.sessions.store import Record, Store
from nagomi_tui.sessions.transcript import Piece, Screenful, TextRow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIRST: Final = "0b7f4a52-6d0e-4c6e-9a55-1f6d3f0c2a11"
SECOND: Final = "5f1e9a3c-2b44-4d0a-8a8e-7c0f4f6f9b22"
_AT: Final = 1770000000.5
_DAY: Final = 86_400.0

RECORDS: Final = msgspec.convert(
    [
        {
            "session": {
                "session_id": FIRST, "number": 7, "name": "build", "cmd": "make all",
                "cwd": "/srv/和み", "place": 1, "worker_id": "far", "character_id": "mame",
                "judge_profile": "claude", "agent": "claude", "state": "exited",
                "phase": "error", "waits": True, "secret": True, "cmd_masked": True,
                "cols": 100, "rows": 40, "pid": 4713, "exit_code": 137, "signal": 9,
                "summary": "3 tests failed.", "turn": 7, "phase_since": _AT + 100,
                "title": "make: all", "branch": "main", "engine": "ghostty-0.1.3",
                "created_at": _AT, "started_at": _AT + 1, "ended_at": _AT + 90,
                "last_output_at": _AT + 89, "last_input_at": _AT + 80,
            },
            "env_names": ["LANG", "PATH"],
            "seen_at": _AT + 60,
            "stopped": True,
            "worker": "w-01234567",
            "conversation": {"agent": "claude", "id": "c-1", "cwd": "/srv/和み"},
        },
        {
            "session": {
                "session_id": SECOND, "number": 9, "name": "sh", "cmd": "sh", "cwd": "/tmp",
            },
        },
    ],
    list[Record],
)  # fmt: skip
FACTS: Final = {
    "recent": ["make all", "claude"],
    "left_at": _AT + 70,
    "last_number": 9,
    "muted_until": _AT + 600,
}
_GROUND: Final = {"source": "exit", "says": "failed", "age": 1.5, "rule": "exit", "text": "137"}
CORRECTIONS: Final = [
    msgspec.convert(
        {
            "at": _AT + 95, "session_id": FIRST, "turn": 7, "cmd": "make all",
            "shown": "failure", "right": "success", "rule": "exit", "confidence": 0.75,
            "grounds": [_GROUND],
            "known": [_GROUND, {**_GROUND, "source": "screen", "says": "waits"}],
            "lines": ["$ make all", "3 tests failed."], "trace": "/tmp/build.cast",
            "trace_at": 12.25,
        },
        Correction,
    )
]  # fmt: skip
SCREEN: Final = Screenful(
    session_id=SECOND,
    name="和み",
    at=_AT + 2 * _DAY,
    run=_AT + 1,
    rows=(TextRow("~"), TextRow(":w")),
)
_VERDICT: Final = (
    b'{"state":"failure","confidence":0.75,"summary":"3 tests failed.","evidence":["exit code 1"],'
    b'"next_actions":[{"title":"Run it again","command":"make test","risk":"mid"}]}'
)
_INDEXED: Final = (
    "INSERT INTO {name} (rowid, text) SELECT id, text FROM lines WHERE text <> '' AND id >= "
    "(SELECT first FROM shelves WHERE shelf = {shelf}) AND id < "
    "(SELECT coalesce(max(first), 1 << 62) FROM shelves WHERE shelf = {shelf} + 1)"
)


def write(folder: Path) -> None:
    """Write the three databases into a folder."""
    _write_records(folder / "sessions.db")
    for correction in CORRECTIONS:
        keep(folder / "corrections.db", correction)
    _write_history(folder / "history.db")


def dumps(folder: Path) -> dict[str, str]:
    """Return what is in each database, as SQL that makes it again."""
    return {path.stem: "".join(_dump(path)) for path in sorted(folder.glob("*.db"))}


def fill(path: Path, dump: str) -> None:
    """Make a database of its dump."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump)


# --- steps


def _write_records(path: Path) -> None:
    store = Store(path, on_fault=_fail)
    store.open()
    for place, record in enumerate(RECORDS, 1):
        store.keep(place, record)
    for name, value in FACTS.items():
        store.keep_fact(name, value)
    store.close()


def _write_history(path: Path) -> None:
    archive = Archive(path)
    archive.open()
    rows = (TextRow("$ make all", wrapped=True), TextRow(" -j8"), TextRow("3 tests failed."))
    table = TextRow("NAME        PASSWORD        AGE")
    first = Piece(
        session_id=FIRST, name="build", at=_AT + 50, run=_AT, next_line=12, rows=(*rows, table),
        open=(TextRow("$ "),), gap=9,
    )  # fmt: skip
    key = Piece(
        session_id=SECOND, name="和み", at=_AT + 2 * _DAY, run=_AT + 1, next_line=4,
        rows=(TextRow("日本語の行"), TextRow("-----BEGIN RSA PRIVATE KEY-----")),
    )  # fmt: skip
    ended = Turn(
        session_id=FIRST, name="build", turn=7, started=_AT + 1, ended=_AT + 90, verdict=_VERDICT
    )
    archive.write([first], [ended])
    archive.write([key])
    archive.write((), (), [SCREEN])
    archive.prune(days=30, size=1 << 30, now=_AT + 2 * _DAY)
    archive.close()


def _fail(fault: object) -> None:
    raise AssertionError(fault)


def _dump(path: Path) -> Iterator[str]:
    """Yield statements; an index of words is made of the lines, since it keeps no text."""
    with closing(sqlite3.connect(path)) as connection:
        for name in ("auto_vacuum", "user_version"):
            yield f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};\n"
        schema = connection.execute(
            "SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        ).fetchall()
        indexes = [name for name, _, sql in schema if sql.startswith("CREATE VIRTUAL")]
        for name, kind, sql in schema:
            if any(name.startswith(f"{index}_") for index in indexes):
                continue
            yield f"{sql};\n"
            if kind == "table" and name not in indexes:
                rows = connection.execute(f"SELECT * FROM {name}")
                yield from (f"INSERT INTO {name} VALUES ({_values(row)});\n" for row in rows)
        for name in indexes:
            yield f"{_INDEXED.format(name=name, shelf=int(name.split('_')[1]))};\n"


def _values(row: tuple[Any, ...]) -> str:
    return ", ".join(map(_value, row))


def _value(value: object) -> str:
    if isinstance(value, bytes):
        return f"CAST({_value(value.decode())} AS BLOB)"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "NULL" if value is None else repr(value)
