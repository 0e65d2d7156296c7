"""Packs the worker, so that a Python elsewhere can run it where nothing is installed.

A pack is compressed by zlib: a manifest, an empty line, and the files one after another. A line of
the manifest is a file's SHA-256, its size and its path. The pack's name is the SHA-256 of its
manifest, so the same files have the same name, and the name proves every file.
"""

from __future__ import annotations

import hashlib
import importlib.util
import zlib
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import nagomi_worker
from nagomi_tui import event
from nagomi_tui.system import paths

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIX: Final = EXTENSION_SUFFIXES[0]
"""Tells our Python's version, our processor, system and C library, as `.cpython-311-x86_64-…` does."""

_COMPILED: Final = ("msgspec", "psutil")
_GIVEN: Final = "nagomi_worker/inside/given"
_LEVEL: Final = 9


class Pack(NamedTuple):
    """The worker as bytes to be sent."""

    name: str
    data: bytes


def pack_for(suffix: str) -> Pack:
    """Return the worker for a Python whose compiled modules end in `suffix`.

    Where ours end alike, those that the worker uses go with it.
    """
    return _packed(suffix == SUFFIX)


@cache
def _packed(with_compiled: bool) -> Pack:
    files = dict(_sources(Path(nagomi_worker.__file__).parent, "nagomi_worker"))
    files.update(_sources(_folder_of("ptyprocess"), "ptyprocess"))
    files.update(_given())
    if with_compiled:
        for name in _COMPILED:
            files.update(_sources(_folder_of(name), f"compiled/{name}"))
    return pack(files)


def pack(files: dict[str, bytes]) -> Pack:
    """Pack files by their paths, which are relative and separated by `/`."""
    lines = [
        f"{hashlib.sha256(data).hexdigest()} {len(data)} {path}\n"
        for path, data in sorted(files.items())
    ]
    manifest = "".join(lines).encode()
    content = b"".join((manifest, b"\n", *(files[path] for path in sorted(files))))
    return Pack(hashlib.sha256(manifest).hexdigest(), zlib.compress(content, _LEVEL))


def _sources(folder: Path, place: str) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if path.suffix in (".py", ".so"):
            yield f"{place}/{path.relative_to(folder).as_posix()}", path.read_bytes()


def _given() -> Iterator[tuple[str, bytes]]:
    """Yield what sessions there are given: the program of hooks, and the files of shells."""
    yield f"{_GIVEN}/event.py", Path(event.__file__).read_bytes()
    shells = paths.shipped("config") / "shell"
    for path in shells.rglob("*"):
        if path.is_file():
            yield f"{_GIVEN}/shell/{path.relative_to(shells).as_posix()}", path.read_bytes()


def _folder_of(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])
