"""Ways in which a file can be broken."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    Way = Callable[[Path, random.Random], None]


def empty(path: Path, dice: random.Random) -> None:
    path.write_bytes(b"")


def half(path: Path, dice: random.Random) -> None:
    os.truncate(path, path.stat().st_size // 2)


def zeroed(path: Path, dice: random.Random) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def flipped(path: Path, dice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(max(3, len(data) // 100)):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    path.write_bytes(data)


def garbage(path: Path, dice: random.Random) -> None:
    path.write_bytes(dice.randbytes(max(200, path.stat().st_size if path.exists() else 0)))


def directory(path: Path, dice: random.Random) -> None:
    path.unlink(missing_ok=True)
    (path / "within").mkdir(parents=True)


def huge(path: Path, dice: random.Random) -> None:
    os.truncate(path, 1 << 36)


def second_page(path: Path, dice: random.Random) -> None:
    """Damage what SQLite reads only later: the first page is whole."""
    data = bytearray(path.read_bytes())
    data[4096:] = dice.randbytes(len(data) - 4096)
    path.write_bytes(data)


def of_the_future(path: Path, dice: random.Random) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA user_version = 9999")


def other_tables(path: Path, dice: random.Random) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        names = [
            name
            for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not name.startswith("sqlite_") and "_" not in name
        ]
        for name in names:
            database.execute(f"DROP TABLE {name}")
            database.execute(f"CREATE TABLE {name} (other TEXT)")


def log_of_changes(path: Path, dice: random.Random) -> None:
    """Damage the changes that are not in the file itself yet."""
    path.with_name(path.name + "-wal").write_bytes(dice.randbytes(40_000))


def text(words: bytes) -> Way:
    """Put these words into the file."""
    return lambda path, dice: (path.write_bytes(words), None)[1]


DATABASE: Final[dict[str, Way]] = {
    "empty": empty, "half": half, "zeroed": zeroed, "flipped": flipped, "garbage": garbage,
    "second page": second_page, "version 9999": of_the_future, "other tables": other_tables,
    "garbage as its log": log_of_changes, "a directory": directory,
}  # fmt: skip
SETTINGS: Final[dict[str, Way]] = {
    "empty": empty, "half": half, "zeroed": zeroed, "flipped": flipped, "garbage": garbage,
    "wrong types": text(b'{"theme":[],"other_fps":"9","pool_size":1e400,"shell":{}}'),
    "a list": text(b"[1,2,3]"), "deep nesting": text(b'{"a":' * 50_000),
    "a directory": directory,
}  # fmt: skip
KEYMAP: Final[dict[str, Way]] = {
    "empty": text(b""), "garbage": garbage, "half": text(b'[keys]\nzoom = "'),
    "wrong types": text(b"keys = 3\n"), "a directory": directory,
}  # fmt: skip
MARK: Final[dict[str, Way]] = {
    "empty": empty, "garbage": garbage, "huge": huge, "a directory": directory,
}  # fmt: skip
LOG: Final[dict[str, Way]] = {"garbage": garbage}


def settle(path: Path) -> None:
    """Write a database's log of changes into the file itself, as a quiet moment does."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
