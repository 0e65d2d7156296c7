"""The seal: a record outside the project of the state file that the guard has written.

A state "implementation" is valid only as the guard wrote it; from a checkout, a copy or another
program it counts as discussion. It is valid only while the guard's settings and its hooks are what
they were when the user approved, too, whatever changed them. The seal is no secret, and cannot
stop a program that may write everywhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from nagomi_tui import files, folders
from nagomi_tui.guard.files import switches

if TYPE_CHECKING:
    from nagomi_tui.guard.files.project import Project

_SWITCHES: Final = b"switches:"
"""The line before the digests of the files that switch the guard."""


def write(project: Project, data: bytes) -> None:
    """Record the new content of the state file.

    Raises:
        OSError: the seal cannot be written.
    """
    path = _path(project)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = [f"{digest} {name}".encode() for name, digest in switches.digests(project).items()]
    files.write(path, b"\n".join([_digest(data), _SWITCHES, *found]))


def holds(project: Project, data: bytes) -> bool:
    """Tell whether the guard wrote this content of the state file."""
    return _lines(project)[:1] == [_digest(data)]


def changed(project: Project) -> tuple[str, ...]:
    """Return which of the files that switch the guard have changed since, by their names."""
    _, *lines = _lines(project) or [b""]
    if lines[:1] != [_SWITCHES]:
        return ()  # An older version made the seal.
    pairs = (line.decode().partition(" ") for line in lines[1:])
    sealed = {name: digest for digest, _, name in pairs}
    now = switches.digests(project)
    return tuple(name for name in sealed.keys() | now.keys() if sealed.get(name) != now.get(name))


def _lines(project: Project) -> list[bytes]:
    try:
        return files.read(_path(project), limit=100_000).split(b"\n")
    except OSError:
        return []


def take_back(project: Project) -> None:
    """Remove the seal, so that every state of the project counts as discussion.

    Raises:
        OSError: the seal cannot be removed.
    """
    _path(project).unlink(missing_ok=True)


def _path(project: Project) -> Path:
    import hashlib

    name = hashlib.sha256(str(project.root).encode("utf-8", "surrogateescape")).hexdigest()
    return Path(folders.state()) / "guard" / f"{name[:32]}.seal"


def _digest(data: bytes) -> bytes:
    import hashlib

    return hashlib.sha256(data).hexdigest().encode()
