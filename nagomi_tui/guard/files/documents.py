"""Reads and writes one JSON file of the guard; a broken one is renamed and kept (DC-4)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from nagomi_tui import files

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.guard.decide.schema import Open


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
