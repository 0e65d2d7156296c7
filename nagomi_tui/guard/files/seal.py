"""The seal: a record outside the project of the state file that the guard has written.

A state "implementation" is valid only as the guard wrote it; from a checkout, a copy or another
program it counts as discussion. The seal is no secret, and cannot stop a program that may write
everywhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nagomi_tui import files, folders

if TYPE_CHECKING:
    from nagomi_tui.guard.files.project import Project


def write(project: Project, data: bytes) -> None:
    """Record the new content of the state file.

    Raises:
        OSError: the seal cannot be written.
    """
    path = _path(project)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, _digest(data))


def holds(project: Project, data: bytes) -> bool:
    """Tell whether the guard wrote this content of the state file."""
    try:
        return files.read(_path(project), limit=1000) == _digest(data)
    except OSError:
        return False


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
